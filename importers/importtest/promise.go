package importtest

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// Check reads a source and checks the importer's promises: its records can be authored, a
// second reading gives the same, and Validate agrees with the verdict. It returns the
// records and losses.
func Check(t testing.TB, format codec.Format, src codec.Source, opt codec.Options) ([]memory.Record, []codec.Loss, error) {
	t.Helper()
	records, losses, err := Read(format, src, opt)
	again, lossesAgain, errAgain := Read(format, src, opt)
	if !reflect.DeepEqual(records, again) || !reflect.DeepEqual(losses, lossesAgain) { // far quicker than cmp
		if diff := cmp.Diff(records, again) + cmp.Diff(losses, lossesAgain); diff != "" {
			t.Errorf("a second reading differs:\n%s", diff)
		}
	}
	if message(err) != message(errAgain) {
		t.Errorf("a second reading ends in %v, the first in %v", errAgain, err)
	}
	checkPromises(t, format, src, opt, records, losses, err)
	return records, losses, err
}

// checkPromises checks the records of a source, or its refusal, against the promises.
func checkPromises(t testing.TB, format codec.Format, src codec.Source, opt codec.Options, records []memory.Record, losses []codec.Loss, err error) {
	t.Helper()
	for i := range records {
		draft(t, format, &records[i], opt)
	}
	agree(t, format, src, opt, losses, err)
}

// agree compares the verdict of Validate with that of reading. Reading may mend a document
// and leave out a part of it if it reports that.
func agree(t testing.TB, format codec.Format, src codec.Source, opt codec.Options, losses []codec.Loss, err error) {
	t.Helper()
	var first *codec.ParseError
	same := false // reading stops at one of the faults, and left out those before it
	if failed := format.Validate(src, opt, func(p *codec.ParseError) {
		same = same || p.Error() == message(err)
		if first == nil {
			first = p
		}
	}); failed != nil {
		t.Errorf("Validate cannot read the source: %v", failed)
	}
	mended, left := slices.ContainsFunc(losses, codec.IsMended), slices.ContainsFunc(losses, codec.IsLeftOut)
	switch {
	case err == nil && first == nil && left:
		t.Error("Validate is content with what is left out")
	case err == nil && first != nil && mended:
	case err == nil && first != nil && slices.ContainsFunc(losses, func(l codec.Loss) bool { return codec.IsLeftOut(l) && strings.Contains(l.Reason, first.Rule) }):
	case err == nil && first != nil:
		t.Errorf("Validate reports %v of a source that is read", first)
	case err != nil && first == nil:
		t.Errorf("Validate is content with a source that is refused: %v", err)
	case err != nil && !same && !mendable(first):
		t.Errorf("Validate first reports %v, reading %v", first, err)
	}
}

// mendable reports whether reading continues after a fault, and may stop at another.
func mendable(p *codec.ParseError) bool {
	refused, ok := errors.AsType[*canon.Error](p)
	return ok && !slices.Contains([]canon.Kind{canon.Syntax, canon.TooDeep, canon.TooLarge}, refused.Kind)
}

// confident lists the formats that set the source's confidence.
var confident = [...]string{"pam"}

// draft checks that the owner's store can author a record.
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
	if r.Lifecycle.Confidence != nil && !slices.Contains(confident[:], format.Name) || r.Lifecycle.Salience != nil {
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

// Fuzz fuzzes an importer with files of a name: it must keep its promises for any content.
// The vectors in dir are the seeds.
func Fuzz(f *testing.F, format codec.Format, name, dir string) {
	for _, text := range Texts(f, dir) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		src := File(name, text)
		format.Detect(src)
		Check(t, format, src, Options())
	})
}

// damage reads a file source cut short, spoiled or lengthened, in turn, at each of its
// first 500 bytes. Any verdict is fine; a panic or an invalid draft is not.
func damage(t testing.TB, format codec.Format, src codec.Source, opt codec.Options) {
	t.Helper()
	if src.File == nil {
		return
	}
	whole := text(t, src)
	for i := range min(len(whole), 500) {
		damaged := File(src.Name, [...]string{whole[:i], whole[:i] + "\xff" + whole[i+1:], whole[:i] + "{" + whole[i:]}[i%3])
		format.Detect(damaged)
		records, losses, err := Read(format, damaged, opt)
		checkPromises(t, format, damaged, opt, records, losses, err)
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
