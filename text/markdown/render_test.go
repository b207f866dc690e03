package markdown_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/markdown"
)

func rendered(t testing.TB, v canon.Value) canon.Value {
	t.Helper()
	text, err := markdown.Render(v)
	if err != nil {
		t.Fatal(err)
	}
	front, body, found, closed := markdown.Split(text + "body\n")
	read := markdown.FrontMatter(front, codec.Limits{}.Filled())
	if !found || !closed || body != "body\n" || len(read.Faults) > 0 {
		t.Fatalf("%q is read as %v, %q", text, read.Faults, body)
	}
	return read.Value
}

func TestRender(t *testing.T) {
	for _, text := range []string{
		`{}`, `{"name":"tabs","metadata":{"type":"user","tags":["a",null,true,7]}}`,
		`{"a":"2025-01-01","b":"017","c":"null","d":"yes","e":"~","f":"1e3","g":"0x1F","h":"","i":" x ","j":"a: b #c","k":"---"}`,
		`{"a":"two\nlines","b":"\nbegins so","c":"ends so\n","d":"\t","tab":"\tbegins\nso","e":"nul \u0000 del \u007f next \u0085 mark \ufeff","f":"🤖","---":"---\n---\n"}`,
		`{"a":"\n\u2028"}`, `{"a":"x\n\u2029"}`, `{"a":"\n\u0085"}`,
		`{"a":[],"b":{},"c":[[1],{"d":"e"}]}`, `{"<<":"x","*a":"&b","!c":"!d","? e":"- f"}`,
	} {
		v, err := canon.Parse([]byte(text), canon.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := rendered(t, v); !canon.Identical(got, v) {
			t.Errorf("%s becomes %s", text, got.Append(nil))
		}
	}
	if text, err := markdown.Render(canon.Value{}); text != "" || err != nil {
		t.Errorf("nothing becomes %q, %v", text, err)
	}
}

func TestRenderAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := canon.Object(canon.Member{Name: "k", Value: canon.String(rapid.String().Draw(t, "text"))})
		text, err := markdown.Render(v)
		if err != nil {
			t.Fatal(err)
		}
		front, _, _, _ := markdown.Split(text)
		if got := markdown.FrontMatter(front, codec.Limits{}.Filled()); !canon.Identical(got.Value, v) {
			t.Fatalf("%q becomes %q, %v", v.Get("k").Text(), got.Value.Get("k").Text(), got.Faults)
		}
	})
}
