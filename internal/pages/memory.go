package pages

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// memoryPage is what the page of one memory shows.
type memoryPage struct {
	frame
	Memory
	Row      row
	Part     string // of the text
	Number   int    // of Part, from 1
	Parts    int
	Previous string
	Next     string
	Hidden   int // characters of the text that nobody sees
	Why      string
	Source   string
	Evidence []string
	Sees     string
	True     string // from when to when it is true
	From     moment
	Until    moment
	Retained string
	Versions []version
	Links    []relation
	Proof    mark
	ProofSay string
	Whole    string // the whole id
	Document string // indented JSON; empty: it is long
	RawPath  string
	Readers  readersPart
	Seen     seenForm
	Commands []string
	Lines    []string   // that change it, for an owner who keeps their own key
	Changes  bool       // it is in force
	Gone     bool       // it is forgotten
	Judges   bool       // it waits:
	Waits    waitingRow // as what
	Undo     string     // the act that can be taken back
}

// version is one of the texts that a memory had.
type version struct {
	row
	Here    bool
	Changed []piece // marked where it differs from the version before
}

// relation is a link from a memory.
type relation struct{ Word, Text, Path string }

// mostDocument is the most bytes of a document that the page itself shows.
const mostDocument = 16 << 10

// memory shows one memory. A short name leads to the page of the whole one.
func (h *Handler) memory(w http.ResponseWriter, r *http.Request, v visitor) {
	id, err := h.backend.Find(r.Context(), v.caller, r.PathValue("id"))
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	if string(id) != memory.IDPrefix+r.PathValue("id") && memoryPath(id) != r.URL.EscapedPath() {
		http.Redirect(w, r, memoryPath(id), http.StatusSeeOther)
		return
	}
	m, err := h.backend.Memory(r.Context(), v.caller, id)
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	p := memoryPage{frame: h.frame(r, v, cut(oneLine(m.Body.Text), 60), "memories"), Memory: m}
	if !p.turn(r.URL.Query().Get("part")) {
		h.fail(w, r, v, &memory.Error{Kind: memory.NotFound})
		return
	}
	if p.Readers, _, err = (watchHandler{h}).readersOf(r, v, id, p.Now.Add(watchedFor)); err != nil {
		h.fail(w, r, v, err)
		return
	}
	p.fill()
	if err := p.settle(h, r, v); err != nil {
		h.fail(w, r, v, err)
		return
	}
	h.show(w, r, http.StatusOK, "memory", p)
}

// turn chooses the page of the text that the address names. It reports false if the text
// has no such page.
func (p *memoryPage) turn(asked string) bool {
	all := parts(p.Body.Text)
	p.Number, p.Parts = 1, len(all)
	if asked != "" {
		n, err := strconv.Atoi(asked)
		if err != nil || n < 1 || n > len(all) {
			return false
		}
		p.Number = n
	}
	p.Part = all[p.Number-1]
	path := memoryPath(p.ID)
	if p.Number > 1 {
		p.Previous = pathWith(path, "part", strconv.Itoa(p.Number-1))
	}
	if p.Number < p.Parts {
		p.Next = pathWith(path, "part", strconv.Itoa(p.Number+1))
	}
	return true
}

// fill puts everything about the memory in words.
func (p *memoryPage) fill() {
	rec := p.Record
	p.Row, p.Hidden = rowOf(rec, p.Now), unseen(rec.Body.Text)
	p.Seen = seenFormOf(p.frame, rec)
	p.Why, p.Sees, p.Whole, p.RawPath = bySentence(rec), whoSees(rec), string(rec.ID), memoryPath(rec.ID)+"/raw"
	if s := rec.Provenance; s != nil {
		if s.Source != nil && !strings.HasPrefix(s.Source.Ref, memory.IDPrefix) { // the versions show that
			p.Source = cut(strings.Trim(s.Source.Provider+" · "+s.Source.Ref, " ·"), 200)
		}
		for _, e := range s.Evidence {
			p.Evidence = append(p.Evidence, cut(e.Ref, 200))
		}
	}
	p.From, p.Until = momentOf(rec.Time.From(), p.Now), momentOf(rec.Time.ValidTo, p.Now)
	if rec.Consent != nil {
		p.Retained = rec.Consent.Retention
	}
	p.Versions, p.Links = versionsOf(p.Memory, p.Now), linksOf(p.Related)
	p.Proof, p.ProofSay = proofOf(p.Signature)
	if form := rec.Form(); len(form) <= mostDocument {
		var b bytes.Buffer
		if json.Indent(&b, form, "", "  ") == nil {
			p.Document = b.String()
		}
	}
	p.Commands = []string{command("get", p.Short), command("history", p.Short), command("audit", "reads", "--memory", p.Short)}
	if inForce(rec) {
		p.Commands = append(p.Commands, command("revise", p.Short, "'…'"), command("forget", p.Short))
	}
}

// GraphPath is the page of what is around the memory.
func (p memoryPage) GraphPath() string {
	return Root + "graph/" + strings.TrimPrefix(string(p.ID), memory.IDPrefix)
}

// TimelinePath is the page of how the memory changed.
func (p memoryPage) TimelinePath() string {
	return pathWith(Root+"timeline", "subject", strings.TrimPrefix(string(p.ID), memory.IDPrefix))
}

// settle adds what can be done with the memory.
func (p *memoryPage) settle(h *Handler, r *http.Request, v visitor) (err error) {
	switch p.Lifecycle.Status.Or() {
	case memory.Candidate:
		waits, err := h.backend.Waits(r.Context(), v.caller)
		if err != nil {
			return err
		}
		for _, one := range waits {
			if one.Memory == p.ID {
				p.Judges, p.Waits = true, h.withLines(r, v, waitingRows([]Waiting{one}, p.Now), []Waiting{one})[0]
				p.Waits.Memory = "" // it is here
			}
		}
	case memory.Tombstoned:
		p.Gone = true
		p.Undo, err = h.backend.LastAct(r.Context(), v.caller, p.ID)
	default:
		p.Changes = inForce(p.Record)
		if p.Changes && v.keepsKey {
			p.addLines(h, r)
		}
	}
	return err
}

// addLines adds the lines that change the memory on the machine of its owner's key.
func (p *memoryPage) addLines(h *Handler, r *http.Request) {
	to := memory.Private
	if !p.Seen.Open {
		to = memory.Shared
	}
	p.Seen.Show = false
	p.Lines = append(h.correctLines(r).Lines, h.visibilityLine(r, p.ID, to))
}

// versionsOf lists the versions of a memory, newest first, if there are several.
func versionsOf(m Memory, now time.Time) []version {
	if len(m.Versions) < 2 {
		return nil
	}
	all := make([]version, 0, len(m.Versions))
	for i := len(m.Versions) - 1; i >= 0; i-- {
		rec := m.Versions[i]
		v := version{row: rowOf(rec, now), Here: rec.ID == m.ID}
		before := ""
		if i > 0 {
			before = cut(m.Versions[i-1].Body.Text, rowText)
		}
		v.Changed = difference(before, v.Text)
		all = append(all, v)
	}
	return all
}

// relationWords are the types of links in an owner's words.
var relationWords = map[string]string{
	memory.About: "about", memory.Contradicts: "contradicts", memory.DependsOn: "makes sense only with",
	memory.DerivedFrom: "concluded from", memory.DuplicateOf: "says the same as",
}

func linksOf(related []Relation) (all []relation) {
	for _, r := range related {
		l := relation{Word: relationWords[r.Type], Text: cut(r.Text, 160)}
		if l.Word == "" {
			l.Word = cut(strings.ReplaceAll(r.Type, "_", " "), 40)
		}
		if r.Text == "" {
			l.Text = cut(strings.TrimPrefix(r.Target, "entity:"), 160)
		} else {
			l.Path = memoryPath(memory.ID(r.Target))
		}
		all = append(all, l)
	}
	return all
}

// proofOf says whether a memory is as its owner signed it.
func proofOf(s Signature) (mark, string) {
	switch s {
	case Signed:
		return mark{"signed", "good"}, "It is exactly what was signed with your key."
	case Broken:
		return mark{"changed", "bad"}, "It is not what was signed: somebody changed it. Run satchel doctor."
	}
	return mark{"not signed", "plain"}, "Nobody signed it."
}

// raw sends the document of a memory as it lies in the store.
func (h *Handler) raw(w http.ResponseWriter, r *http.Request, v visitor) {
	id, err := h.backend.Find(r.Context(), v.caller, r.PathValue("id"))
	var m Memory
	if err == nil {
		m, err = h.backend.Memory(r.Context(), v.caller, id)
	}
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(m.Form())))
	if r.Method != http.MethodHead {
		_, _ = w.Write(m.Form()) // the client has gone; nobody reads an error
	}
}

// oneLine returns a text with single blanks for all gaps.
func oneLine(text string) string { return strings.Join(strings.Fields(cut(text, rowText)), " ") }
