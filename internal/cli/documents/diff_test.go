package documents

import (
	"slices"
	"testing"
)

// TestPair pairs by the surest key first, and each record once.
func TestPair(t *testing.T) {
	key := func(id, source, text byte) (k keyOf) {
		k[0][0], k[1][0], k[2][0] = id, source, text
		return k
	}
	for name, c := range map[string]struct {
		left, right []keyOf
		want        []match
	}{
		"nothing":             {[]keyOf{key(1, 1, 1)}, nil, []match{{-1, ""}}},
		"an id before a text": {[]keyOf{key(1, 0, 9), key(2, 0, 9)}, []keyOf{key(2, 0, 9), key(1, 0, 8)}, []match{{1, "id"}, {0, "id"}}},
		"a source before a text": {[]keyOf{key(0, 5, 1), key(0, 6, 1)}, []keyOf{key(0, 6, 1), key(0, 5, 2)},
			[]match{{1, "source"}, {0, "source"}}},
		"twins in their order":           {[]keyOf{key(0, 0, 1), key(0, 0, 1), key(0, 0, 1)}, []keyOf{key(0, 0, 1), key(0, 0, 1)}, []match{{0, "text"}, {1, "text"}, {-1, ""}}},
		"the same text, of another kind": {[]keyOf{{3: {7}}}, []keyOf{{2: {1}, 3: {7}}}, []match{{0, "text"}}},
		"the same kind first":            {[]keyOf{{2: {1}, 3: {7}}}, []keyOf{{2: {2}, 3: {7}}, {2: {1}, 3: {7}}}, []match{{1, "text"}}},
		"no id is none in common":        {[]keyOf{key(0, 0, 1)}, []keyOf{key(0, 0, 2)}, []match{{-1, ""}}},
		"an id that the other lacks":     {[]keyOf{key(1, 0, 3)}, []keyOf{key(0, 0, 3)}, []match{{0, "text"}}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := pair(c.left, c.right); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
