package formats

import (
	"testing"

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
