package importtest

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// Check reads a source and holds the importer to its promises: what it yields
// can be authored, a second reading yields the same, and Validate agrees with
// the verdict. It returns what was read.
func Check(t testing.TB, format codec.Format, src codec.Source, opt codec.Options) ([]memory.Record, []codec.Loss, error) {
	t.Helper()
	if format.Create != nil {
		t.Error("an importer does not write")
	}
	records, losses, err := Read(format, src, opt)
	again, lossesAgain, errAgain := Read(format, src, opt)
	if diff := cmp.Diff(records, again) + cmp.Diff(losses, lossesAgain); diff != "" {
		t.Errorf("a second reading differs:\n%s", diff)
	}
	if message(err) != message(errAgain) {
		t.Errorf("a second reading ends in %v, the first in %v", errAgain, err)
	}
	for i := range records {
		draft(t, format, &records[i], opt)
	}
	agree(t, format, src, opt, err)
	return records, losses, err
}

// agree compares the verdict of Validate with that of reading.
func agree(t testing.TB, format codec.Format, src codec.Source, opt codec.Options, err error) {
	t.Helper()
	var first *codec.ParseError
	if failed := format.Validate(src, opt, func(p *codec.ParseError) {
		if first == nil {
			first = p
		}
	}); failed != nil {
		t.Errorf("Validate cannot read the source: %v", failed)
	}
	switch {
	case err == nil && first != nil:
		t.Errorf("Validate reports %v of a source that is read", first)
	case err != nil && first == nil:
		t.Errorf("Validate is content with a source that is refused: %v", err)
	case err != nil && first.Error() != err.Error():
		t.Errorf("Validate first reports %v, reading %v", first, err)
	}
}

// draft checks that a record is a draft the owner's store can author.
func draft(t testing.TB, format codec.Format, r *memory.Record, opt codec.Options) {
	t.Helper()
	if r.ID != "" || r.Integrity != nil || r.Origin != nil || r.Current != nil {
		t.Error("a draft has an id, integrity or a form")
	}
	if r.Version != "0.1" || !r.Kind.Valid() || r.Scope.Owner != opt.Owner || r.Scope.Visibility != memory.Private {
		t.Errorf("version %q, kind %q, owner %q, visibility %q", r.Version, r.Kind, r.Scope.Owner, r.Scope.Visibility)
	}
	if strings.TrimSpace(r.Body.Text) == "" || !utf8.ValidString(r.Body.Text) {
		t.Errorf("text %q", r.Body.Text)
	}
	if r.Time.Created.IsZero() {
		t.Error("a draft has no date")
	}
	if r.Lifecycle.Confidence != nil || r.Lifecycle.Salience != nil {
		t.Error("confidence or salience is invented")
	}
	p := r.Provenance
	if p == nil || p.Source == nil || p.Actor != string(opt.Owner) || p.ActorKind != memory.ByImport || p.Method != format.Name || p.Source.Provider == "" || p.Source.Ref == "" {
		t.Errorf("provenance %+v", p)
	}
	for _, rel := range r.Relations {
		if name, ok := strings.CutPrefix(rel.Target, "entity:"); !ok || name == "" || rel.Type == "" {
			t.Errorf("relation %+v", rel)
		}
	}
	if s := r.Body.Structured; s != nil && (!json.Valid(s) || s[0] != '{') {
		t.Errorf("structured %s", s)
	}
}

// Damage reads a file source cut short, spoiled or lengthened at each of its
// first 500 bytes. The verdict is free, a panic or a false draft is not.
func Damage(t testing.TB, format codec.Format, src codec.Source, opt codec.Options) {
	t.Helper()
	if src.File == nil {
		return
	}
	whole := text(t, src)
	for i := range min(len(whole), 500) {
		for _, damaged := range []string{whole[:i], whole[:i] + "\xff" + whole[i+1:], whole[:i] + "{" + whole[i:]} {
			damagedSource := File(src.Name, damaged)
			format.Detect(damagedSource)
			Check(t, format, damagedSource, opt)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
