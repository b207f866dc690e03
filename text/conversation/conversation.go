// Package conversation says what a conversation is, whichever assistant it was held
// with, finds the files in which exports of such assistants keep them, and makes records
// of them.
//
//	conversation.go   Conversation, Turn, Reader
//	path.go           from the last turn back to the first, past what was said otherwise
//	shape.go          how one platform writes its exports; a format of that
//	find.go           an export: a file, a folder -> its files
//	export.go         its files -> elements of JSON one by one
//	reader.go         elements -> conversations, or records
//	record.go         an export -> records, checked
//	make.go           a conversation -> records
//	group.go          elements that belong together, wherever they stand
//	note.go           what is kept beside conversations -> records
//	split.go          long texts -> pieces
//	platform.go       conversations that a format of other things has -> records
//
// A conversation becomes records of what was said, and of nothing else: no facts are
// drawn from it.
//
//	the conversation              episodic, "Conversation with NAME: title (4 turns, 2026-05-01)"
//	a turn of the user, and what  episodic, "User: …\n\nAssistant: …", in pieces of about 4,000
//	  followed until the next     characters, cut between paragraphs where that can be
//	a note                        of the kind that the platform says, in such pieces
//
// All records of a conversation have its id in scope.session and the assistant in
// scope.agent. Records of what was said are dated by the first turn that is in them; that
// of the conversation by its end, and valid from its beginning. A turn without a date has
// that of the turn before, of the conversation, or of the file. source.ref is
// conversations/ID, conversations/ID/TURN, and conversations/ID/TURN/2 for the second
// piece: a conversation that has got another title, or an answer that was given anew,
// supersedes what was there.
package conversation

import (
	"encoding/json"
	"time"

	"github.com/satchel-memory/satchel/codec"
)

// Conversation is turns in the order in which they were taken. Of branches, only the one
// that was shown last is here.
type Conversation struct {
	ID      string // empty: it has none
	Title   string
	Source  string    // the format that it was read from, such as "chatgpt"
	Started time.Time // zero: not said
	Ended   time.Time // zero: not said
	// Participants is the authors of the turns, in the order of their first turns.
	Participants []string
	Turns        []Turn
	// Alone says that it is one exchange of which nothing else is known: there is no
	// record of the conversation beside that of what was said.
	Alone bool
	Rest  json.RawMessage // an object of what else is said about it; nil: nothing
}

// Author says who took a turn.
type Author string

// The authors.
const (
	User      Author = "user"
	Assistant Author = "assistant"
	System    Author = "system"   // instructions that nobody said
	Tool      Author = "tool"     // what was given to a tool, and what it gave back
	Document  Author = "document" // the text of what was handed over with a turn
)

// Turn is what one author said at once.
type Turn struct {
	ID     string // unique in the conversation
	Parent string // the turn that it answers; empty: it is the first, or it is not said
	Author Author
	Name   string    // of the tool, or the document; empty: not said
	Model  string    // that wrote it; empty: not said
	At     time.Time // zero: not said
	Text   string
}

// Reader yields the conversations of an export one by one, with no more than one in
// memory.
type Reader interface {
	// Next returns the next conversation, and io.EOF after the last. An error that is a
	// [codec.ParseError] says what is wrong with the export; after an error every call
	// returns it.
	Next() (Conversation, error)
	// Losses returns what of the conversations read so far is not in them.
	Losses() []codec.Loss
	// Close frees what the reader holds.
	Close() error
}

// Settle fills in what the turns say: participants, and from when to when they were taken
// where the conversation does not say it, or says less.
func (c *Conversation) Settle() {
	seen := map[Author]bool{}
	for _, t := range c.Turns {
		if !seen[t.Author] && t.Author != Document {
			seen[t.Author] = true
			c.Participants = append(c.Participants, string(t.Author))
		}
		if t.At.IsZero() {
			continue
		}
		if c.Started.IsZero() || t.At.Before(c.Started) {
			c.Started = t.At
		}
		if t.At.After(c.Ended) {
			c.Ended = t.At
		}
	}
	if c.Started.IsZero() {
		c.Started = c.Ended
	}
	if c.Ended.Before(c.Started) {
		c.Ended = c.Started
	}
}
