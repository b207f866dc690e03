// Package conversation turns the exports of chat assistants into memory records. It
// defines a conversation, finds the files of an export, and makes the records.
//
//	conversation.go   Conversation, Turn, Reader
//	path.go           the turns from the first to the last one shown, without other branches
//	shape.go          how one platform writes its exports; a format for that shape
//	find.go           an export: a file, a folder -> its files
//	export.go         its files -> elements of JSON one by one
//	reader.go         elements -> conversations, or records
//	record.go         an export -> records, checked
//	make.go           a conversation -> records
//	group.go          elements that belong together, wherever they stand
//	note.go           memories, instructions and documents in an export -> records
//	split.go          long texts -> pieces
//	restore.go        records -> a conversation
//	platform.go       conversations inside another format -> records
//
// The records of a conversation hold its words and nothing else: the package draws no
// facts from it.
//
//	the conversation              episodic, "Conversation with NAME: title (4 turns, 2026-05-01)"
//	a turn of the user, and all   episodic, "User: …\n\nAssistant: …", in pieces of about 4,000
//	  turns until the next one    characters, cut between paragraphs if possible
//	a note                        of the kind that the platform gives, in such pieces
//
// All records of a conversation have its id in scope.session and the assistant in
// scope.agent. A record of turns has the date of its first turn. The record of the
// conversation has the date of its end, and is valid from its beginning. A turn without a
// date gets that of the turn before, of the conversation, or of the file. source.ref is
// conversations/ID, conversations/ID/TURN, and conversations/ID/TURN/2 for the second
// piece. A conversation with a new title, or an answer that was given again, therefore
// supersedes its older record.
package conversation

import (
	"encoding/json"
	"time"

	"github.com/satchel-memory/satchel/codec"
)

// Conversation is a list of turns in order. Of several branches it has only the one that
// was shown last.
type Conversation struct {
	ID      string // empty: none
	Title   string
	Source  string    // the format that it comes from, such as "chatgpt"
	Started time.Time // zero: unknown
	Ended   time.Time // zero: unknown
	// Participants are the authors of the turns, in the order of their first turns.
	Participants []string
	Turns        []Turn
	// Alone says that this is one exchange of an unknown conversation. The records of its
	// turns are then all; there is no record of the conversation.
	Alone bool
	Rest  json.RawMessage // an object of the conversation's other members; nil: none
}

// Author says who took a turn.
type Author string

// The authors of turns.
const (
	User      Author = "user"
	Assistant Author = "assistant"
	System    Author = "system"   // instructions that nobody said
	Tool      Author = "tool"     // the input and output of a tool
	Document  Author = "document" // the text of an attachment
)

// Turn is a text that one author said at once.
type Turn struct {
	ID     string // unique in the conversation
	Parent string // the turn that it answers; empty: it is the first, or unknown
	Author Author
	Name   string    // of the tool or the document; empty: unknown
	Model  string    // the model that wrote it, or for which a user did; empty: unknown
	At     time.Time // zero: unknown
	Text   string
}

// Reader yields the conversations of an export one by one, and holds no more than one in
// memory.
type Reader interface {
	// Next returns the next conversation, and io.EOF after the last. A [codec.ParseError]
	// is a fault of the export. After an error every call returns it.
	Next() (Conversation, error)
	// Losses returns the losses of the conversations read so far.
	Losses() []codec.Loss
	// Close frees the reader's resources.
	Close() error
}

// Settle computes the participants from the turns. It also computes the start and end, if
// the turns extend beyond those of the conversation.
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
