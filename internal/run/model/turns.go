package model

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

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

// turn is a message as providers understand it: an assistant's text with its calls, or all
// results of a turn's calls.
type turn struct {
	role    string
	text    string
	calls   []aaif.Call
	results []aaif.Message // in the order of the calls
	carry   canon.Value    // of the turn with the calls
}

// turnsOf puts the messages of a conversation together to turns. A result without a call,
// which every provider refuses, becomes a message of the user.
func turnsOf(r Request) []turn {
	var turns []turn
	open := map[string]int{} // calls without a result, and their turns
	for _, m := range r.Messages {
		last := len(turns) - 1
		call, isCall := m.Call()
		answers, known := open[m.CallID]
		switch {
		case isCall:
			if last < 0 || turns[last].role != assistant {
				turns, last = append(turns, turn{role: assistant}), last+1
			}
			if len(turns[last].calls) == 0 {
				turns[last].carry = r.Carry[call.ID]
			}
			turns[last].calls = append(turns[last].calls, call)
			open[call.ID] = last
		case m.Role == tool && known:
			delete(open, m.CallID)
			if turns[last].role != tool {
				turns, last = append(turns, turn{role: tool}), last+1
			}
			turns[last].results = append(turns[last].results, m)
			sortByCalls(turns[last].results, turns[answers].calls)
		case m.Role == tool:
			turns = append(turns, turn{role: user, text: "Result of the tool " + m.Tool + ": " + m.Content})
		case m.Content != "":
			turns = append(turns, turn{role: m.Role, text: m.Content})
		}
	}
	return turns
}

// sortByCalls puts results into the order of their calls: some wires have no ids.
func sortByCalls(results []aaif.Message, calls []aaif.Call) {
	at := func(id string) int {
		return slices.IndexFunc(calls, func(c aaif.Call) bool { return c.ID == id })
	}
	slices.SortStableFunc(results, func(a, b aaif.Message) int { return at(a.CallID) - at(b.CallID) })
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
