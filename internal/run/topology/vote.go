package topology

import (
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/pattern"
)

// normalised returns the form in which outputs are compared: JSON in its canonical form, and
// any other text trimmed and without differences of case (decision R38).
func normalised(output string) string {
	output = strings.TrimSpace(output)
	if v, err := canon.Parse([]byte(output), canon.Options{}); err == nil {
		return string(v.AppendCanonical(nil))
	}
	return strings.Map(folded, output)
}

// folded returns the least rune that differs from r in case only, as [strings.EqualFold]
// compares.
func folded(r rune) rune {
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return least
}

// chosen returns the output that a referee chose: that of the agent it names, alone or as
// {"choice": NAME}. Any other answer is the result itself.
func chosen(answer string, some []Outcome) string {
	name := answer
	if v := structuredText(answer).Get("choice"); v.Type() == canon.TypeString {
		name = v.Text()
	}
	name = normalised(strings.Trim(strings.TrimSpace(name), "\"'`*."))
	for _, o := range some {
		if normalised(o.Alias) == name {
			return o.Output
		}
	}
	return answer
}

// numberForm is the form of a score within a text.
var numberForm = pattern.New(`[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?`)

// scoreOf returns the score that an evaluator gave: a number, the member score of an object,
// or the first number of a text.
func scoreOf(answer string) (float64, bool) {
	if v := structuredText(answer); v.Type() == canon.TypeObject {
		v = v.Get("score")
		return v.Float(), v.Type() == canon.TypeNumber
	}
	f, err := strconv.ParseFloat(numberForm.FindString(answer), 64)
	return f, err == nil && !math.IsInf(f, 0)
}

// tally is what evaluators gave for an output.
type tally struct {
	output string
	sum    float64
	n      int
}

func (t *tally) add(answer string) {
	if score, ok := scoreOf(answer); ok {
		t.sum += score
		t.n++
	}
}

// highest returns the output with the highest mean; false if none has a score.
func highest(all []tally) (output string, found bool) {
	best := math.Inf(-1)
	for _, t := range all {
		if mean := t.sum / float64(t.n); t.n > 0 && mean > best {
			best, output, found = mean, t.output, true
		}
	}
	return output, found
}
