package model

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// The roles of messages.
const (
	system    = "system"
	user      = "user"
	assistant = "assistant"
	tool      = "tool"
)

// turn is a message as providers understand it: a text, an assistant's text with its calls,
// or the results of all calls of the turn before.
type turn struct {
	role     string
	text     string
	calls    []aaif.Call // of an assistant; of results: the calls that they belong to
	results  []string
	pictures [][]Picture // of results
	carry    canon.Value // of an assistant's calls
}

// noResult is told for a call without a result, which every provider asks for.
const noResult = `{"error":"no_result"}`

// turnsOf puts the messages of a conversation together to turns. The results of a turn's
// calls follow at once and in the order of the calls, wherever they stand in the
// conversation. A result without its call gets one without arguments, so that it stays the
// word of a tool.
func turnsOf(r Request) []turn {
	b := builder{open: map[string]place{}, pictures: r.Pictures}
	for i, m := range r.Messages {
		c, isCall := m.Call()
		switch {
		case isCall:
			b.call(c, r.Carry[c.ID])
		case m.Role == tool:
			if _, waits := b.open[m.CallID]; !waits {
				m.CallID = cmp.Or(m.CallID, "lost-"+strconv.Itoa(i))
				b.call(aaif.Call{ID: m.CallID, Tool: cmp.Or(m.Tool, "unknown"), Arguments: canon.Object()}, canon.Value{})
			}
			b.result(m.CallID, m.Content)
		case strings.TrimSpace(m.Content) != "": // nothing is refused by some
			b.turns, b.answered = append(b.turns, turn{role: m.Role, text: m.Content}), false
		}
	}
	return b.done()
}

// builder collects turns. While it does, results stand with their calls.
type builder struct {
	turns    []turn
	open     map[string]place // of calls without a result, by id
	pictures map[string][]Picture
	answered bool // the last turn has a result
}

type place struct{ turn, call int }

func (b *builder) call(c aaif.Call, carry canon.Value) {
	last := len(b.turns) - 1
	if last < 0 || b.turns[last].role != assistant || b.answered {
		b.turns, b.answered, last = append(b.turns, turn{role: assistant}), false, last+1
	}
	t := &b.turns[last]
	if len(t.calls) == 0 {
		t.carry = carry
	}
	b.open[c.ID] = place{last, len(t.calls)}
	t.calls, t.results, t.pictures = append(t.calls, c), append(t.results, noResult), append(t.pictures, nil)
}

func (b *builder) result(id, content string) {
	at := b.open[id]
	delete(b.open, id)
	b.turns[at.turn].results[at.call] = content
	b.turns[at.turn].pictures[at.call] = b.pictures[id]
	b.answered = b.answered || at.turn == len(b.turns)-1
}

// done returns the turns, results in turns of their own.
func (b *builder) done() []turn {
	var all []turn
	for _, t := range b.turns {
		results, pictures := t.results, t.pictures
		t.results, t.pictures = nil, nil
		all = append(all, t)
		if len(t.calls) > 0 {
			all = append(all, turn{role: tool, calls: t.calls, results: results, pictures: pictures})
		}
	}
	return all
}

// fromUser returns turns for a provider to which the user speaks first, without those of the
// system, and the texts of the latter. A conversation whose beginning was cut off gets one.
func fromUser(turns []turn) (rest []turn, instructions []string) {
	for _, t := range turns {
		if t.role == system {
			instructions = append(instructions, t.text)
			continue
		}
		if len(rest) == 0 && t.role != user {
			rest = append(rest, turn{role: user, text: "[earlier messages are left out]"})
		}
		rest = append(rest, t)
	}
	return rest, instructions
}

// shortID returns an id in at most most letters and digits, and itself if it is one. extra
// are further characters that are allowed.
func shortID(id string, most int, exact bool, extra string) string {
	fits := id != "" && len(id) <= most && (!exact || len(id) == most)
	for _, c := range []byte(id) {
		plain := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		fits = fits && (plain || slices.Contains([]byte(extra), c))
	}
	if fits {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])[:most]
}

// alternating returns messages of two roles that alternate, as some providers want them:
// turns of one role in a row are one message, which has their parts as content.
func alternating(turns []turn, speaker, content string, parts func(turn) []canon.Value) canon.Value {
	type message struct {
		role  string
		parts []canon.Value
	}
	var all []message
	for _, t := range turns {
		role := user
		if t.role == assistant {
			role = speaker
		}
		if len(all) == 0 || all[len(all)-1].role != role {
			all = append(all, message{role: role})
		}
		last := &all[len(all)-1]
		last.parts = append(last.parts, parts(t)...)
	}
	var list []canon.Value
	for _, m := range all {
		list = append(list, canon.Object(words("role", m.role), member(content, canon.Array(m.parts...))))
	}
	return canon.Array(list...)
}
