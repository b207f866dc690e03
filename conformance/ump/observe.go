package umpsuite

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// observed collects the evidence of all answers, for the rules that every answer must keep.
// The late rows read it.
type observed struct {
	faults    map[string][]string // by row, a few each
	strangers []string            // members that the specification does not name
	before    []string            // unnamed members and broken rules in records that the run did not write
	signals   map[string]bool
	records   int
	hits      int
	secrets   []string // words that no error message may repeat
}

func newObserved() observed {
	return observed{faults: map[string][]string{}, signals: map[string]bool{}}
}

// maxFaults is the most faults kept for a row.
const maxFaults = 3

// blame notes a fault for a row.
func (o *observed) blame(id, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if list := o.faults[id]; len(list) < maxFaults && !slices.Contains(list, text) {
		o.faults[id] = append(list, text)
	}
}

// verdict returns the noted faults of a row.
func (o *observed) verdict(id string) error {
	if list := o.faults[id]; len(list) > 0 {
		return errors.New(strings.Join(list, "; "))
	}
	return nil
}

func (o *observed) stranger(format string, args ...any) {
	o.strangers = noted(o.strangers, fmt.Sprintf(format, args...))
}

// noted adds a text to a list unless the list has it or is long.
func noted(list []string, text string) []string {
	if slices.Contains(list, text) || len(list) >= 50 {
		return list
	}
	return append(list, text)
}

// observe looks at an answer.
func observe(r *run, method, path string, a answer) {
	op := operationOf(path)
	switch {
	case method != http.MethodGet && method != http.MethodPost || !strings.HasPrefix(path, "/ump/") || op == "subscribe" && a.Status < 300:
		return
	case a.Status < 200 || a.Status > 299:
		observeError(r, a)
		return
	}
	if row := rowOf(op); row != "" && a.Status != http.StatusOK {
		r.seen.blame(row, "%s answered %d, not 200", a.Asked, a.Status)
	}
	if op == "export" {
		return
	}
	if !isJSON(a.Header) {
		r.seen.blame("UMP-4.2-8", "%s answered with Content-Type %q", a.Asked, a.Header.Get("Content-Type"))
	}
	observeSuccess(r, op, a.Value)
}

// rowOf returns the row of section 4.2 for an operation's route.
func rowOf(op string) string {
	switch op {
	case "recall":
		return "UMP-4.2-1"
	case "remember":
		return "UMP-4.2-2"
	case "get":
		return "UMP-4.2-3"
	case "revise":
		return "UMP-4.2-4"
	case "forget":
		return "UMP-4.2-5"
	case "capabilities":
		return "UMP-4.2-6"
	case "feedback":
		return "UMP-4.2-9"
	}
	return ""
}

func isJSON(h http.Header) bool {
	media, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	return strings.EqualFold(strings.TrimSpace(media), "application/json")
}

// observeError checks the envelope, its code, its status and its words.
func observeError(r *run, a answer) {
	e := a.Value.Get("error")
	code, message := e.Get("code"), e.Get("message")
	if code.Type() != canon.TypeString || message.Type() != canon.TypeString {
		r.seen.blame("UMP-3-2", "%s answered %d without the envelope of code and message", a.Asked, a.Status)
		return
	}
	if !isJSON(a.Header) {
		r.seen.blame("UMP-4.2-8", "%s: an error came with Content-Type %q", a.Asked, a.Header.Get("Content-Type"))
	}
	kind := memory.ErrorKind(code.Text())
	observeStatus(r, a, kind)
	for _, secret := range r.seen.secrets {
		if strings.Contains(string(a.Body), secret) {
			r.seen.blame("UMP-3.7-6", "%s: the error repeats the text of a memory", a.Asked)
		}
	}
}

// observeStatus compares the status with the status of the code (decision UD-22).
func observeStatus(r *run, a answer, kind memory.ErrorKind) {
	row := "UMP-3.7-1"
	switch kind {
	case memory.Unauthorized:
		row = "UMP-3.7-2"
	case memory.ForbiddenScope:
		row = "UMP-3.7-3"
	case memory.NotFound:
		row = "UMP-3.4-2"
	case memory.RateLimited:
		row = "UMP-3.7-5"
	case memory.InvalidRecord:
		row = "UMP-3.3-9"
	case memory.ConsentViolation, memory.SignatureInvalid, memory.Unsupported:
	case memory.Internal:
		r.seen.blame("UMP-3.7-1", "%s failed with internal", a.Asked)
	default:
		r.seen.blame("UMP-3.7-1", "%s answered with the code %q, which the specification does not have", a.Asked, short(string(kind)))
		return
	}
	carrier := []int{http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType}
	if want := ump.Status(kind); a.Status != want && !slices.Contains(carrier, a.Status) {
		r.seen.blame(row, "%s answered %s with status %d, not %d", a.Asked, kind, a.Status, want)
	}
	if kind == memory.Unauthorized && a.Header.Get("WWW-Authenticate") == "" {
		r.seen.blame("UMP-3.7-2", "%s: 401 came without WWW-Authenticate", a.Asked)
	}
	if kind == memory.RateLimited && a.Header.Get("Retry-After") == "" {
		r.seen.blame("UMP-3.7-5", "%s: 429 came without Retry-After", a.Asked)
	}
}

func short(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}

// observeSuccess checks the shape of an answer and the records in it.
func observeSuccess(r *run, op string, v canon.Value) {
	switch op {
	case "recall":
		extras(r, "recall", v, "results", "framed", "injected", "dropped", "warnings")
		observeHits(r, v.Get("results"))
	case "get":
		extras(r, "get", v, "record", "warnings")
		observeRecord(r, v.Get("record"))
	case "remember":
		extras(r, "remember", v, "id", "result", "reason", "warnings")
		switch memory.Outcome(v.Get("result").Text()) {
		case memory.Created, memory.Merged, memory.Rejected:
		default:
			r.seen.blame("UMP-3.3-6", "remember answered without saying created, merged or rejected")
		}
		if v.Get("result").Text() != string(memory.Rejected) && v.Get("id").Text() == "" {
			r.seen.blame("UMP-3.3-6", "remember answered without an id")
		}
	case "revise":
		extras(r, "revise", v, "id", "supersedes", "warnings")
	case "forget":
		extras(r, "forget", v, "result", "pending", "warnings")
	case "feedback":
		extras(r, "feedback", v, "ok", "warnings")
	}
}

// extras notes members that the specification does not name.
func extras(r *run, where string, v canon.Value, known ...string) {
	for _, m := range v.Members() {
		if !slices.Contains(known, m.Name) {
			r.seen.stranger("%s: %s", where, short(m.Name))
		}
	}
}

// observeHits checks the results of a recall.
func observeHits(r *run, results canon.Value) {
	last := 0.0
	for i, hit := range results.Items() {
		r.seen.hits++
		extras(r, "a result of recall", hit, "record", "signals", "score")
		score := hit.Get("score")
		if hit.Get("record").Type() != canon.TypeObject || hit.Get("signals").Type() != canon.TypeObject || score.Type() != canon.TypeNumber {
			r.seen.blame("UMP-3.2-3", "a result is not record, signals and a numeric score")
		}
		if i > 0 && score.Float() > last {
			r.seen.blame("UMP-3.2-4", "a result has a higher score than the one before it")
		}
		last = score.Float()
		observeSignals(r, hit.Get("signals"))
		observeRecord(r, hit.Get("record"))
	}
}

func observeSignals(r *run, signals canon.Value) {
	for _, m := range signals.Members() {
		n := m.Value.Float()
		switch {
		case !slices.Contains(memory.SignalNames(), m.Name):
			r.seen.stranger("signals: %s", short(m.Name))
		case m.Value.Type() != canon.TypeNumber:
			r.seen.blame("UMP-3.2-3", "the signal %s is no number", m.Name)
		case m.Name == "provenance_depth" && (n < 0 || n != float64(int64(n))):
			r.seen.blame("UMP-3.2-5", "provenance_depth is no whole number from 0")
		case m.Name != "provenance_depth" && (n < 0 || n > 1):
			r.seen.blame("UMP-3.2-5", "%s does not lie between 0 and 1", m.Name)
		}
		r.seen.signals[m.Name] = true
	}
}
