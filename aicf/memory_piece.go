package aicf

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// piece is what one record stands for in a file: an entry, or one key of a state that is
// kept for the user or the app.
type piece struct {
	entry Entry
	name  string // by which links, vectors and records that ride along call it; empty: they cannot
	pair  *Pair  // nil: the entry as a whole
	scope Word   // of the pair
	raw   string // its lines, without numbers; empty: it has none of its own
	anew  bool   // it says something else than the lines do
}

// Owners of lines that no piece has.
const (
	nobody  = -1 // they stand between the pieces
	dropped = -2 // they are of this turn only
)

// division is the pieces of an entry, and whose each of its lines is.
type division struct {
	pieces []piece
	owners []int // of each line: a piece, or nobody; nil: all are those of the first piece
}

// partsOf parts an entry that goes by a name.
func partsOf(e Entry, name string) division {
	s, ok := e.(*State)
	switch {
	case !ok:
		return division{pieces: rendered([]piece{{entry: e, name: name, raw: e.Place().Raw}})}
	case s.made():
		return division{pieces: exportedPairs(s)}
	case s.Scope == ScopeTemp:
		return division{owners: slices.Repeat([]int{dropped}, strings.Count(s.Raw, "\n")+1)}
	}
	var all division
	lasting := s.lasting()
	if s.Scope != ScopeUser && s.Scope != ScopeApp && (lasting.standard() || len(lasting.Pairs) > 0 || len(s.Pairs) == 0) {
		all.pieces = append(all.pieces, piece{entry: lasting})
	}
	first, last := len(all.pieces), s.last()
	for i, p := range s.Pairs {
		if scope := p.Scope(s.Scope); (scope == ScopeUser || scope == ScopeApp) && last[p.Key] == i {
			all.pieces = append(all.pieces, piece{entry: s, name: prefixed(p, scope), pair: &s.Pairs[i], scope: scope})
		}
	}
	if s.Raw == "" {
		rendered(all.pieces)
	} else {
		all.share(s, first)
	}
	return all
}

// rendered gives pieces lines that have none, since they come from a dialect without.
func rendered(pieces []piece) []piece {
	for i, p := range pieces {
		if p.raw == "" && p.entry.Place().Line > 0 {
			if lines, ok := p.lines(); ok {
				pieces[i].raw = strings.Join(lines, "\n")
			}
		}
	}
	return pieces
}

// lasting is what a state says of the conversation.
func (s *State) lasting() *State {
	own := *s
	own.Pairs = slices.DeleteFunc(slices.Clone(s.Pairs), func(p Pair) bool {
		scope := p.Scope(s.Scope)
		return scope == ScopeUser || scope == ScopeApp || scope == ScopeTemp
	})
	return &own
}

// share gives each line to the piece that it says; pieces from first on are keys.
func (all *division) share(s *State, first int) {
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
		if field, ok := splitField(text); ok {
			p := Pair{Key: field.Key}
			switch p.Scope(s.Scope) {
			case ScopeTemp:
				owner = dropped
			case ScopeUser, ScopeApp:
				if key, ok := keys[field.Key]; ok {
					owner = key
				}
			}
		}
		all.owners = append(all.owners, owner)
	}
	if len(all.pieces) == 0 && slices.Contains(all.owners, dropped) {
		all.owners = slices.Repeat([]int{dropped}, len(lines)) // nothing else is in it
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

// exportedPairs are the keys of a state that an export made.
func exportedPairs(s *State) (pieces []piece) {
	last := s.last()
	for i, p := range s.Pairs {
		if strings.HasPrefix(p.Key, exportedKey) && last[p.Key] == i {
			pieces = append(pieces, piece{entry: s, name: p.Key, pair: &s.Pairs[i], scope: ScopeSession})
		}
	}
	return pieces
}

// last returns the places of the pairs that are the last with their key, which count
//
func (s *State) last() map[string]int {
	places := make(map[string]int, len(s.Pairs))
	for i, p := range s.Pairs {
		places[p.Key] = i
	}
	return places
}

// made reports whether an export made the state for the sake of the format.
func (s *State) made() bool {
	return slices.ContainsFunc(s.Pairs, func(p Pair) bool { return p.Key == exportMark && p.Value == "true" })
}

// call is how a record that rides along names the piece.
func (p piece) call() string {
	if p.name != "" {
		return p.name
	}
	return "@" + p.section()
}

// section names where the piece stands.
func (p piece) section() string {
	if p.pair != nil {
		return stateName + ":" + string(p.scope)
	}
	if _, ok := p.entry.(*State); ok {
		return stateName
	}
	if name := listOf(p.entry); name != "" {
		return name
	}
	name, _, _ := strings.Cut(sectionOf(p.entry), " ")
	return name
}

// lines renders the piece anew; false: the format cannot say it.
func (p piece) lines() ([]string, bool) {
	s := &sheet{}
	switch e := p.entry.(type) {
	case *State:
		if p.pair == nil {
			s.state(e, e.Scope, e.Pairs)
			break
		}
		pair := *p.pair
		pair.Key, pair.Raw = prefixed(pair, p.scope), ""
		s.pair(pair)
	default:
		s.entry(e)
	}
	return s.lines, s.err == nil
}

// digest tells pieces apart by what they say.
func (p piece) digest() [sha256.Size]byte {
	lines, ok := p.lines()
	if !ok {
		lines = []string{p.raw}
	}
	return sha256.Sum256(fmt.Appendf(nil, "%s\n%s", p.section(), strings.Join(lines, "\n")))
}
