// Package recall finds the memories that answer a question: it reads the
// question, gathers candidates from an inverted index, and ranks them into hits
// whose signals and reasons can be shown. Everything here is a pure function of
// its arguments: no I/O but through the [Index] it is given, no clock, no
// randomness, so that equal questions get equal answers.
//
// One tokeniser feeds every store ([Document] for what is stored, [Search] for
// what is asked), so ranking does not differ between them; statistics are those
// of one owner, so ranking tells nothing about anybody else.
//
//	question --understand--> terms --Postings--> candidates --allow--> records --score--> hits
//
// See [Search] for the stages and [Brief] for what a new session is told
// without a question.
package recall
