package recalltest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Needle is a question that one document of a [Corpus] answers.
type Needle struct {
	Question string
	ID       memory.ID
}

// Corpus makes n records of made-up words whose frequencies fall as those of a
// language do, and a question for every five hundredth of them. Equal n give equal
// records. Records of one moment follow each other, ten by ten.
func Corpus(n int) ([]memory.Record, []Needle) {
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.1, 3, vocabulary-1)
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	records := make([]memory.Record, n)
	var needles []Needle
	for i := range records {
		ranks := make([]uint64, 8+random.IntN(20))
		for j := range ranks {
			ranks[j] = zipf.Uint64()
		}
		observed := start.Add(time.Duration(i/10) * 3 * time.Hour)
		records[i] = memory.Record{
			Version: "0.1", ID: memory.ID(fmt.Sprintf("urn:ump:%08d", i)), Kind: kindOf(i),
			Body:  memory.Body{Text: sentence(ranks)},
			Scope: memory.Scope{Owner: "did:key:zOwner"},
			Time:  memory.Times{Created: observed.Add(time.Duration(i%10) * time.Second), Observed: observed},
		}
		if i%500 == 250 {
			needles = append(needles, Needle{Question: ask(ranks), ID: records[i].ID})
		}
	}
	return records, needles
}

// vocabulary is how many different words there are.
const vocabulary = 20_000

func kindOf(i int) memory.Kind {
	if i/10%2 == 0 {
		return memory.Episodic
	}
	return memory.Semantic
}

// sentence spells words out.
func sentence(ranks []uint64) string {
	words := make([]string, len(ranks))
	for i, r := range ranks {
		words[i] = word(r)
	}
	return strings.Join(words, " ") + "."
}

// word spells the word of a rank, in syllables no English rule changes.
func word(rank uint64) string {
	const consonants, vowels = "bdfgklmnprtvz", "aou"
	var b strings.Builder
	for n := rank + 100; n > 0; n /= uint64(len(consonants) * len(vowels)) {
		b.WriteByte(consonants[n%uint64(len(consonants))])
		b.WriteByte(vowels[n/uint64(len(consonants))%uint64(len(vowels))])
	}
	return b.String()
}

// ask makes a question of four of a document's words: neither its rarest, which
// would give it away, nor its commonest.
func ask(ranks []uint64) string {
	sorted := slices.Sorted(slices.Values(ranks))
	at := func(sixth int) uint64 { return sorted[len(sorted)*sixth/6] }
	return "When did " + sentence([]uint64{at(2), at(4), at(1), at(3)})
}
