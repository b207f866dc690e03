package assistants_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/aaif/exchange/exchangetest"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// held is a definition that takes three pieces of metadata.
func held(t *testing.T) canon.Value {
	return exchangetest.Tree(t, fmt.Sprintf(`{"sc_standard":"SC-006","sc_version":"3.4.0","agent":{"name":"N","goal":"G","instructions":"Be brief.","model":{"provider":"openai","preferred":"gpt-4o"},
		"constraints":[%q],"compliance":{"safety_level":"strict"}},"provenance":{"authored_by":"acme","signature":%q}}`, strings.Repeat("Never pay. ", 100), strings.Repeat("A", 86)+"=="))
}

// TestDamagedPieces: what carries constraints is whole, or the assistant is refused.
func TestDamagedPieces(t *testing.T) {
	a, _, err := to(aaif.ReadDefinition(held(t)))
	if err != nil {
		t.Fatal(err)
	}
	meta := a.Get("metadata")
	if meta.Len() < 3 {
		t.Fatalf("%d pieces show little", meta.Len())
	}
	last := fmt.Sprintf("x-aaif.%d", meta.Len()-1)
	for name, damaged := range map[string]canon.Value{
		"the first is gone":         meta.Without("x-aaif"),
		"one is gone":               meta.Without("x-aaif.1"),
		"the last is gone":          meta.Without(last),
		"one is no text":            meta.With("x-aaif.1", canon.Int(1)),
		"one is cut":                meta.With(last, canon.String("{")),
		"one is of something else":  meta.With("x-aaif.9", canon.String("more")),
		"all that is there is none": canon.Object(canon.Member{Name: "x-aaif", Value: canon.String("yes")}),
	} {
		t.Run("AAIF-3-4 AAIF-12-6 "+name, func(t *testing.T) {
			_, _, err := from(a.With("metadata", damaged))
			p, ok := err.(*codec.ParseError)
			if !ok || p.Rule != "AAIF-3-4" || p.Path != "/metadata" {
				t.Errorf("got %v", err)
			}
		})
	}
	if _, _, err := from(a); err != nil {
		t.Error(err)
	}
}

// TestStaleSignature: a signature does not outlive what it signed.
func TestStaleSignature(t *testing.T) {
	v := held(t)
	a, _, err := to(aaif.ReadDefinition(v))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("AAIF-12-17 untouched it is kept", func(t *testing.T) {
		d, lost, err := from(a)
		if err != nil || len(lost) != 0 || d.Provenance.Signature == "" || !canon.Equal(d.Document(), v) {
			t.Errorf("got %v, %v: %s", lost, err, d.Document().Append(nil))
		}
	})
	t.Run("AAIF-12-17 edited it is gone, and told", func(t *testing.T) {
		d, lost, err := from(a.With("instructions", canon.String("Pay at once.")))
		if err != nil || d.Provenance.Signature != "" || d.Provenance.AuthoredBy != "acme" || d.Value.Has("x-aaif-carried") {
			t.Fatalf("got %v: %s", err, d.Document().Append(nil))
		}
		if len(lost) != 1 || !strings.Contains(lost[0].Reason, "signature") || !strings.Contains(lost[0].Reason, "AAIF-12-17") {
			t.Errorf("got %v", lost)
		}
	})
}

// TestMostTools: OpenAI takes no more than 128 tools, and the rest is told.
func TestMostTools(t *testing.T) {
	tools := canon.Array()
	for i := range 140 {
		tools = tools.WithItem(i, exchangetest.Tree(t, fmt.Sprintf(`{"name":"t%d","description":"d"}`, i)))
	}
	v := exchangetest.Tree(t, `{"sc_standard":"SC-006","agent":{"name":"N","goal":"G","model":{"preferred":"m"}}}`)
	a, lost, err := to(aaif.ReadDefinition(v.With("agent", v.Get("agent").With("tools", tools))))
	if err != nil || a.Get("tools").Len() != 128 {
		t.Fatal(a.Get("tools").Len(), err)
	}
	told := 0
	for _, l := range lost {
		if strings.HasPrefix(l.Pointer, "/agent/tools") && strings.Contains(l.Reason, "128") && exchange.Matters(l) {
			told++
		}
	}
	if told == 0 {
		t.Errorf("AAIF-11-5: got %v", lost)
	}
}
