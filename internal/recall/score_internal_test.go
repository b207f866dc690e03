package recall

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// readFor reads a text for a question, each term of which weighs 1.
func readFor(asked, text string) (*reading, question) {
	s := new(stemmer)
	q := understand(asked, time.Time{}, s)
	for i := range q.terms {
		q.terms[i].weight = 1
	}
	rec := memory.Record{Kind: memory.Episodic, Body: memory.Body{Text: text}}
	return s.read(Candidate{Record: &rec}, &rec, q), q
}

// TestPersonalMatch: a match counts more where somebody speaks of themselves.
func TestPersonalMatch(t *testing.T) {
	for text, want := range map[string]float64{
		"Maria: I do yoga.":                           1,
		"Maria: You do yoga? I do yoga as well.":      .5,
		"Maria: I am here. Yoga is good.":             0,
		"Maria: I came here by train.":                0,
		"user: my yoga studio is shut":                1,
		"assistant: I know a yoga studio for my part": 0,
		"I do yoga.": 0,
	} {
		r, q := readFor("yoga", text)
		if got := r.personal(q); got != want {
			t.Errorf("%q is of its speaker for %v, want %v", text, got, want)
		}
	}
}

// TestStated: a match in a sentence that asks counts less, unless an assistant is asked.
func TestStated(t *testing.T) {
	for text, want := range map[string]float64{
		"Maria: Thanks! Is it a yoga studio? It looks good.": 1 - askedLoss,
		"Maria: Yoga is good. What do you do?":               1,
		"Maria: You do yoga? I do yoga as well.":             1 - askedLoss/2,
		"user: Which yoga studio is good?":                   1,
		"Is it a yoga studio？":                               1 - askedLoss,
	} {
		r, q := readFor("yoga", text)
		values := slices.Repeat([]float64{1}, len(q.terms))
		if got := r.stated(values, q)[q.index["yoga"]]; math.Abs(got-want) > 1e-12 {
			t.Errorf("%q counts %v, want %v", text, got, want)
		}
	}
}

// TestNearness: words beside each other count, unless their sentence asks.
func TestNearness(t *testing.T) {
	for text, want := range map[string]float64{
		"Maria: The yoga studio is shut.":                  1,
		"Maria: The yoga studio is shut. What do you do?":  1,
		"Maria: Is the yoga studio shut?":                  0,
		"Maria: Is it yoga? The studio is shut.":           0,
		"Maria: I do yoga where nobody else has a studio.": 0,
	} {
		r, q := readFor("yoga studio", text)
		q.sum()
		if got := r.nearness(q); got != want {
			t.Errorf("%q has the words as near as %v, want %v", text, got, want)
		}
	}
}

// TestLends: a long text lends less of what it matches.
func TestLends(t *testing.T) {
	for words, want := range map[int]float64{5: 1, 20: 1, 320: .5} {
		from, q := readFor("garden", "Ben: Garden"+strings.Repeat(" word", words-2))
		to, _ := readFor("garden", "Anna: Tulips.")
		from.seen.Scope.Session, to.seen.Scope.Session, to.place = "one", "one", 1
		q.sum()
		got := likenesses([]*reading{from, to}, q, 10)[1].with
		if match := from.values[q.index["garden"]]; match == 0 || math.Abs(got-lent(1)*want*match) > 1e-12 {
			t.Errorf("of a match of %v in %d words the next record gets %v, want %v of what it would get of a short one", match, words, got, want)
		}
	}
}

// TestHeld: the words of a name and the parts of a compound count once among the words that a
// record has.
func TestHeld(t *testing.T) {
	for _, tt := range []struct {
		question, text string
		held, covered  float64
	}{
		{"when did Hannah Bright paint the fence", "Hannah Bright is tall", 1, .5},
		{"when did Hannah Bright paint the fence", "Hannah painted the fence", 2.5, .75},
		{"which engine runs parcel-router", "parcel-router is old", 1, .5},
		{"which fence", "a wall", 0, 0},
	} {
		r, q := readFor(tt.question, tt.text)
		parts := r.parts(q)
		if held, covered := q.held(parts), q.covered(parts); math.Abs(held-tt.held) > 1e-12 || math.Abs(covered-tt.covered) > 1e-12 {
			t.Errorf("%q of %q: %v held, %v covered, want %v and %v", tt.text, tt.question, held, covered, tt.held, tt.covered)
		}
	}
}

// TestLeans: a short turn borrows what its conversation says, and a long one nothing.
func TestLeans(t *testing.T) {
	with := func(words int) likeness {
		lends, q := readFor("yoga", "Ann: Do you like yoga?")
		asks, _ := readFor("yoga", "Ben:"+strings.Repeat(" quite", words))
		for i, r := range []*reading{lends, asks} {
			r.place = Doc(i)
			r.seen.Scope.Session = "s"
		}
		lends.asks, lends.asking = false, 0 // an answer borrows all that is asked
		q.total = 1
		return likenesses([]*reading{lends, asks}, q, 5)[1]
	}
	if short, middle, long := with(10).with, with(60).with, with(100).with; short <= middle || middle <= 0 || long != 0 {
		t.Errorf("10 words borrow %v, 60 words %v, 100 words %v", short, middle, long)
	}
}

// TestAssistantAfterOwner: what an assistant says counts less than the same words of others.
func TestAssistantAfterOwner(t *testing.T) {
	owner, q := readFor("tram", "user: The tram is late.")
	assistant, _ := readFor("tram", "assistant: The tram is late.")
	if got := assistant.form(q) / owner.form(q); math.Abs(got-assistantFactor) > 1e-12 {
		t.Errorf("it counts %v, want %v", got, assistantFactor)
	}
}

// TestInstructs: a text that begins with "always" or "never" tells an assistant what to do.
func TestInstructs(t *testing.T) {
	for text, want := range map[string]bool{
		"user: Always name versions when I ask about libraries.": true,
		"Never book anything without asking.":                    true,
		"Antworte kurz. Immer.":                                  true,
		"I always take the tram.":                                false,
		"Anna Maria Berg: Always!":                               true,
		"We went by tram, as always. Never again by bus.":        false,
	} {
		plain, q := readFor("tram", text)
		lasting := *plain
		lasting.instructs = true
		if r := plain.form(q) == lasting.form(q); r != want {
			t.Errorf("%q instructs: %v, want %v", text, r, want)
		}
	}
}
