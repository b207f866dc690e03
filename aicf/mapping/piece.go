package mapping

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aicf"
)

// piece is the part of a file that one record stands for: an entry, or one key of a state
// for the user or the app.
type piece struct {
	entry aicf.Entry
	name  string     // for links, vectors and carried records; empty: they cannot name it
	pair  *aicf.Pair // nil: the whole entry
	scope aicf.Word  // of the pair
	raw   string     // its lines, without numbers; empty: it has none of its own
	anew  bool       // its content differs from its lines
	lined bool       // its lines are no entry of the format
	at    time.Time  // dates it, if it is lined; zero: nothing in its section does
}

// Owners of lines without a piece.
const (
	nobody  = -1 // between the pieces
	dropped = -2 // for this turn only
)

// entryPieces is the pieces of an entry, and the owner of each line.
type entryPieces struct {
	pieces []piece
	owners []int // for each line a piece, or nobody; nil: the first piece owns all
}

// piecesOf splits an entry into pieces; name is the entry's name.
func piecesOf(e aicf.Entry, name string) entryPieces {
	if all, ok := linePieces(e, name); ok {
		return all
	}
	s, ok := e.(*aicf.State)
	switch {
	case !ok:
		return entryPieces{pieces: renderPieces([]piece{{entry: e, name: name, raw: e.Place().Raw}})}
	case isMade(s):
		return entryPieces{pieces: exportedPairs(s)}
	case s.Scope == aicf.ScopeTemp:
		return entryPieces{owners: slices.Repeat([]int{dropped}, strings.Count(s.Raw, "\n")+1)}
	}
	var all entryPieces
	lasting := conversationState(s)
	if s.Scope != aicf.ScopeUser && s.Scope != aicf.ScopeApp && (lasting.HasMembers() || len(lasting.Pairs) > 0 || len(s.Pairs) == 0) {
		all.pieces = append(all.pieces, piece{entry: lasting})
	}
	first, last := len(all.pieces), last(s)
	for i, p := range s.Pairs {
		if scope := p.Scope(s.Scope); (scope == aicf.ScopeUser || scope == aicf.ScopeApp) && last[p.Key] == i {
			all.pieces = append(all.pieces, piece{entry: s, name: p.KeyIn(scope), pair: &s.Pairs[i], scope: scope})
		}
	}
	if s.Raw == "" {
		renderPieces(all.pieces)
	} else {
		all.share(s, first)
	}
	return all
}

// renderPieces renders the lines of pieces from a dialect without lines.
func renderPieces(pieces []piece) []piece {
	for i, p := range pieces {
		if p.raw == "" && p.entry.Place().Line > 0 {
			if lines, ok := p.lines(); ok {
				pieces[i].raw = strings.Join(lines, "\n")
			}
		}
	}
	return pieces
}

// conversationState returns the part of a state that is about the conversation.
func conversationState(s *aicf.State) *aicf.State {
	own := *s
	own.Pairs = slices.DeleteFunc(slices.Clone(s.Pairs), func(p aicf.Pair) bool {
		scope := p.Scope(s.Scope)
		return scope == aicf.ScopeUser || scope == aicf.ScopeApp || scope == aicf.ScopeTemp
	})
	return &own
}

// share gives each line to its piece; pieces from first on are keys.
func (all *entryPieces) share(s *aicf.State, first int) {
	rest := nobody
	if first > 0 {
		rest = 0
	}
	keys := map[string]int{}
	for i, p := range all.pieces[first:] {
		keys[p.pair.Key] = first + i
	}
	lines := strings.Split(s.Raw, "\n")
	for _, text := range lines {
		owner := rest
		if p, ok := aicf.ParsePair(text); ok {
			switch p.Scope(s.Scope) {
			case aicf.ScopeTemp:
				owner = dropped
			case aicf.ScopeUser, aicf.ScopeApp:
				if key, ok := keys[p.Key]; ok {
					owner = key
				}
			}
		}
		all.owners = append(all.owners, owner)
	}
	if len(all.pieces) == 0 && slices.Contains(all.owners, dropped) {
		all.owners = slices.Repeat([]int{dropped}, len(lines)) // the entry has nothing else
	}
	own := make([][]string, len(all.pieces))
	for i, owner := range all.owners {
		if owner >= 0 {
			own[owner] = append(own[owner], lines[i])
		}
	}
	for i := range all.pieces {
		all.pieces[i].raw = strings.Join(own[i], "\n")
	}
}

// exportedPairs returns the keys of a state that an export made.
func exportedPairs(s *aicf.State) (pieces []piece) {
	last := last(s)
	for i, p := range s.Pairs {
		if strings.HasPrefix(p.Key, exportedKey) && last[p.Key] == i {
			pieces = append(pieces, piece{entry: s, name: p.Key, pair: &s.Pairs[i], scope: aicf.ScopeSession})
		}
	}
	return pieces
}

// last returns the index of the last pair of each key, the one that counts.
func last(s *aicf.State) map[string]int {
	places := make(map[string]int, len(s.Pairs))
	for i, p := range s.Pairs {
		places[p.Key] = i
	}
	return places
}

// isMade reports whether an export made the state because the format requires it.
func isMade(s *aicf.State) bool {
	return slices.ContainsFunc(s.Pairs, func(p aicf.Pair) bool { return p.Key == exportMark && p.Value == "true" })
}

// call returns the name by which a carried record refers to the piece.
func (p piece) call() string {
	if p.name != "" {
		return p.name
	}
	return "@" + p.section()
}

// section returns the section of the piece.
func (p piece) section() string {
	if p.pair != nil {
		return "STATE:" + string(p.scope)
	}
	switch e := p.entry.(type) {
	case *aicf.Carried:
		return ""
	case *aicf.Unknown:
		return e.Name
	}
	name, _ := aicf.Heading(p.entry)
	return name
}

// lines renders the piece; false: the format cannot hold it.
func (p piece) lines() ([]string, bool) {
	if p.lined {
		return slices.DeleteFunc(strings.Split(p.raw, "\n"), func(l string) bool { return l == "" }), true
	}
	if p.pair == nil {
		lines, err := aicf.Lines(p.entry)
		return lines, err == nil
	}
	line, err := aicf.Pair{Key: p.pair.KeyIn(p.scope), Value: p.pair.Value}.Line()
	return []string{line}, err == nil
}

// digest identifies a piece by its content.
func (p piece) digest() [sha256.Size]byte {
	lines, ok := p.lines()
	if !ok {
		lines = []string{p.raw}
	}
	return sha256.Sum256(fmt.Appendf(nil, "%s\n%s", p.section(), strings.Join(lines, "\n")))
}
