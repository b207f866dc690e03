package assistants_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif/exchange/exchangetest"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// A member that the summary of the specification's own converter does not have is told, and
// keeps out nothing of the rest.
func TestOfTheirsWithMore(t *testing.T) {
	for _, c := range []struct{ more, pointer string }{
		{strings.Replace(deskOfTheirs, `\"agent_id\"`, `\"extra\":\"q\",\"agent_id\"`, 1), "/extra"},
		{strings.Replace(deskOfTheirs, `{\"goal\"`, `{\"new\":\"q\",\"goal\"`, 1), "/agent/new"},
	} {
		d, lost, err := from(exchangetest.Tree(t, c.more))
		if err != nil || len(lost) != 1 || lost[0].Pointer != c.pointer {
			t.Fatalf("AAIF-11-4: lost %v, %v", lost, err)
		}
		exchangetest.Same(t, d, desk)
	}
}

// A summary in which nothing stands says nothing, as for the specification's own converter.
func TestOfTheirsEmpty(t *testing.T) {
	plain := exchangetest.Tree(t, `{"name":"Desk","instructions":"Be kind.","model":"m"}`)
	want, gone, err := from(plain)
	if err != nil {
		t.Fatal(err)
	}
	d, lost, err := from(plain.With("metadata", canon.Object(canon.Member{Name: "x-aaif", Value: canon.String("{}")})))
	if err != nil || len(lost) != len(gone) || !canon.Equal(d.Document(), want.Document()) {
		t.Errorf("AAIF-11-4: %s, lost %v, %v", d.Document().Append(nil), lost, err)
	}
	_, _, err = from(plain.With("metadata", canon.Object(canon.Member{Name: "x-aaif", Value: canon.String("{}")}, canon.Member{Name: "x-aaif.1", Value: canon.String("{}")})))
	if p, ok := errors.AsType[*codec.ParseError](err); !ok || p.Rule != "AAIF-3-4" {
		t.Errorf("pieces that no summary counts: %v", err)
	}
}
