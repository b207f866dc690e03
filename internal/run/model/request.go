package model

import (
	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// Request is one turn that a model is asked for.
type Request struct {
	Model    string         // in the provider's spelling
	System   string         // before every turn (AAIF-4-10); empty: none
	Messages []aaif.Message // roles system, user, assistant and tool; calls as [aaif.CallMessages] writes them
	// Pictures are those of results, by the id of the call; nil: there are none. A provider gets
	// them as far as its model takes them; of each other one the result says that it is left out.
	Pictures map[string][]Picture
	Tools    []Tool
	// Temperature and Params are sent as far as the provider knows them (AAIF-4.2-25).
	// Params.Extended is sent as it is, but replaces nothing that the runtime owns
	// (AAIF-4.2-22, AAIF-4.2-24).
	Temperature *float64
	Params      aaif.Parameters
	Format      string      // text, json, json_schema, markdown; empty: text. Only json and json_schema reach the provider
	Schema      canon.Value // of the answer, for json_schema; undefined: none
	Stream      bool        // ask for the answer in pieces
	// OnText gets pieces of the text as they arrive, from the goroutine that asks; nil: none.
	// Pieces may come before a failure.
	OnText func(string)
	// CallPrefix begins the ids of calls to which the provider gives no usable id; the position
	// of the call follows. It has to differ from turn to turn of a run; empty: made of the number
	// of turns in Messages.
	CallPrefix string
	// Carry holds what [Answer.Carry] was, by the id of the first call of that turn; nil: none.
	Carry map[string]canon.Value
}

// Tool is a function that the model may call.
type Tool struct {
	Name        string
	Description string
	Parameters  canon.Value // JSON Schema, sent as it is (AAIF-4.4-4); undefined: no parameters
}

// Answer is a turn of a model.
type Answer struct {
	Text string
	// Calls are in the provider's order. Their ids differ from each other and from those in
	// the request. A call whose arguments cannot be read has Guessed set and no arguments.
	Calls                     []aaif.Call
	InputTokens, OutputTokens int // 0: the provider says nothing
	Stop                      string
	// Carry is what the provider wants to see again with this turn's calls, such as a
	// signature; undefined: nothing. A run that loses it goes on without it.
	Carry canon.Value
	// Notes tell what of the request was not sent as it is, also if the request failed.
	Notes []Note
}

// Reasons why a model stopped. Others are in the provider's words.
const (
	StopEnd    = "stop"   // it said all
	StopCalls  = "calls"  // it waits for results
	StopLength = "length" // the most tokens were reached
	StopFilter = "filter" // the provider withheld the rest, or the model refused
)

// NoteCode says what became of a part of a request.
type NoteCode string

// The codes of notes.
const (
	Dropped   NoteCode = "param.dropped"      // the provider has no such parameter (AAIF-U.F-1)
	Clamped   NoteCode = "param.clamped"      // the provider's bounds are closer
	Collision NoteCode = "extended-collision" // the runtime's value was sent, not that of params.extended
)

// Note is about one member of a request.
type Note struct {
	Code NoteCode
	Name string // in the definition's spelling, such as "seed", "extended.tools"
}
