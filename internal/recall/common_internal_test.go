package recall

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// leastCommon is how often a word must be used in the tagged texts to be common.
const leastCommon = 20

// TestCommon: the table of common words is what WordNet's tagged texts say.
func TestCommon(t *testing.T) {
	if _, err := os.Stat(wordnetFolder); err != nil {
		t.Skip("skipped: WordNet is not in " + wordnetFolder)
	}
	s, uses, all := new(stemmer), make(map[string]int), 0
	err := eachLine(filepath.Join(wordnetFolder, "cntlist.rev"), func(f []string, _ string) {
		lemma, _, _ := strings.Cut(f[0], "%")
		times, _ := strconv.Atoi(f[2])
		all += times
		if stem := oneStem(s, lemma); stem != "" {
			uses[stem] += times
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, stem := range slices.Sorted(maps.Keys(uses)) {
		if uses[stem] >= leastCommon {
			fmt.Fprintf(&want, "%s\t%d\n", stem, uses[stem])
		}
	}
	if *update {
		if err := os.WriteFile("wordnet/common.txt", []byte(want.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Skip("skipped: wordnet/common.txt is written anew; run the test again")
	}
	if commonWords != want.String() || all != taggedWords {
		t.Errorf("wordnet/common.txt is not what WordNet says, or taggedWords is not %d: go test ./internal/recall -run TestCommon -update", all)
	}
}

// TestCommonForm: every common word is found, and is not used more than all words.
func TestCommonForm(t *testing.T) {
	last, all := "", 0
	for line := range strings.Lines(commonWords) {
		stem, uses, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		n, err := strconv.Atoi(uses)
		if err != nil || n < leastCommon || stem <= last || math.Abs(alsoIn(stem, taggedWords)-commonShare*float64(n)) > 1e-9 {
			t.Errorf("line %q behind %q: %v", line, last, err)
		}
		last, all = stem, all+n
	}
	if all < taggedWords/2 || all > taggedWords {
		t.Errorf("common words are used %d times", all)
	}
}

// TestCommonWeight: one record has two words, and one of them is common in English. That one
// weighs less, and much less where records are long. If many records have both, they weigh
// nearly the same.
func TestCommonWeight(t *testing.T) {
	weights := func(df int, average float64) (common, rare float64) {
		q := understand("What did the potter decide about the loom?", time.Time{}, new(stemmer))
		q.weigh(slices.Repeat([]int{df}, len(q.terms)), 1000, 1000*average)
		return q.terms[q.index["decid"]].weight, q.terms[q.index["loom"]].weight
	}
	common, rare := weights(1, 20)
	long, _ := weights(1, 200)
	if rare < 6 || common > .85*rare || long > .8*common {
		t.Errorf("the common word weighs %v, and %v in long records; the rare one %v", common, long, rare)
	}
	if common, rare = weights(300, 20); common < .98*rare {
		t.Errorf("of 1000 records 300 have each word, and the common one weighs %v, the other %v", common, rare)
	}
}
