package umpsuite

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// document is an export as an array of records.
type document struct {
	raw     []byte
	records map[memory.ID]canon.Value
}

// curated are memories with policies that an export must obey.
type curated struct {
	cut    note // the export must redact a part
	paths  note // the export must redact paths in several spellings
	kept   note // the export must leave it out
	secret string
	target string
	shared bool // peers may see cut
}

// curate stores the curated memories, once.
func curate(r *run) (curated, error) {
	return r.curatedOnes.get(r, func() (c curated, err error) {
		c.secret, c.target = r.word(), r.word()
		cut := fmt.Sprintf(`{"body":{"structured":{"token":%q,"door":"left"}},"consent":{"redact":["body.structured.token"],"exportable":true}}`, c.secret)
		c.cut, err = shared(r, memory.Shared, "%s", raw(cut))
		c.shared = err == nil
		if isSkipped(err) {
			c.cut, err = r.noted("%s", raw(cut))
		}
		if err != nil {
			return c, err
		}
		c.paths, err = r.noted(`{"body":{"structured":{"token":%q}},"relations":[{"type":"about","target":"entity:%s"},{"type":"about","target":"entity:yard"}],`+
			`"consent":{"redact":["$.body.structured.token","relations[0].target","body.structured.nothing"]}}`, c.secret, raw(c.target))
		if err != nil {
			return c, err
		}
		c.kept, err = r.noted(`{"consent":{"exportable":false}}`)
		return c, err
	})
}

// document exports once, after the run has written everything that rows look for in it.
func (r *run) document() (document, error) {
	return r.exported.get(r, func() (document, error) {
		_, err := r.plain()
		if err != nil {
			return document{}, err
		}
		_, curated := curate(r)
		_, gone := r.gone()
		if err := first(curated, gone); err != nil && r.level >= 2 {
			return document{}, err
		}
		return r.export()
	})
}

// export fetches every exportable record as one array.
func (r *run) export() (document, error) {
	a, err := exportAs(r, "json")
	if err != nil {
		return document{}, err
	}
	if a.Value.Type() != canon.TypeArray {
		return document{}, errors.New("the export is no JSON array")
	}
	d := document{raw: a.Body, records: map[memory.ID]canon.Value{}}
	for _, v := range a.Value.Items() {
		d.records[memory.ID(v.Get("id").Text())] = v
		observeRecord(r, v)
	}
	return d, nil
}

// exportAs fetches an export in one of its forms.
func exportAs(r *run, form string) (answer, error) {
	a := r.call(r.Token, http.MethodGet, "/ump/export?format="+form, nil)
	switch {
	case a.Err != nil:
		return a, a.Err
	case a.Status == http.StatusNotFound || a.Status == http.StatusMethodNotAllowed || a.code() == memory.Unsupported:
		return a, notOffered("an export over HTTP")
	case a.Status != http.StatusOK:
		return a, fmt.Errorf("%s answered %s, not 200", a.Asked, a.Said())
	}
	return a, nil
}

// lines returns the records of an export with one record per line.
func lines(r *run) ([]canon.Value, error) {
	a, err := exportAs(r, "ndjson")
	if err != nil {
		return nil, err
	}
	var records []canon.Value
	for line := range bytes.Lines(a.Body) {
		if strings.TrimSpace(string(line)) == "" {
			continue
		}
		v, err := canon.Parse(line, canon.Options{Inexact: true})
		if err != nil {
			return nil, errors.New("a line of the export is no record")
		}
		records = append(records, v)
	}
	return records, nil
}
