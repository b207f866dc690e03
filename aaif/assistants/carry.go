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

// The limits of metadata (AAIF-11-6).
const (
	carryKey   = "x-aaif"
	mostPieces = 16  // no other name is used
	longest    = 512 // characters of a piece
)

// pieceKey returns the name of a piece.
func pieceKey(i int) string {
	if i == 0 {
		return carryKey
	}
	return carryKey + "." + strconv.Itoa(i)
}

// length counts characters in UTF-16, the largest way of counting.
func length(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// metadata returns the metadata of a summary and the rest of a definition, which is cut
// into pieces. ok is false if there are too many.
func metadata(summary, rest canon.Value) (all canon.Value, ok bool) {
	text, pieces := "", 0
	if rest.Type() != canon.TypeUndefined {
		text = string(rest.Append(nil))
	}
	for ; text != ""; pieces++ {
		if pieces+1 == mostPieces {
			return canon.Value{}, false
		}
		piece := cut(canon.String(text), longest).Text()
		all = all.With(pieceKey(pieces+1), canon.String(piece))
		text = text[len(piece):]
	}
	if summary = summary.Without(piecesKey); pieces > 0 {
		summary = summary.With(piecesKey, canon.Int(int64(pieces)))
	}
	first := member(carryKey, canon.String(string(summary.Append(nil))))
	return canon.Object(append([]canon.Member{first}, all.Members()...)...), true
}

// carried is the content of metadata.
type carried struct {
	part   canon.Value // of a definition; undefined: none
	pieces int         // the number of members that hold it
	theirs bool        // it is no more than a summary
}

// carriedPart returns the part of a definition in metadata. It refuses incomplete pieces,
// since the missing ones may hold the rules of the agent (AAIF-3-4, AAIF-12-6).
func carriedPart(meta canon.Value) (c carried, err error) {
	var texts []string
	for meta.Get(pieceKey(len(texts))).Type() == canon.TypeString {
		texts = append(texts, meta.Get(pieceKey(len(texts))).Text())
	}
	named := 0
	for _, m := range meta.Members() {
		if m.Name == carryKey || strings.HasPrefix(m.Name, carryKey+".") {
			named++
		}
	}
	if named == 0 {
		return carried{}, nil
	}
	c.pieces = len(texts)
	if named == 1 && strings.TrimSpace(meta.Get(carryKey).Text()) == "{}" {
		return carried{pieces: 1}, nil // as much as nothing
	}
	if named == c.pieces {
		c.part, c.theirs, err = partOf(texts)
	}
	if named != c.pieces || err != nil || c.part.Type() != canon.TypeObject || c.part.Len() == 0 {
		return carried{}, exchange.Refuse(format, "3-4", "/metadata", aaif.Incomplete,
			"the definition that the members x-aaif, x-aaif.1 and so on carry is not whole: constraints and compliance may be among what is missing; take the assistant as it was written, or remove these members to convert what is left")
	}
	return c, nil
}

// partOf returns the part that pieces hold: the summary, if there is no more; what follows
// the summary; or, in earlier assistants, all pieces together.
func partOf(texts []string) (part canon.Value, theirs bool, err error) {
	first, err := aaif.FromJSON([]byte(texts[0]), aaif.ReadOptions{})
	switch {
	case err != nil:
		part, err = aaif.FromJSON([]byte(strings.Join(texts, "")), aaif.ReadOptions{})
		return part, false, err
	case !first.Has(piecesKey) && len(texts) == 1:
		return fromSummary(first), isSummary(first), nil
	case first.Get(piecesKey).Type() != canon.TypeNumber || first.Get(piecesKey).Float() != float64(len(texts)-1):
		return canon.Value{}, false, nil
	}
	if part, err = aaif.FromJSON([]byte(strings.Join(texts[1:], "")), aaif.ReadOptions{}); err == nil {
		part = withSummary(part, fromSummary(first.Without(piecesKey)))
	}
	return part, false, err
}

// sumKey holds the SHA-256 of the canonical form of the carried part's definition, in
// hexadecimal. Only signed definitions have it.
const sumKey = "x-aaif-carried"

// sum returns the value of sumKey.
func sum(v canon.Value) canon.Value {
	digest := sha256.Sum256(v.AppendCanonical(nil))
	return canon.String(hex.EncodeToString(digest[:]))
}

// partThatFits returns as much of a part as metadata hold beside a [cutNote], and the
// pointers of the rest. Lists keep their beginning, except tools.
func partThatFits(part canon.Value) (fits canon.Value, over []string) {
	fits = canon.Object(
		member("sc_standard", canon.String(aaif.StandardID)),
		member(cutKey, canon.String(strings.Repeat("x", longestCutNote))))
	full := map[string]bool{}
	for _, u := range units(part) {
		own := length(string(u.value.Append(nil)))
		if !full[u.list] && own < (mostPieces-1)*longest-length(string(fits.Append(nil))) {
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
	_, ok := metadata(canon.Value{}, part)
	return ok
}

// unit is a member or item that fits as a whole or not.
type unit struct {
	pointer string
	list    string // the list in agent whose item it is
	value   canon.Value
	into    func(canon.Value) canon.Value // adds the unit to a part
}

// units takes a part apart, in order of importance: identity, then rules that must not be
// dropped silently (small ones first), then the members of every definition, then the
// rest.
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
		case "model": // says who sees the agent's data
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

// ofAgent returns a member of agent, or the items of a list.
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

// inside returns the members of an object in agent.
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
