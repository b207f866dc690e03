package memory_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/memory"
)

func TestShortIDs(t *testing.T) {
	tests := []struct {
		name        string
		ids, beside []memory.ID
		want        string
	}{
		{"one", []memory.ID{"urn:ump:abcdefghijkl"}, nil, "abcdefgh"},
		{"apart", []memory.ID{"urn:ump:abcdefghijkl", "urn:ump:zbcdefghijkl"}, nil, "abcdefgh zbcdefgh"},
		{"alike in eight", []memory.ID{"urn:ump:abcdefghijkl", "urn:ump:abcdefghizkl"}, nil, "abcdefghij abcdefghiz"},
		{"alike with one beside", []memory.ID{"urn:ump:abcdefghijkl"}, []memory.ID{"urn:ump:abcdefghijkm"}, "abcdefghijkl"},
		{"itself beside", []memory.ID{"urn:ump:abcdefghijkl"}, []memory.ID{"urn:ump:abcdefghijkl"}, "abcdefgh"},
		{"in any order, twice", []memory.ID{"urn:ump:zbcdefghijkl", "urn:ump:abcdefghijkl", "urn:ump:zbcdefghijkl"}, nil, "zbcdefgh abcdefgh zbcdefgh"},
		{"shorter than eight", []memory.ID{"urn:ump:01", "urn:ump:010"}, nil, "01 010"},
		{"beginning of another", []memory.ID{"urn:ump:abcdefghi", "urn:ump:abcdefghij"}, nil, "abcdefghi abcdefghij"},
		{"prefix twice", []memory.ID{"urn:ump:urn:ump:abcdefgh"}, nil, "urn:ump:urn:ump:abcdefgh"},
		{"no prefix", []memory.ID{"elsewhere-0123456789"}, nil, "elsewhere-0123456789"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			short := memory.ShortIDs(tt.ids, tt.beside...)
			var got []string
			for _, id := range tt.ids {
				got = append(got, short[id])
			}
			if got := strings.Join(got, " "); got != tt.want {
				t.Errorf("ShortIDs is %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAmbiguousIDNamesNoText(t *testing.T) {
	err := &memory.AmbiguousID{Name: "abcd", More: true, Candidates: []memory.Record{
		{ID: "urn:ump:abcdefghijkl", Body: memory.Body{Text: "a secret"}}, {ID: "urn:ump:abcdzfghijkl"}}}
	const want = "several memories have an ID that begins with abcd: abcdefgh, abcdzfgh, …; give one of these"
	if got := err.Error(); got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}
