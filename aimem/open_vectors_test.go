package aimem_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// vector is a bundle and what comes of it. Its headers:
//
//	rule: AIMEM-2.8-7        the requirement
//	expect: ok               or the code of the fault
//	at: /chunks/0/zone       of a fault: the pointer
//	frule: AIMEM-2.2-11      the rule that the fault names, where it is another
//	warn: legacy_format      a warning that is given
//	foreign: yes             ids of other namespaces are accepted
type vector struct {
	name   string
	header map[string]string
	at     bool // there is a header at
	file   txtar.File
}

func vectors(t testing.TB) []vector {
	t.Helper()
	var all []vector
	for _, folder := range []string{"json", "envelope", "records", "embedding", "checksum", "stream"} {
		paths, err := filepath.Glob(filepath.Join("testdata", folder, "*.txtar"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no vectors in %s: %v", folder, err)
		}
		for _, path := range paths {
			all = append(all, vectorOf(t, path))
		}
	}
	return all
}

func vectorOf(t testing.TB, path string) vector {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil || len(archive.Files) != 1 {
		t.Fatalf("%s: %v", path, err)
	}
	v := vector{name: path, header: map[string]string{}, file: archive.Files[0]}
	for line := range strings.Lines(string(archive.Comment)) {
		if key, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ":"); ok && !strings.Contains(key, " ") {
			v.header[key] = strings.TrimSpace(value)
		}
	}
	if _, v.at = v.header["at"]; v.header["rule"] == "" || v.header["expect"] == "" {
		t.Fatalf("%s names no rule or no expectation", path)
	}
	return v
}

func (v vector) options() aimem.Options {
	return aimem.Options{ForeignIDs: v.header["foreign"] == "yes"}
}

func source(name, text string) codec.Source {
	return codec.Source{Name: name, File: strings.NewReader(text), Size: int64(len(text))}
}

func (v vector) source() codec.Source { return source(v.file.Name, string(v.file.Data)) }

func TestOpenVectors(t *testing.T) {
	for _, v := range vectors(t) {
		t.Run(v.header["rule"]+" "+v.name, func(t *testing.T) {
			b, err := aimem.Open(v.source(), v.options())
			sameVerdict(t, v.source(), v.options(), err)
			if v.header["expect"] == "ok" {
				v.accepted(t, b, err)
				return
			}
			v.refused(t, err)
		})
	}
}

func (v vector) accepted(t *testing.T, b *aimem.Bundle, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, w := range b.Warnings() {
		codes = append(codes, string(w.Code))
	}
	if want := v.header["warn"]; want != "" && !slices.Contains(codes, want) || want == "" && len(codes) > 0 {
		t.Errorf("warnings %q, want %q", codes, want)
	}
	again(t, b)
}

func (v vector) refused(t *testing.T, err error) {
	t.Helper()
	f, ok := errors.AsType[*aimem.Fault](err)
	if !ok {
		t.Fatalf("got %v, want %s", err, v.header["expect"])
	}
	rule := v.header["rule"]
	if v.header["frule"] != "" {
		rule = v.header["frule"]
	}
	if string(f.Code) != v.header["expect"] || f.Rule != rule || v.at && f.Pointer != v.header["at"] {
		t.Errorf("got %s at %q by %s, want %s at %q by %s", f.Code, f.Pointer, f.Rule, v.header["expect"], v.header["at"], rule)
	}
	status := map[aimem.Code]int{aimem.ChecksumMismatch: 409, aimem.BodyTooLarge: 413}[f.Code]
	if status == 0 {
		status = 422
	}
	if f.Code.Status() != status {
		t.Errorf("status %d, want %d", f.Code.Status(), status)
	}
	if p, ok := errors.AsType[*codec.ParseError](err); !ok || p.Rule != f.Rule || p.Path != f.Pointer {
		t.Errorf("as a ParseError it is %v", p)
	}
	if m, ok := errors.AsType[*memory.Error](err); !ok || m.Kind != memory.InvalidRecord {
		t.Errorf("as an Error it is %v", m)
	}
}

// sameVerdict holds Validate to the verdict of Open, whose fault is its first.
func sameVerdict(t *testing.T, src codec.Source, o aimem.Options, err error) {
	t.Helper()
	var first *aimem.Fault
	failed := aimem.Validate(src, o, func(f *aimem.Fault) {
		if first == nil {
			first = f
		}
	})
	if failed != nil {
		t.Fatalf("validating: %v", failed)
	}
	want, _ := errors.AsType[*aimem.Fault](err)
	if (first == nil) != (want == nil) || want != nil && first.Error() != want.Error() {
		t.Errorf("Validate first reports %v, Open %v", first, want)
	}
}

// again holds a bundle to what every bundle promises: written anew it has the
// checksum that it was read with, and its records are found by their ids.
func again(t *testing.T, b *aimem.Bundle) {
	t.Helper()
	if sum, err := aimem.Checksum(b); err != nil || sum != b.Checksum() {
		t.Errorf("written anew its checksum is %s (%v), not %s", sum, err, b.Checksum())
	}
	edges, links, n := 0, 0, b.Counts()
	err := b.Chunks(func(c aimem.Chunk) error {
		found, err := b.Chunk(c.ID)
		if err != nil || found.Content != c.Content || found.CreatedAt != c.CreatedAt || !b.Has(c.ID) || c.Created.IsZero() || c.Hash == "" {
			t.Errorf("chunk %s is found as %+v, %v", c.ID, found, err)
		}
		return errors.Join(
			b.EdgesFrom(c.ID, func(e aimem.Edge) error { edges++; return differ(e.Source, c.ID) }),
			b.LinksOf(c.ID, func(l aimem.Link) error { links++; return differ(l.Chunk, c.ID) }))
	})
	if err != nil || edges != n.Edges || links != n.Links {
		t.Errorf("%d of %d edges and %d of %d links hang on chunks: %v", edges, n.Edges, links, n.Links, err)
	}
	if err := b.Entities(func(e aimem.Entity) error {
		found, err := b.Entity(e.ID)
		return errors.Join(err, differ(found.ID, e.ID))
	}); err != nil {
		t.Error(err)
	}
}

func differ(got, want aimem.URN) error {
	if got != want {
		return errors.New("a record hangs on another chunk")
	}
	return nil
}
