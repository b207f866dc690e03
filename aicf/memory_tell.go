package aicf

import (
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// What an export makes for the sake of the format is named so, and marked.
const (
	exportedID     = "ump_export_"
	exportedKey    = "ump_"
	exportedAction = "ump_export"
	exportedFlow   = "export"
	exportMark     = "x_synthetic"
)

// telling returns the piece of a file that says what a record says; false: none does. A
// candidate is no fact, and a tombstone says nothing.
func telling(r memory.Record) (piece, bool) {
	residue := residueOf(r)
	if r.Lifecycle.Status.Or() != memory.Active || residue.Has(residueFile) {
		return piece{}, false
	}
	if p, ok := retelling(r, residue); ok {
		return p, true
	}
	text := sayable(r.Body.Text)
	if strings.TrimSpace(text) == "" {
		return piece{}, false
	}
	if r.Kind == memory.Working {
		return workPiece(r, text), true
	}
	return piece{entry: &Insight{
		Text: text, Category: "GENERAL", Priority: priorityFor(r.Lifecycle.Salience), Confidence: confidenceFor(r.Lifecycle.Confidence),
		MemoryType: memoryTypeOf(r.Kind),
	}}, true
}

// workPiece is what somebody is at: a key of the conversation's state, or of the user's
// where there is no conversation.
func workPiece(r memory.Record, text string) piece {
	p := piece{pair: &Pair{Key: exportedKey + short(r.ID), Value: text}, scope: ScopeSession}
	if r.Scope.User != "" && r.Scope.Session == "" {
		p.scope = ScopeUser
	}
	p.name = prefixed(*p.pair, p.scope)
	p.entry = &State{Scope: p.scope}
	return p
}

// sayable leaves out the control characters that no line has.
func sayable(text string) string {
	return strings.Map(func(r rune) rune {
		if control(r) && r != '\n' && r != '\r' {
			return -1
		}
		return r
	}, text)
}

// short is a short form of an id: its beginning where that is as good as random.
func short(id memory.ID) string {
	const letters = 16
	rest := strings.TrimPrefix(string(id), idPrefix)
	if len(rest) >= 26 && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz234567") == "" {
		return rest[:letters]
	}
	return string(idOf(canon.String(string(id))))[len(idPrefix):][:letters]
}

// likeOf returns an entry of the kind that stands in a section; nil: records come from none.
func likeOf(section string) Entry {
	switch section {
	case "SESSION":
		return &Session{}
	case "CONVERSATION":
		return &Conversation{}
	case "STATE":
		return &State{}
	case "INSIGHTS":
		return &Insight{}
	case "DECISIONS":
		return &Decision{}
	case "CONSOLIDATION":
		return &Consolidation{}
	}
	return nil
}

// retelling returns the piece that a record was read from, with what was changed in the
// record since; false: it was not read from one, or says something that it cannot.
func retelling(r memory.Record, residue canon.Value) (piece, bool) {
	section := residue.Get(residueSection).Text()
	raw, _ := rawIn(residue)
	if scope, ok := strings.CutPrefix(section, stateName+":"); ok {
		return retoldPair(r, residue, Word(scope), raw)
	}
	like := likeOf(section)
	if like == nil || raw == "" {
		return piece{}, false
	}
	e, ok := readRaw(Spec, raw, like)
	if !ok {
		return piece{}, false
	}
	p := piece{entry: e, raw: raw, name: residue.Get(residueID).Text()}
	before := p.digest()
	switch e := e.(type) {
	case *Insight:
		e.edit(r)
	case *Decision:
		ok = e.edit(r)
	}
	p.anew = p.digest() != before
	return p, ok
}

func (e *Insight) edit(r memory.Record) {
	e.Text = edited(e.Text, r.Body.Text)
	if kindOf(e.MemoryType) != r.Kind {
		e.MemoryType = memoryTypeOf(r.Kind)
	}
	e.Priority = rescaled(e.Priority, salienceOf, r.Lifecycle.Salience, priorityFor)
	e.Confidence = rescaled(e.Confidence, confidenceOf, r.Lifecycle.Confidence, confidenceFor)
}

func (e *Decision) edit(r memory.Record) bool {
	if text := sayable(r.Body.Text); text != decisionText(e) {
		what, why, found := strings.Cut(text, because)
		if !found || what == "" || why == "" {
			return false
		}
		e.Text, e.Rationale = what, why
	}
	if kindOf(e.MemoryType) != r.Kind {
		e.MemoryType = memoryTypeOf(r.Kind)
	}
	e.Impact = rescaled(e.Impact, salienceOf, r.Lifecycle.Salience, priorityFor)
	e.Confidence = rescaled(e.Confidence, confidenceOf, r.Lifecycle.Confidence, confidenceFor)
	return true
}

// edited returns a text as it is now, and as it was where nothing but what no line can
// have tells the two apart.
func edited(was, is string) string {
	if is == was {
		return was
	}
	return sayable(is)
}

// rescaled returns a level as it was spelled, while the number still says it.
func rescaled(was Word, scale map[Word]float64, n *float64, back func(*float64) Word) Word {
	if back(n) == back(onScale(scale, was)) {
		return was
	}
	return back(n)
}

// retoldPair returns the key of a state that a record was read from.
func retoldPair(r memory.Record, residue canon.Value, scope Word, raw string) (piece, bool) {
	name := residue.Get(residueID).Text()
	field, ok := splitField(raw[strings.LastIndexByte(raw, '\n')+1:]) // of several values the last counts
	pair := pairOf(field)
	if !ok {
		pair, raw = Pair{Key: name}, ""
	}
	if pair.Key == "" || scope != ScopeUser && scope != ScopeApp {
		return piece{}, false
	}
	before := pair.Name() + keyed
	if strings.HasPrefix(pair.Name(), exportedKey) {
		before = ""
	}
	value, found := strings.CutPrefix(r.Body.Text, before)
	if !found {
		return piece{}, false
	}
	p := piece{entry: &State{Scope: scope}, pair: &pair, scope: scope, name: name, raw: raw}
	if value = sayable(value); value != pair.Value || raw == "" {
		pair.Value, pair.Raw, p.anew = value, "", true
	}
	return p, true
}
