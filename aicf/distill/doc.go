// Package distill makes a context file of a conversation: decisions and their
// reasons, facts about the users and their work, preferences, demands and open ends.
// Each entry says who said it, when, and in which turn.
//
// It is extractive: every text stands in the conversation in these words, and the
// same conversation gives the same file. It asks a model only if the caller brings
// one, and takes a model's proposal only if it quotes a turn. Code, quotations,
// pasted texts and the output of tools are nobody's statements. A statement in doubt
// is left out.
//
//	text.go                    turn -> sentences that its author says
//	english.go german.go       patterns of sentences
//	classify.go                sentence -> decision, fact, preference, instruction, open end
//	choice.go                  "the second one", "sounds good" -> the option meant
//	gather.go                  conversation -> statements, each once
//	distill.go                 conversations -> context file
//	frame.go entry.go          summary of a conversation and its savings; a statement
//	measure.go                 tokens saved, words kept
//	comprehend.go              questions that the file still answers
//	propose.go                 a model's proposals, checked against the turns
//	transcript*.go             transcripts inside context files -> conversation
package distill
