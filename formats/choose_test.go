package formats

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/satchel-memory/satchel/codec"
)

func TestTies(t *testing.T) {
	format := func(name, ext string, sure codec.Confidence) codec.Format {
		return codec.Format{Name: name, Extensions: []string{ext}, Detect: func(codec.Source) codec.Confidence { return sure }}
	}
	for name, test := range map[string]struct {
		list []codec.Format
		want string
	}{
		"the surer one wins":                  {[]codec.Format{format("a", ".x", codec.Possible), format("b", ".y", codec.Likely)}, "b"},
		"also over a name":                    {[]codec.Format{format("a", ".x", codec.Likely), format("b", ".md", codec.Possible)}, "a"},
		"of equals the first":                 {[]codec.Format{format("a", ".x", codec.Likely), format("b", ".y", codec.Likely)}, "a"},
		"unless the name speaks for a later":  {[]codec.Format{format("a", ".x", codec.Likely), format("b", ".md", codec.Likely)}, "b"},
		"of equals by name the first":         {[]codec.Format{format("a", ".md", codec.Likely), format("b", ".md", codec.Likely)}, "a"},
		"a name alone is nothing":             {[]codec.Format{format("a", ".md", codec.No)}, ""},
		"a surer one takes the name's chance": {[]codec.Format{format("a", ".md", codec.Possible), format("b", ".x", codec.Likely)}, "b"},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := choose(test.list, codec.Source{Name: "Notes.MD"})
			if got.Name != test.want || ok != (test.want != "") {
				t.Errorf("got %q, %v; want %q", got.Name, ok, test.want)
			}
		})
	}
}

// The refusal of a source that looks like none says what is wrong with it, and in which file.
func TestDamageIsNamed(t *testing.T) {
	deep := strings.Repeat("[", 10_000)
	file := func(text string) codec.Source {
		return codec.Source{Name: "x", File: strings.NewReader(text), Size: int64(len(text))}
	}
	folder := func(text string) codec.Source {
		return codec.Source{Name: "x", Tree: fstest.MapFS{"a/b": {}, "a.bin": {Data: []byte("\x01")}, "conversations.json": {Data: []byte(text)}}}
	}
	for what, test := range map[string]struct {
		src  codec.Source
		want string
	}{
		"UTF-16":                      {file("\xff\xfe[\x00]\x00"), "damaged: it is in UTF-16; save it as UTF-8"},
		"brackets":                    {file(deep), "damaged: it has brackets nested more than "},
		"brackets in a text":          {file(`["` + deep + `"]`), "damaged; known are"},
		"another file":                {file("\x00"), "damaged; known are"},
		"a folder with UTF-16":        {folder("\xfe\xff\x00["), `damaged: "conversations.json" in it is in UTF-16`},
		"a folder with an empty file": {folder(""), `damaged: "conversations.json" in it is empty`},
		"a folder with brackets":      {folder(deep), `damaged: "conversations.json" in it has brackets nested`},
		"a folder of something else":  {folder("{}"), "damaged; known are"},
	} {
		if _, err := Detect(test.src); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q in it", what, err, test.want)
		}
	}
}
