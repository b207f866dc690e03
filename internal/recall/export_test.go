package recall

// MaxTerm exports maxTerm to the external tests.
const MaxTerm = maxTerm

// Term is one word that finds a text. Several terms may stand at one position: "parseURL"
// is "parse", "url" and "parseurl", "lives" is "live" and "life".
type Term struct {
	Text     string // folded, in lower case, English words as their stem; 1 to 64 bytes
	Position int    // which word of the text, from 0
}

// Terms returns the terms of text in order of position: words as stems; numbers,
// identifiers, paths and versions whole as well as in parts; single characters and pairs of
// them in a script without spaces. Stop words are left out unless text has nothing else.
// Terms is deterministic, never fails, and returns valid UTF-8 for any input.
func Terms(text string) []Term {
	var terms []Term
	tokens := new(stemmer).tokens(text)
	for _, wanted := range []bool{false, true} { // stop words only if there is nothing else
		for _, t := range tokens {
			if t.is(stop) == wanted {
				terms = append(terms, Term{t.term, t.position})
			}
		}
		if len(terms) > 0 {
			break
		}
	}
	return terms
}

// Weight is a number of the ranking and the values that a search for a better one tries.
type Weight struct {
	Name   string
	At     *float64
	Values []float64
}

// Weights returns the numbers of the ranking to search for. A number that is a constant
// becomes a variable to be listed here.
func Weights() []Weight {
	return []Weight{
		{"leanFully", &leanFully, []float64{20, 30, 50}},
		{"leanNever", &leanNever, []float64{60, 110}},
		{"assistantFactor", &assistantFactor, []float64{.6, .8}},
		{"passageWords", &passageWords, []float64{40, 90}},
		{"passageShare", &passageShare, []float64{.5, .85, 1}},
		{"longShare", &longShare, []float64{.5, 1}},
		{"longFactor", &longFactor, []float64{0, .2}},
		{"nearFactor", &nearFactor, []float64{0, .1, .4}},
		{"asksFactor", &asksFactor, []float64{.7, .9}},
		{"speakerFactor", &speakerFactor, []float64{1.1, 1.4}},
		{"datedFactor", &datedFactor, []float64{1.1, 1.3}},
		{"countedFactor", &countedFactor, []float64{1, 1.2}},
		{"whoFactor", &whoFactor, []float64{1, 1.2}},
		{"whereFactor", &whereFactor, []float64{1, 1.15}},
		{"instantWeight", &instantWeight, []float64{.3, .45, .8}},
		{"lengthShare", &lengthShare, []float64{.2, .45, .6}},
		{"saturation", &saturation, []float64{.6, 1.2}},
	}
}
