package codec_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/codec"
)

func TestDistance(t *testing.T) {
	long := strings.Repeat("a", 65)
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"tea", "", 3}, {"tea", "tee", 1}, {"tea", "eta", 1}, {"tea", "teas", 1}, {"tea", "ea", 1},
		{"thé", "the", 1}, {"日本", "日", 1}, {"recall", "racell", 2}, {long, "a", 64}, {long, long, 64},
	} {
		if got := codec.Distance(c.a, c.b); got != c.want || codec.Distance(c.b, c.a) != got {
			t.Errorf("%q and %q differ by %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestMeant(t *testing.T) {
	known := []string{"project", "query", "kind", "später"}
	for word, want := range map[string]string{"projct": "project", "qurey": "query", "kin": "kind", "spater": "später", "project": "", "mood": "", "": ""} {
		if got := codec.ClosestWord(word, known); got != want {
			t.Errorf("%q means %q, want %q", word, got, want)
		}
	}
}
