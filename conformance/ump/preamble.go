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

func preambleChecks() []check {
	return []check{
		{"UMP-0-1", edition},
		{"UMP-0-2", sameEverywhere},
		{"UMP-1-2", carriers},
		{"UMP-1-4", takeAway},
		{"UMP-1-5", staleStays},
		{"UMP-1-6", hostile},
	}
}

func edition(r *run) error {
	if e := r.edition(); e != ump.Edition && e != ump.LaterEdition {
		return errors.New(`capabilities.ump is neither "0.1" nor "1.0"`)
	}
	return nil
}

func sameEverywhere(r *run) error {
	n, err := r.plain()
	if err != nil {
		return err
	}
	file, err := r.document()
	if err != nil {
		return err
	}
	got, err := r.get(n.id)
	if err == nil && !canon.Equal(got, file.records[n.id]) {
		err = errors.New("a record is another in the export than over get")
	}
	return err
}

func carriers(r *run) error {
	for _, b := range r.offered.Get("bindings").Items() {
		if !slices.Contains([]string{"mcp", "http", "file"}, b.Text()) {
			return fmt.Errorf("the binding %q is none of mcp, http, file", short(b.Text()))
		}
	}
	return nil
}

func names(r *run) error {
	if err := sawRecord(r, "UMP-1-3"); err != nil {
		return err
	}
	for _, stranger := range r.seen.strangers {
		if strings.HasPrefix(stranger, ownMember) {
			return fmt.Errorf("section 2 does not name a member of %s", stranger)
		}
	}
	return nil
}

// sawRecord checks that the run has seen a record, and returns the noted faults of a row.
func sawRecord(r *run, id string) error {
	if _, err := r.plain(); err != nil && r.seen.records == 0 {
		return err
	}
	return r.seen.verdict(id)
}

func takeAway(r *run) error {
	n, err := r.plain()
	if err != nil {
		return err
	}
	file, err := r.document()
	if err != nil {
		return err
	}
	if _, ok := file.records[n.id]; !ok {
		return errors.New("the export lacks a record of the owner's")
	}
	return nil
}

func staleStays(r *run) error {
	c, err := r.revised()
	if err != nil {
		return err
	}
	got, err := r.get(c.prior.id)
	if err == nil && !strings.Contains(got.Get("body").Get("text").Text(), c.prior.word) {
		err = errors.New("the superseded record has lost its text")
	}
	return err
}

func hostile(r *run) error {
	for _, sent := range []variant{
		{"an endless array", strings.Repeat("[", 20_000)},
		{"deep objects", strings.Repeat(`{"record":`, 5_000) + "1" + strings.Repeat("}", 5_000)},
		{"broken UTF-8", "{\"record\":{\"body\":{\"text\":\"\xff\xfe\"}}}"},
		{"a doubled member", `{"record":{"kind":"semantic","kind":"episodic","body":{"text":"x"}}}`},
		{"a number without end", `{"record":{"body":{"text":"x"},"lifecycle":{"salience":1e999}}}`},
		{"half a document", `{"record":{"body":{"te`},
		{"two documents", `{"record":{}}{"record":{}}`},
		{"a NUL between members", "{\"record\":\x00{}}"},
	} {
		a := r.raw("remember", sent.text)
		r.wrote(memory.ID(a.Value.Get("id").Text()))
		if err := a.refused(memory.InvalidRecord); err != nil {
			return fmt.Errorf("%s: %w", sent.what, err)
		}
	}
	_, err := r.call("", http.MethodGet, "/ump/capabilities", nil).ok()
	return err
}
