package distill

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/conversation"
)

// transcriptName is the source name of such conversations.
const transcriptName = "aicf"

// mostBytes limits a context file if the options do not: it is held in memory.
const mostBytes = 256 << 20

// transcripts yields the conversations of a context file.
type transcripts struct {
	found  []conversation.Conversation
	losses []codec.Loss
	ids    map[string]bool // of the turns of the current conversation
}

// OpenTranscript opens a context file of any dialect that contains the turns of
// conversations: a @TRANSCRIPT section, or exchanges. Conversations without turns are
// losses.
func OpenTranscript(src codec.Source, opt codec.Options) (conversation.Reader, error) {
	if src.File == nil {
		return nil, transcriptError(errors.New("a folder; name the context file in it, or an export of ChatGPT or Claude.ai"))
	}
	limits := aicf.Limits{File: mostBytes}
	if opt.Limits.Document > 0 {
		limits.File = opt.Limits.Document
	}
	in, err := aicf.Expand(io.NewSectionReader(src.File, 0, src.Size), aicf.Options{Limits: limits})
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(in, limits.File+1))
	if err != nil {
		return nil, err
	}
	c, _, err := aicf.Migrate(data, aicf.Options{Limits: limits})
	if err != nil {
		return nil, err
	}
	t := &transcripts{}
	t.read(c)
	if len(t.found) == 0 {
		return nil, transcriptError(errors.New("no turns of a conversation in it; name an export of ChatGPT or Claude.ai, or a context file with a transcript"))
	}
	return t, nil
}

func transcriptError(err error) error {
	return &codec.ParseError{Format: transcriptName, Rule: "AICF-COMP-2", Err: err}
}

// Next implements [conversation.Reader].
func (t *transcripts) Next() (conversation.Conversation, error) {
	if len(t.found) == 0 {
		return conversation.Conversation{}, io.EOF
	}
	c := t.found[0]
	t.found = t.found[1:]
	return c, nil
}

// Losses implements [conversation.Reader].
func (t *transcripts) Losses() []codec.Loss { return t.losses }

// Close implements [conversation.Reader].
func (t *transcripts) Close() error { return nil }

// read collects conversations with their turns.
func (t *transcripts) read(c *aicf.Contents) {
	var current *conversation.Conversation
	end := func() {
		switch {
		case current == nil:
		case len(current.Turns) == 0:
			t.losses = append(t.losses, codec.Loss{Pointer: "CONVERSATION " + current.ID, Reason: "it has no turns"})
		default:
			current.Settle()
			t.found = append(t.found, *current)
		}
		current, t.ids = nil, map[string]bool{}
	}
	end()
	for _, e := range c.Entries {
		switch e := e.(type) {
		case *aicf.Conversation:
			end()
			current = headOf(e)
			for _, f := range e.Extra {
				if strings.HasPrefix(f.Key, "x_turn_") {
					t.turn(current, f)
				}
			}
		case *aicf.Unknown:
			if e.Name != "TRANSCRIPT" {
				continue
			}
			if current == nil {
				current = &conversation.Conversation{Source: transcriptName}
			}
			t.section(current, e)
		}
	}
	end()
}

func headOf(e *aicf.Conversation) *conversation.Conversation {
	c := &conversation.Conversation{ID: e.ID, Source: transcriptName, Started: e.TimestampStart.Time, Ended: e.TimestampEnd.Time}
	if e.Topic != nil {
		c.Title = *e.Topic
	}
	return c
}

// section reads the lines of a transcript: key=time|author|text.
func (t *transcripts) section(c *conversation.Conversation, e *aicf.Unknown) {
	for i, line := range strings.Split(e.Raw, "\n")[1:] {
		key, raw, ok := strings.Cut(line, "=")
		switch {
		case line == "":
		case !ok || !t.turn(c, aicf.Field{Key: key, Raw: raw}):
			t.losses = append(t.losses, codec.Loss{Pointer: fmt.Sprintf("line:%d", e.Line+i+1), Reason: "no turn: expected key=time|author|text"})
		}
	}
}

// turn reads one turn. Some writers do not escape the pipes in its text.
func (t *transcripts) turn(c *conversation.Conversation, f aicf.Field) bool {
	parts := aicf.SplitList(f.Raw)
	if len(parts) < 3 {
		return false
	}
	id := strings.TrimPrefix(f.Key, "x_")
	if t.ids[id] {
		id += "_" + strconv.Itoa(len(c.Turns)+1)
	}
	t.ids[id] = true
	at, _ := memory.ParseInstant(parts[0])
	turn := conversation.Turn{ID: id, Author: authorOf(parts[1]), At: at.UTC(), Text: strings.Join(parts[2:], "|")}
	if at.IsZero() {
		turn.At = at
	}
	if n := len(c.Turns); n > 0 {
		turn.Parent = c.Turns[n-1].ID
	}
	c.Turns = append(c.Turns, turn)
	return true
}

// authorOf returns the role behind a name: user_mira is a user. A name of unknown role
// counts as the system.
func authorOf(name string) conversation.Author {
	name = strings.ToLower(strings.TrimSpace(name))
	for prefix, author := range map[string]conversation.Author{
		"user": conversation.User, "human": conversation.User, "assistant": conversation.Assistant, "ai": conversation.Assistant, "tool": conversation.Tool,
	} {
		if name == prefix || strings.HasPrefix(name, prefix+"_") || strings.HasPrefix(name, prefix+":") {
			return author
		}
	}
	return conversation.System
}
