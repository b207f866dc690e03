package codec_test

import (
	"encoding/json"
	"testing"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

func with(structured string) memory.Record {
	r := memory.Record{ID: "urn:ump:x", Body: memory.Body{Text: "t"}}
	if structured != "" {
		r.Body.Structured = json.RawMessage(structured)
	}
	return r
}

func TestResidue(t *testing.T) {
	for _, test := range []struct{ structured, want string }{
		{`{"aimem":{"v":1,"chunk":{"n":1.0}},"tags":[]}`, `{"v":1,"chunk":{"n":1.0}}`},
		{`{"aimem":null}`, `null`},
		{`{"aimem":{"n":9007199254740993}}`, `{"n":9007199254740993}`},
		{`{"tags":[]}`, ``},
		{`{}`, ``},
		{``, ``},
		{`[1]`, ``},
		{`not JSON`, ``},
	} {
		got, ok := codec.Residue(with(test.structured), "aimem")
		if ok != (test.want != "") || ok && spelled(got) != test.want {
			t.Errorf("%s: got %s, %v", test.structured, spelled(got), ok)
		}
	}
}

func TestWithResidue(t *testing.T) {
	for _, test := range []struct{ structured, residue, want string }{
		{``, `{"v":1}`, `{"aimem":{"v":1}}`},
		{`{"z":1.0,"a":2}`, `{"v":1}`, `{"z":1.0,"a":2,"aimem":{"v":1}}`},
		{`{"aimem":0,"a":2}`, `{"v":1}`, `{"aimem":{"v":1},"a":2}`},
		{`{"n":9007199254740993}`, `1`, `{"n":9007199254740993,"aimem":1}`},
		{`{"aimem":0,"a":2}`, ``, `{"a":2}`},
		{`{"aimem":0}`, ``, ``},
		{``, ``, ``},
		{`{"a":2}`, ``, `{"a":2}`},
		{`{}`, ``, `{}`},
		{`[1]`, `{"v":1}`, `[1]`},
		{``, `{"v":1,"chunk":{"id":"c","x_ump":{"v":1,"record":{}},"l":[{"x_ump":1,"k":2}]}}`, `{"aimem":{"v":1,"chunk":{"id":"c","l":[{"k":2}]}}}`},
	} {
		r := with(test.structured)
		got := codec.WithResidue(r, "aimem", tree(t, test.residue))
		if string(got.Body.Structured) != test.want || (got.Body.Structured == nil) != (test.want == "") {
			t.Errorf("%s with %s: got %s, want %s", test.structured, test.residue, got.Body.Structured, test.want)
		}
		if string(r.Body.Structured) != test.structured || got.ID != r.ID || got.Body.Text != r.Body.Text {
			t.Errorf("%s: something else changed", test.structured)
		}
	}
}

// TestResidueOfSeveralFormats: each format has its own place.
func TestResidueOfSeveralFormats(t *testing.T) {
	r := with(`{"tags":["x"]}`)
	r = codec.WithResidue(r, "aimem", tree(t, `{"v":1}`))
	r = codec.WithResidue(r, "engram", tree(t, `{"v":2}`))
	r = codec.WithResidue(r, "aimem", tree(t, `{"v":3}`))
	if got := string(r.Body.Structured); got != `{"tags":["x"],"aimem":{"v":3},"engram":{"v":2}}` {
		t.Errorf("got %s", got)
	}
	r = codec.WithResidue(codec.WithResidue(r, "aimem", canon.Value{}), "engram", canon.Value{})
	if got := string(r.Body.Structured); got != `{"tags":["x"]}` {
		t.Errorf("got %s", got)
	}
}

// TestResidueDoesNotGrow sends a record there and back ten times: each hop puts
// the record into x_ump and takes the foreign object as residue.
func TestResidueDoesNotGrow(t *testing.T) {
	r := codec.WithResidue(with(`{"tags":[]}`), "aimem", tree(t, `{"v":1,"chunk":{"id":"c"}}`))
	size := len(r.Body.Structured)
	for hop := range 10 {
		residue, ok := codec.Residue(r, "aimem")
		if !ok {
			t.Fatalf("hop %d: the residue is gone", hop)
		}
		foreign := residue.With("chunk", residue.Get("chunk").With("x_ump", tree(t, string(r.Body.Structured))))
		r = codec.WithResidue(r, "aimem", foreign)
		if len(r.Body.Structured) != size {
			t.Fatalf("hop %d: %d bytes became %d", hop, size, len(r.Body.Structured))
		}
	}
}

// TestResidueNames: redaction knows the residue of every format that writes some.
func TestResidueNames(t *testing.T) {
	for _, name := range []string{"aimem", "engram", "aicf", "mcpmemory", "claudecode", "paste", "engramgo", "satchel"} {
		if !codec.IsResidue(name) {
			t.Errorf("%s is not residue", name)
		}
	}
	for _, name := range []string{"", "tags", "AIMEM"} {
		if codec.IsResidue(name) {
			t.Errorf("%q is residue", name)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("residue is written under a name that nobody looks for")
		}
	}()
	codec.WithResidue(with(``), "tags", tree(t, `{"v":1}`))
}

func TestMentions(t *testing.T) {
	for structured, want := range map[string]bool{
		``:                                    false,
		`{"engram":{"v":1}}`:                  false,
		`{"engram":{"v":1,"constraints":{}}}`: false,
		`{"engram":{"constraint":{}}}`:        true,
		`{"engram":{"\u0063onstraint":{}}}`:   true, // an escape may spell any name
	} {
		if got := codec.Mentions(memory.Record{Body: memory.Body{Structured: []byte(structured)}}, "constraint"); got != want {
			t.Errorf("Mentions(%s) = %v", structured, got)
		}
	}
}

// TestHasResidue agrees with Residue, whichever member comes first.
func TestHasResidue(t *testing.T) {
	for _, structured := range []string{
		`{"engram":{"v":1}}`, `{"tags":["engram"],"engram":{}}`, `{"engram":null}`, `{ "engram" : {} }`, `{"\u0065ngram":{}}`,
		`{"aimem":{"engram":{}}}`, `{"engrams":{}}`, `{"tags":["{\"engram\":"]}`, `["engram"]`, `{}`, ``,
	} {
		r := memory.Record{Body: memory.Body{Structured: []byte(structured)}}
		if _, want := codec.Residue(r, "engram"); codec.HasResidue(r, "engram") != want {
			t.Errorf("HasResidue(%s) is not %v", structured, want)
		}
	}
}
