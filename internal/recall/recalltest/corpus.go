package recalltest

import (
	"fmt"
	"math"
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

// Corpus makes n records of invented words, and a question for every two hundredth of them.
// The k-th commonest word is a k-th as frequent as the first, as in a language. The records
// are unrelated lasting facts, learnt ten at a time. Equal n give equal records.
func Corpus(n int) ([]memory.Record, []Needle) {
	var d dice
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	records := make([]memory.Record, n)
	var needles []Needle
	for i := range records {
		ranks := make([]int, 8+int(20*d.roll()))
		for j := range ranks {
			ranks[j] = int(math.Pow(vocabulary, d.roll()))
		}
		observed := start.Add(time.Duration(i/10) * 3 * time.Hour)
		records[i] = memory.Record{
			Version: "0.1", ID: memory.ID(fmt.Sprintf("urn:ump:%08d", i)), Kind: memory.Semantic,
			Body:  memory.Body{Text: sentence(ranks)},
			Scope: memory.Scope{Owner: "did:key:zOwner"},
			Time:  memory.Times{Created: observed.Add(time.Duration(i%10) * time.Second), Observed: observed},
		}
		if i%200 == 100 {
			needles = append(needles, Needle{Question: ask(ranks), ID: records[i].ID})
		}
	}
	return records, needles
}

// dice rolls numbers that look random and are the same every time (SplitMix64).
type dice uint64

// roll returns a number from 0 to 1, without 1.
func (d *dice) roll() float64 {
	*d += 0x9e3779b97f4a7c15
	z := uint64(*d)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return float64((z^z>>31)>>11) / (1 << 53)
}

// vocabulary is the number of different words.
const vocabulary = 20_000

// sentence spells words.
func sentence(ranks []int) string {
	words := make([]string, len(ranks))
	for i, r := range ranks {
		words[i] = word(r)
	}
	return strings.Join(words, " ") + "."
}

// word spells the word of a rank, in syllables that no English rule changes.
func word(rank int) string {
	const consonants, vowels = "bdfgklmnprtvz", "aou"
	var b strings.Builder
	for n := rank + 100; n > 0; n /= len(consonants) * len(vowels) {
		b.WriteByte(consonants[n%len(consonants)])
		b.WriteByte(vowels[n/len(consonants)%len(vowels)])
	}
	return b.String()
}

// ask makes a question of four of a document's words: neither its rarest, which would give
// it away, nor its commonest.
func ask(ranks []int) string {
	sorted := slices.Sorted(slices.Values(ranks))
	at := func(sixth int) int { return sorted[len(sorted)*sixth/6] }
	return "When did " + sentence([]int{at(2), at(4), at(1), at(3)})
}
