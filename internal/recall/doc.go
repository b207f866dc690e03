// Package recall finds the memories that answer a question: it reads the
// question, gathers candidates from an inverted index, and ranks them into hits
// whose signals and reasons can be shown. Everything here is a pure function of
// its arguments: no I/O but through the [Index] it is given, no clock, no
// randomness, so that equal questions get equal answers.
//
// One tokeniser feeds every store ([NewDocument] for what is stored, [Search] for
// what is asked), so ranking does not differ between them; statistics are those
// of one owner, so ranking tells nothing about anybody else, and for whoever sees
// a part of an owner's index those of that part ([Options.Apart]).
//
//	question --understand--> terms --gather--> candidates --allow--> records --rank--> hits
//
//	index.go                           what a store offers
//	token.go, word.go, fold.go         text -> terms; irregular.go: went is go
//	document.go                        record -> what is stored of it
//	question.go, hint.go, date.go      query -> terms, kinds, time
//	family.go, families.txt            kids are children, and eating is about allergies
//	gather.go                          postings -> candidates, under a budget
//	apart.go, apart_near.go            the same for whoever sees a part of the index
//	read.go, score.go                  records -> likeness to the question
//	signal.go, why.go, search.go       likeness -> hits
//	brief.go, tokens.go                what a new session is told without a question
//
// What makes most of the quality beyond the counting of words is that memories
// of one conversation lend each other what they match ([Doc] numbers are in order
// of learning): an answer is found by the question it was given to.
package recall
