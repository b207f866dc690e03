package umpsuite

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func fileChecks() []check {
	return []check{
		{"UMP-4.3-1", arrayFile},
		{"UMP-4.3-2", linesFile},
		{"UMP-4.3-3", markdownFile},
		{"UMP-4.3-5", manifest},
		{"UMP-4.3-6", manifestIsPublic},
	}
}

func arrayFile(r *run) error {
	d, err := r.document()
	if err != nil {
		return err
	}
	source := codec.Source{Name: "export.ump.json", File: bytes.NewReader(d.raw), Size: int64(len(d.raw))}
	in, err := ump.Format().Open(source, codec.Options{})
	if err != nil {
		return fmt.Errorf("the export is no document of UMP: %w", err)
	}
	defer func() { _ = in.Close() }() // it was open for reading only
	for range d.records {
		if _, err := in.Next(); err != nil {
			return fmt.Errorf("a record of the export: %w", err)
		}
	}
	return nil
}

func linesFile(r *run) error {
	n, err := r.plain()
	if err != nil {
		return err
	}
	records, err := lines(r)
	if err != nil {
		return err
	}
	for _, v := range records {
		if v.Get("id").Text() == string(n.id) {
			if !canon.Equal(v, n.record) {
				return errors.New("a record is another among the lines than over get")
			}
			return nil
		}
	}
	return errors.New("the lines lack a record of the owner's")
}

// manifestOf fetches the manifest without a token.
func manifestOf(r *run) (answer, canon.Value, error) {
	a := r.call("", http.MethodGet, "/.well-known/ump.json", nil)
	v, err := a.ok()
	return a, v, err
}

func manifest(r *run) error {
	_, v, err := manifestOf(r)
	if err != nil {
		return err
	}
	if v.Get("ump").Text() != r.offered.Get("ump").Text() || v.Get("conformance").Text() != r.offered.Get("conformance").Text() {
		return errors.New("the manifest does not name edition and level as capabilities does")
	}
	if v.Get("exports").Type() != canon.TypeArray && v.Get("endpoint").Text() == "" {
		return errors.New("the manifest points neither to exports nor to the server")
	}
	for _, e := range v.Get("exports").Items() {
		if e.Get("url").Text() == "" || e.Get("format").Text() == "" {
			return errors.New("an export of the manifest lacks url or format")
		}
	}
	return nil
}

func manifestIsPublic(r *run) error {
	if _, err := r.plain(); err != nil {
		return err
	}
	a, v, err := manifestOf(r)
	if err != nil {
		return err
	}
	if strings.Contains(string(a.Body), "urn:ump:") {
		return errors.New("the manifest names a record")
	}
	for _, e := range v.Get("exports").Items() {
		if err := publicOnly(r, e.Get("url").Text()); err != nil {
			return err
		}
	}
	return nil
}

// publicOnly checks a document that the manifest names, if this server has it.
func publicOnly(r *run, address string) error {
	base, err := url.Parse(r.client.Base + "/.well-known/ump.json")
	if err != nil {
		return err
	}
	at, err := base.Parse(address)
	if err != nil {
		return errors.New("an export of the manifest has no address")
	}
	if at.Host != base.Host {
		return nil // another server answers for it
	}
	a := r.call("", http.MethodGet, strings.TrimPrefix(at.String(), r.client.Base), nil)
	if a.Err != nil || a.Status != http.StatusOK {
		return fmt.Errorf("an export of the manifest answered %s", a.Said())
	}
	elements := canon.NewElements(bytes.NewReader(a.Body), canon.Options{Inexact: true})
	for {
		raw, err := elements.Next()
		if err != nil {
			return nil // the end; an export in Markdown has no elements
		}
		v, err := canon.Parse(raw, canon.Options{Inexact: true})
		if err != nil {
			return err
		}
		exportable := v.Get("consent").Get("exportable")
		if v.Get("scope").Get("visibility").Text() != string(memory.Public) || exportable.Type() == canon.TypeBool && !exportable.True() {
			return errors.New("an export of the manifest holds what is not public")
		}
	}
}

func sameFile(r *run) error {
	if _, _, err := crowd(r, 3); err != nil {
		return err
	}
	one, err := exportAs(r, "json")
	if err != nil {
		return err
	}
	for range 2 { // another client may have written something
		two, err := exportAs(r, "json")
		if err != nil || bytes.Equal(one.Body, two.Body) {
			return err
		}
		one = two
	}
	return errors.New("two exports of the same memory differ")
}

func fileObeys(r *run) error {
	c, err := curate(r)
	if err != nil {
		return err
	}
	gone, err := r.gone()
	if err != nil {
		return err
	}
	old, err := r.expired()
	if err != nil {
		return err
	}
	d, err := r.export()
	if err != nil {
		return err
	}
	for _, n := range []struct{ word, is string }{
		{c.kept.word, "not exportable"}, {gone.word, "forgotten"}, {old.live.word, "past its retention"}, {old.soft.word, "forgotten and past its retention"},
	} {
		if strings.Contains(string(d.raw), n.word) {
			return fmt.Errorf("the export has a record that is %s", n.is)
		}
	}
	return absentFrom(d, c.cut.id, c.secret)
}
