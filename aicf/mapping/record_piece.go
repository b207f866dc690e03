package mapping

import (
	"strings"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// The names of what an export makes because the format requires it.
const (
	exportedID     = "ump_export_"
	exportedKey    = "ump_"
	exportedAction = "ump_export"
	exportedFlow   = "export"
	exportMark     = "x_synthetic"
)

// newPiece returns the piece that says what a record says; false: there is none. A candidate
// is no fact, and a tombstone says nothing.
func newPiece(r memory.Record) (piece, bool) {
	residue := residueOf(r)
	if r.Lifecycle.Status.Or() != memory.Active || residue.Has(residueFile) {
		return piece{}, false
	}
	if p, ok := pieceOf(r, residue); ok {
		return p, true
	}
	text := printable(r.Body.Text)
	if strings.TrimSpace(text) == "" {
		return piece{}, false
	}
	if r.Kind == memory.Working {
		return workPiece(r, text), true
	}
	return insightPiece(r, text), true
}

// insightPiece returns the piece of a record whose text is an insight.
func insightPiece(r memory.Record, text string) piece {
	return piece{entry: &aicf.Insight{
		Text: text, Category: "GENERAL", Priority: priorityFor(r.Lifecycle.Salience), Confidence: confidenceFor(r.Lifecycle.Confidence),
		MemoryType: memoryTypeOf(r.Kind),
	}}
}

// workPiece returns the piece of a working memory: a key of the conversation's state, or of
// the user's without a conversation.
func workPiece(r memory.Record, text string) piece {
	p := piece{pair: &aicf.Pair{Key: exportedKey + short(r.ID), Value: text}, scope: aicf.ScopeSession}
	if r.Scope.User != "" && r.Scope.Session == "" {
		p.scope = aicf.ScopeUser
	}
	p.name = p.pair.KeyIn(p.scope)
	p.entry = &aicf.State{Scope: p.scope}
	return p
}

// printable removes the control characters that a line cannot have.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && !strings.ContainsRune("\t\n\r", r) {
			return -1
		}
		return r
	}, text)
}

// short returns a short form of an id: its beginning, if that is random.
func short(id memory.ID) string {
	const letters = 16
	rest := strings.TrimPrefix(string(id), idPrefix)
	if len(rest) >= 26 && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz234567") == "" {
		return rest[:letters]
	}
	return string(idOf(canon.String(string(id))))[len(idPrefix):][:letters]
}

// emptyEntry returns an entry of a section's kind; nil: the section makes no records.
func emptyEntry(section string) aicf.Entry {
	switch section {
	case "SESSION":
		return &aicf.Session{}
	case "CONVERSATION":
		return &aicf.Conversation{}
	case "STATE":
		return &aicf.State{}
	case "INSIGHTS":
		return &aicf.Insight{}
	case "DECISIONS":
		return &aicf.Decision{}
	case "CONSOLIDATION":
		return &aicf.Consolidation{}
	}
	return nil
}

// pieceOf returns the piece that a record came from, with later changes of the record;
// false: there is none, or it cannot hold them.
func pieceOf(r memory.Record, residue canon.Value) (piece, bool) {
	section := residue.Get(residueSection).Text()
	raw, _ := rawIn(residue)
	if residue.Get(residueLined).True() {
		return linedPiece(r, residue, raw)
	}
	if scope, ok := strings.CutPrefix(section, "STATE:"); ok {
		return pairPiece(r, residue, aicf.Word(scope), raw)
	}
	like := emptyEntry(section)
	if like == nil || raw == "" {
		return piece{}, false
	}
	e, ok := aicf.ParseEntry(raw, like)
	if !ok {
		return piece{}, false
	}
	p := piece{entry: e, raw: raw, name: residue.Get(residueID).Text()}
	before := p.digest()
	switch e := e.(type) {
	case *aicf.Insight:
		editInsight(e, r)
	case *aicf.Decision:
		ok = editDecision(e, r)
	}
	p.anew = p.digest() != before
	return p, ok
}

func editInsight(e *aicf.Insight, r memory.Record) {
	e.Text = changedText(e.Text, r.Body.Text)
	if kindOf(e.MemoryType) != r.Kind {
		e.MemoryType = memoryTypeOf(r.Kind)
	}
	e.Priority = levelFor(e.Priority, salienceOf, r.Lifecycle.Salience, priorityFor)
	e.Confidence = levelFor(e.Confidence, confidenceOf, r.Lifecycle.Confidence, confidenceFor)
}

func editDecision(e *aicf.Decision, r memory.Record) bool {
	if text := printable(r.Body.Text); text != decisionText(e) {
		what, why, found := strings.Cut(text, because)
		if !found || what == "" || why == "" {
			return false
		}
		e.Text, e.Rationale = what, why
	}
	if kindOf(e.MemoryType) != r.Kind {
		e.MemoryType = memoryTypeOf(r.Kind)
	}
	e.Impact = levelFor(e.Impact, salienceOf, r.Lifecycle.Salience, priorityFor)
	e.Confidence = levelFor(e.Confidence, confidenceOf, r.Lifecycle.Confidence, confidenceFor)
	return true
}

// changedText returns the present text, and the former one if the two differ only in
// characters that no line can have.
func changedText(was, is string) string {
	if is == was {
		return was
	}
	return printable(is)
}

// levelFor returns a level as spelled while the number still matches it.
func levelFor(was aicf.Word, scale map[aicf.Word]float64, n *float64, back func(*float64) aicf.Word) aicf.Word {
	if back(n) == back(onScale(scale, was)) {
		return was
	}
	return back(n)
}

// pairPiece returns the state key that a record came from.
func pairPiece(r memory.Record, residue canon.Value, scope aicf.Word, raw string) (piece, bool) {
	name := residue.Get(residueID).Text()
	pair, ok := aicf.ParsePair(raw[strings.LastIndexByte(raw, '\n')+1:]) // of several values the last counts
	if !ok {
		pair, raw = aicf.Pair{Key: name}, ""
	}
	if pair.Key == "" || scope != aicf.ScopeUser && scope != aicf.ScopeApp {
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
	p := piece{entry: &aicf.State{Scope: scope}, pair: &pair, scope: scope, name: name, raw: raw}
	if value = printable(value); value != pair.Value || raw == "" {
		pair.Value, pair.Raw, p.anew = value, "", true
	}
	return p, true
}
