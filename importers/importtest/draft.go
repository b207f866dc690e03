package importtest

import (
	"errors"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/codec"
)

// NeedsOwnerAndDate requires that the importer refuses a source without dates, by the given
// rule, if the options give no owner or no date.
func NeedsOwnerAndDate(t *testing.T, format codec.Format, src codec.Source, rule string) {
	t.Helper()
	if _, _, err := Check(t, format, src, Options()); err != nil {
		t.Errorf("with an owner and a date it is refused: %v", err)
	}
	opt := Options()
	opt.Owner = ""
	_, _, err := Check(t, format, src, opt)
	Breaks(t, err, rule)
	opt = Options()
	src.Modified, opt.Now = time.Time{}, nil
	_, _, err = Check(t, format, src, opt)
	Breaks(t, err, rule)
}

// Breaks requires that a refusal names the given rule.
func Breaks(t testing.TB, err error, rule string) {
	t.Helper()
	if p, ok := errors.AsType[*codec.ParseError](err); !ok || p.Rule != rule {
		t.Errorf("got %v, want %s", err, rule)
	}
}

// Violations returns the rules and places that Validate reports for a source.
func Violations(t testing.TB, format codec.Format, src codec.Source, opt codec.Options) (all []string) {
	t.Helper()
	report := func(p *codec.ParseError) {
		at := p.Path
		if p.File != "" {
			at = p.File + " " + at
		}
		all = append(all, p.Rule+" "+at)
	}
	if err := format.Validate(src, opt, report); err != nil {
		t.Fatal(err)
	}
	return all
}
