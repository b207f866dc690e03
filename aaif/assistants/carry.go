package assistants

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/canon"
)

// What metadata take (AAIF-11-6).
const (
	carryKey   = "x-aaif"
	mostPieces = 16  // and no other name
	longest    = 512 // characters of a piece
)

// pieceKey returns the name of a piece.
func pieceKey(i int) string {
	if i == 0 {
		return carryKey
	}
	return carryKey + "." + strconv.Itoa(i)
}

// length counts characters as UTF-16 has them, which is no less than any other way.
func length(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// metadata cuts a part of a definition into pieces. ok is false when it takes too many.
func metadata(part canon.Value) (all canon.Value, ok bool) {
	rest := string(part.Append(nil))
	for i := 0; rest != ""; i++ {
		if i == mostPieces {
			return canon.Value{}, false
		}
		piece := cut(canon.String(rest), longest).Text()
		all = all.With(pieceKey(i), canon.String(piece))
		rest = rest[len(piece):]
	}
	return all, true
}

// carried returns the part of a definition that metadata hold, and how many pieces it has:
// none where nothing is carried. Pieces that are not whole are refused: what is missing may
// be what an agent is held to, and nobody could tell (AAIF-3-4, AAIF-12-6).
func carried(meta canon.Value) (part canon.Value, pieces int, err error) {
	var b strings.Builder
	for ; meta.Get(pieceKey(pieces)).Type() == canon.TypeString; pieces++ {
		b.WriteString(meta.Get(pieceKey(pieces)).Text())
	}
	named := 0
	for _, m := range meta.Members() {
		if m.Name == carryKey || strings.HasPrefix(m.Name, carryKey+".") {
			named++
		}
	}
	if named == 0 {
		return canon.Value{}, 0, nil
	}
	part, err = aaif.FromJSON([]byte(b.String()), aaif.ReadOptions{})
	if named != pieces || err != nil || part.Type() != canon.TypeObject || part.Len() == 0 {
		return canon.Value{}, 0, exchange.Refuse(format, "3-4", "/metadata", aaif.Incomplete,
			"the definition that the members x-aaif, x-aaif.1 and so on carry is not whole: constraints and compliance may be among what is missing; take the assistant as it was written, or remove these members to convert what is left")
	}
	return part, pieces, nil
}

// sumKey names what a carried part says of the definition that it is of: the SHA-256 of
// its canonical form, in hexadecimal. Only of one that is signed it says that.
const sumKey = "x-aaif-carried"

// sum returns what sumKey stands for.
func sum(v canon.Value) canon.Value {
	digest := sha256.Sum256(v.AppendCanonical(nil))
	return canon.String(hex.EncodeToString(digest[:]))
}

// fitting returns as much of a part as metadata take beside a [mark], for which it has
// room, and the pointers of what they do not. What is left of a list is its beginning,
// except of tools.
func fitting(part canon.Value) (fits canon.Value, over []string) {
	fits = canon.Object(
		member("sc_standard", canon.String(aaif.StandardID)),
		member(markKey, canon.String(strings.Repeat("x", longestMark))))
	full := map[string]bool{}
	for _, u := range units(part) {
		own := length(string(u.value.Append(nil)))
		if !full[u.list] && own < mostPieces*longest-length(string(fits.Append(nil))) {
			if more := u.into(fits); fitsIn(more) {
				fits = more
				continue
			}
		}
		full[u.list] = u.list != "" && u.list != "tools"
		over = append(over, u.pointer)
	}
	return fits, over
}

func fitsIn(part canon.Value) bool {
	_, ok := metadata(part)
	return ok
}

// unit is something that fits as a whole or not.
type unit struct {
	pointer string
	list    string // of agent, of which it is an item
	value   canon.Value
	into    func(canon.Value) canon.Value // adds it to a part
}

// units takes a part apart, what matters most first: whose it is, what must not be dropped
// in silence, of which the small comes first, and what every definition has.
func units(part canon.Value) []unit {
	var all [6][]unit
	for _, m := range part.Members() {
		if m.Name != "agent" && m.Name != "sc_standard" {
			i := 5
			if m.Name == "agent_id" {
				i = 0
			}
			all[i] = append(all[i], unit{canon.Pointer(m.Name), "", m.Value, func(v canon.Value) canon.Value { return v.With(m.Name, m.Value) }})
		}
	}
	for _, m := range part.Get("agent").Members() {
		switch m.Name {
		case "compliance":
			all[1] = append(all[1], inside(m)...)
		case "model": // who sees what the agent is told
			all[2] = append(all[2], inside(m)...)
		case "constraints":
			all[3] = append(all[3], ofAgent(m)...)
		case "name", "goal":
			all[4] = append(all[4], ofAgent(m)...)
		default:
			all[5] = append(all[5], ofAgent(m)...)
		}
	}
	return slices.Concat(all[:]...)
}

// ofAgent returns a member of agent, or the items of one that is a list.
func ofAgent(m canon.Member) []unit {
	at := canon.Pointer("agent", m.Name)
	agent := func(v, val canon.Value) canon.Value { return v.With("agent", v.Get("agent").With(m.Name, val)) }
	if m.Value.Type() != canon.TypeArray || m.Value.Len() == 0 {
		return []unit{{at, "", m.Value, func(v canon.Value) canon.Value { return agent(v, m.Value) }}}
	}
	var list []unit
	for i, item := range m.Value.Items() {
		list = append(list, unit{at + "/" + strconv.Itoa(i), m.Name, item, func(v canon.Value) canon.Value {
			had := v.Get("agent").Get(m.Name)
			return agent(v, had.WithItem(had.Len(), item))
		}})
	}
	return list
}

// inside returns the members of a member of agent that is an object.
func inside(of canon.Member) []unit {
	if of.Value.Type() != canon.TypeObject || of.Value.Len() == 0 {
		return ofAgent(of)
	}
	var list []unit
	for _, m := range of.Value.Members() {
		list = append(list, unit{canon.Pointer("agent", of.Name, m.Name), "", m.Value, func(v canon.Value) canon.Value {
			agent := v.Get("agent")
			return v.With("agent", agent.With(of.Name, agent.Get(of.Name).With(m.Name, m.Value)))
		}})
	}
	return list
}
