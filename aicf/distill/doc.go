// Package distill makes a context file of a conversation: what was decided and why, what
// the user said of themselves and of their work, what they prefer and demand, and what
// was left open, each with who said it, when, and in which turn.
//
// It is extractive: every text stands in the conversation as it was said, and the same
// conversation gives the same file. No model is asked, unless the caller brings one; what
// that proposes is taken only where it quotes a turn. Code, quotations, pasted texts and
// the output of tools are nobody's statements. A statement in doubt is left out.
//
//	text.go                    turn -> sentences that its author says
//	english.go german.go       what sentences are told by
//	classify.go                sentence -> decision, fact, preference, instruction, open end
//	choice.go                  "the second one", "sounds good" -> what was meant
//	gather.go                  conversation -> statements, each once
//	distill.go                 conversations -> context file
//	frame.go entry.go          what a conversation was, what it saved; a statement
//	measure.go                 tokens saved, words kept
//	comprehend.go              what can still be answered from the file
//	propose.go                 what a model proposes, held to the turns
//	transcript*.go             transcripts inside context files -> conversation
package distill
