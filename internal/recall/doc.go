// Package recall finds the memories that answer a question. It reads the
// question, gathers candidates from an inverted index, and ranks them into hits
// with signals and reasons that people can see. Everything here is a pure function of
// its arguments: no I/O but through the given [Index], no clock, no
// randomness, so that equal questions get equal answers.
//
// One tokeniser serves every store ([NewDocument] for stored records, [Search] for
// questions), so ranking does not differ between them. Statistics are those
// of one owner, so ranking reveals nothing about other owners. For a caller who sees
// a part of an owner's index, statistics are those of that part ([Options.Apart]).
//
//	question --understand--> terms --gather--> candidates --allow--> records --rank--> hits
//
//	index.go                           what a store offers
//	token.go, word.go, fold.go         text -> terms; irregular.go: went is go
//	language.go                        stop words and stems of the language of a text
//	date.go, instant.go                yesterday is a day, and days are terms
//	number.go, acronym.go              12k is 12000, ENT is a phrase
//	document.go                        record -> its stored terms
//	question.go, hint.go               query -> terms, kinds, time
//	asked.go, unspaced.go              words that only form a question, in its language
//	asking.go                          what a question asks for, and whether a turn asks the same
//	focus.go                           the word for what it asks for
//	family.go, families.txt            kids are children, and eating is about allergies
//	tongue.go, tongues.txt             Reisepass is passport, in the languages of the table
//	dictionary.go, wordnet/            coffee is a beverage: what WordNet says of more words
//	common.go                          words that many texts have say less, even if few records have them
//	spelling.go                        unknown words -> the owner's words that look like them
//	script.go                          Julia is Юлия, and Kenji is ケンジ
//	gather.go                          postings -> candidates, under a budget
//	sum.go                             the scores of documents, one term after the other
//	apart.go, apart_near.go            the same for a caller who sees a part of the index
//	digest.go                          what an index entry keeps, so that records are ranked unread
//	read.go, score.go                  records -> likeness to the question
//	search.go                          stages of candidates, until no other can be among the hits
//	signal.go, why.go, answer.go       likeness -> hits
//	also.go                            other wordings of the question
//	brief.go                           the brief of a new session, without a question
//
// A long text counts by its best passage. Short turns of one stated conversation lend each
// other their matches ([Doc] numbers are in order of learning), so that a question finds the
// answer that was given to it. What the owner said comes before what an assistant said, what
// somebody states before what they ask, and what they say of themselves before the rest.
package recall
