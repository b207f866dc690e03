package pages

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Judge decides what waits for the owner.
type Judge interface {
	// Waits lists what waits, oldest first.
	Waits(ctx context.Context, c memory.Caller) ([]Waiting, error)
	// Decide decides one thing or several, as one act. It fails with kind NotFound if one of
	// them does not wait any more. After a failure, undo names what was decided before it.
	Decide(ctx context.Context, c memory.Caller, d Decision) (undo string, err error)
}

// Waiting is one thing that waits.
type Waiting struct {
	ID      string
	Kind    WaitingKind
	About   string // what is corrected, in words
	Was     string // when it was proposed; of a version: what the others say
	Now     string // is now, if that is something else
	Becomes string
	By      string
	Source  string // the conversation or document
	Because string
	Memory  memory.ID // a fact's own page
	Rests   memory.ID // the memory in which it was found; empty: it is none
	At      time.Time
}

// WaitingKind says what it would become.
type WaitingKind string

// The kinds of what waits.
const (
	ACorrection WaitingKind = "correction"
	AFact       WaitingKind = "fact"
	ARule       WaitingKind = "rule"
	AVersion    WaitingKind = "version" // of several that hold
)

// Decision decides what waits.
type Decision struct {
	IDs     []string
	Confirm bool
	Text    string // instead of what one proposal says; empty: as proposed
}

const waitingPath = Root + "waiting"

// judgeHandler answers requests about what waits.
type judgeHandler struct{ *Handler }

// waitingRow is one thing that waits, in words.
type waitingRow struct {
	ID, Path, Kind, About, Now, By, Source, Because string
	Was, Becomes                                    []piece // marked where they differ
	Memory, Conversation                            string  // paths
	When                                            moment
	Final                                           bool     // it cannot be taken back
	Version                                         bool     // beside others that hold
	Lines                                           []string // that do the same as Confirm, for an owner who keeps their own key
}

// waitingWords are the kinds in an owner's words.
var waitingWords = map[WaitingKind]string{ACorrection: "Correction", AFact: "Found fact", ARule: "Rule for assistants", AVersion: "Version"}

func waitingRows(list []Waiting, now time.Time) []waitingRow {
	rows := make([]waitingRow, len(list))
	for i, w := range list {
		rows[i] = waitingRow{
			ID: w.ID, Path: waitingPath + "/" + url.PathEscape(w.ID), Kind: waitingWords[w.Kind], About: cut(w.About, 80), Now: cut(w.Now, rowText),
			By: cut(w.By, 80), Source: cut(w.Source, 120), Because: cut(w.Because, rowText), When: momentOf(w.At, now), Final: w.Kind == ARule, Version: w.Kind == AVersion,
			Becomes: difference(cut(w.Was, rowText), cut(w.Becomes, rowText)),
		}
		if w.Was != "" {
			rows[i].Was = difference(cut(w.Becomes, rowText), cut(w.Was, rowText))
		}
		if w.Rests != "" {
			rows[i].Conversation = memoryPath(w.Rests)
		}
		if w.Memory != "" {
			rows[i].Memory = memoryPath(w.Memory)
		}
	}
	return rows
}

// judged is what the buttons beside one thing need.
type judged struct {
	Row         waitingRow
	Token, Back string
}

func judgedOf(row waitingRow, token, back string) judged { return judged{row, token, back} }

// source is whom or what several things come from.
type source struct {
	Name  string
	Count int
}

// sourceOf names where a proposal comes from.
func sourceOf(w Waiting) string { return cmp.Or(w.Source, w.By) }

// sourcesOf counts things by their source, those with several alone.
func sourcesOf(list []Waiting) (several []source) {
	counts, order := map[string]int{}, []string{}
	for _, w := range list {
		name := sourceOf(w)
		if counts[name]++; counts[name] == 2 && name != "" {
			order = append(order, name)
		}
	}
	for _, name := range order {
		several = append(several, source{name, counts[name]})
	}
	return several
}

// waitingPage lists what waits.
type waitingPage struct {
	frame
	Count   int
	Rows    []waitingRow
	More    int
	Sources []source
	Wrong   string
}

// waiting lists what waits.
func (h judgeHandler) waiting(w http.ResponseWriter, r *http.Request, v visitor) {
	h.waitingList(w, r, v, http.StatusOK, "")
}

func (h judgeHandler) waitingList(w http.ResponseWriter, r *http.Request, v visitor, status int, wrong string) {
	list, err := h.backend.Waits(r.Context(), v.caller)
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	f := h.frame(r, v, "Waiting for you", "waiting")
	shown := list[:min(len(list), PageSize)]
	h.show(w, r, status, "waiting", waitingPage{frame: f, Count: len(list), Rows: h.withLines(r, v, waitingRows(shown, f.Now), shown), More: len(list) - len(shown), Sources: sourcesOf(list), Wrong: wrong})
}

// editPage confirms one thing with another text.
type editPage struct {
	frame
	Row   waitingRow
	Text  string
	Edits bool
	Wrong string
	Near  []row // what is remembered about the same
}

// nearShown is how many memories about the same a page shows.
const nearShown = 3

// waitingFor finds what waits under the id of a path.
func (h judgeHandler) waitingFor(r *http.Request, v visitor) (Waiting, error) {
	list, err := h.backend.Waits(r.Context(), v.caller)
	if err != nil {
		return Waiting{}, err
	}
	for _, one := range list {
		if one.ID == r.PathValue("id") {
			return one, nil
		}
	}
	return Waiting{}, &memory.Error{Kind: memory.NotFound}
}

// editWaiting shows one thing that waits, and its text to be changed.
func (h judgeHandler) editWaiting(w http.ResponseWriter, r *http.Request, v visitor) {
	h.editForm(w, r, v, http.StatusOK, "", "")
}

func (h judgeHandler) editForm(w http.ResponseWriter, r *http.Request, v visitor, status int, text, wrong string) {
	one, err := h.waitingFor(r, v)
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	hits, _, err := h.backend.Search(r.Context(), v.caller, memory.Query{Text: cut(one.Becomes, rowText), Limit: nearShown})
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	f := h.frame(r, v, "Waiting for you", "waiting")
	p := editPage{frame: f, Row: h.withLines(r, v, waitingRows([]Waiting{one}, f.Now), []Waiting{one})[0], Text: cmp.Or(text, one.Becomes), Edits: one.Kind != ARule, Wrong: wrong}
	for _, hit := range hits {
		p.Near = append(p.Near, rowOf(hit.Record, f.Now))
	}
	h.show(w, r, status, "edit", p)
}

// decide confirms or rejects one thing.
func (h judgeHandler) decide(w http.ResponseWriter, r *http.Request, v visitor) {
	act, text := r.PostForm.Get("act"), typed(r.PostForm, "text")
	if act != "confirm" && act != "reject" {
		h.fail(w, r, v, invalid("a decision is confirm or reject"))
		return
	}
	if act == "confirm" && v.keepsKey {
		one, err := h.waitingFor(r, v)
		if err != nil || one.Kind != ARule {
			h.editForm(w, r, v, http.StatusConflict, text, "")
			return
		}
	}
	if r.PostForm.Has("text") && act == "confirm" {
		if wrong := wrongText(text); wrong != "" {
			h.editForm(w, r, v, http.StatusBadRequest, text, wrong)
			return
		}
	}
	undo, err := h.backend.Decide(r.Context(), v.caller, Decision{IDs: []string{r.PathValue("id")}, Confirm: act == "confirm", Text: text})
	if memory.KindOf(err) == memory.InvalidRecord {
		h.editForm(w, r, v, http.StatusBadRequest, text, capital(sentence(messageOf(err), "This text cannot be kept.")))
		return
	}
	h.decided(w, r, v, act, undo, err)
}

// decided leads back to where a decision was made.
func (h judgeHandler) decided(w http.ResponseWriter, r *http.Request, v visitor, act, undo string, err error) {
	back := waitingPath
	if r.PostForm.Get("back") == "home" {
		back = Root
	}
	switch kind := memory.KindOf(err); {
	case err != nil && undo != "":
		h.done(w, r, back, "partly", undo)
	case kind == memory.NotFound:
		h.done(w, r, back, "decided", "")
	case err != nil:
		h.fail(w, r, v, err)
	default:
		h.done(w, r, back, act+"ed", undo)
	}
}

// decideAll decides all of one source, if the number was typed that is shown.
func (h judgeHandler) decideAll(w http.ResponseWriter, r *http.Request, v visitor) {
	act, from := r.PostForm.Get("act"), r.PostForm.Get("source")
	list, err := h.backend.Waits(r.Context(), v.caller)
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	var ids []string
	for _, one := range list {
		if one.Kind != AVersion && sourceOf(one) == from { // of versions one has to be chosen
			ids = append(ids, one.ID)
		}
	}
	n, err := strconv.Atoi(typed(r.PostForm, "count"))
	switch {
	case act != "confirm" && act != "reject" || len(ids) == 0:
		h.fail(w, r, v, invalid("a decision is confirm or reject, and of things that wait"))
		return
	case act == "confirm" && v.keepsKey:
		h.waitingList(w, r, v, http.StatusConflict, "You keep your own key: confirm each by its lines below. Nothing was decided.")
		return
	case err != nil || n != len(ids):
		h.waitingList(w, r, v, http.StatusBadRequest, "To decide all of one source, type their number: "+strconv.Itoa(len(ids))+". Nothing was decided.")
		return
	}
	undo, err := h.backend.Decide(r.Context(), v.caller, Decision{IDs: ids, Confirm: act == "confirm"})
	h.decided(w, r, v, act, undo, err)
}
