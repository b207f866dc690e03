package ump

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// The spellings that models send. A value with one possible meaning is taken, and any
// other is refused. A signed record is never touched.

// clock returns the time of the call, in the caller's time zone; zero: there is no clock.
func (c *Call) clock() time.Time {
	if c.Now == nil {
		return time.Time{}
	}
	return c.Now()
}

// scalarText returns the text of a scalar: that of a string without white space around it,
// and the spelling of a number.
func scalarText(v canon.Value) string {
	if v.Type() == canon.TypeNumber {
		return v.Spelling()
	}
	return strings.TrimSpace(v.Text())
}

// isBlank reports whether a value is a text that says nothing, as models send for an
// argument that they leave out.
func isBlank(v canon.Value) bool {
	return v.Type() == canon.TypeString && strings.TrimSpace(v.Text()) == ""
}

// numeral reads a number, which models also send as a text.
func numeral(v canon.Value) (float64, bool) {
	if v.Type() == canon.TypeNumber {
		return v.Float(), true
	}
	digits := scalarText(v)
	if digits == "" || strings.Trim(digits, "0123456789.") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(digits, 64)
	return n, err == nil
}

// wholeID returns an id with its prefix, if an id results.
func wholeID(id memory.ID) memory.ID {
	id = memory.ID(strings.TrimSpace(string(id)))
	if whole := idPrefix + id; !ValidID(id) && ValidID(whole) {
		return whole
	}
	return id
}

// plainDraft gives a draft or a patch the protocol's spellings, before it is hashed: of
// its kind, of the times of its validity, and of the ids that it supersedes. base is its
// place in the request.
func plainDraft(v canon.Value, base string, now time.Time) (canon.Value, error) {
	if signed(v) {
		return v, nil
	}
	v, err := plainKind(v, base)
	if err != nil {
		return v, err
	}
	if times := v.Get("time"); times.Type() == canon.TypeObject {
		v = v.With("time", plainTime(plainTime(times, "valid_from", now), "valid_to", now))
	}
	prior := v.Get("supersedes")
	if prior.Type() != canon.TypeArray {
		return v, nil
	}
	items := slices.Clone(prior.Items())
	for i, item := range items {
		if item.Type() == canon.TypeString {
			items[i] = canon.String(string(wholeID(memory.ID(item.Text()))))
		}
	}
	return v.With("supersedes", canon.Array(items...)), nil
}

// plainKind gives a draft its kind as one word. A list of one is that one.
func plainKind(v canon.Value, base string) (canon.Value, error) {
	kind := v.Get("kind")
	if kind.Type() == canon.TypeArray {
		if kind.Len() != 1 {
			f := findings{base: base}
			f.add("UMP-2-4", "/kind", "is a list; a memory has one kind, so send one word, such as semantic")
			return v, f.err()
		}
		kind = kind.Items()[0]
		v = v.With("kind", kind)
	}
	if kind.Type() == canon.TypeString {
		v = v.With("kind", canon.String(plainWord(kind.Text())))
	}
	return v, nil
}

// plainTime gives one of the times of a draft the protocol's spelling. What holds from a
// day on holds from its beginning, and what holds to a day holds to its end. Any other
// text is left to the decoder, which refuses it.
func plainTime(times canon.Value, name string, now time.Time) canon.Value {
	text := scalarText(times.Get(name))
	if _, ok := parseInstant(text); ok {
		return times
	}
	p, ok := readPeriod(text, now)
	switch {
	case !ok:
		return times
	case name == "valid_to":
		p.from = p.until
	}
	return times.With(name, canon.String(writeInstant(p.from)))
}

func plainWord(word string) string { return strings.ToLower(strings.TrimSpace(word)) }

// listed returns the words of a text with commas between them.
func listed(text string) []string {
	var words []string
	for word := range strings.SplitSeq(text, ",") {
		if word = plainWord(word); word != "" {
			words = append(words, word)
		}
	}
	return words
}

// positive reads an optional positive integer. One too large to count with is
// as large as can be: the backend has its own maximum.
func (d *decoder) positive(body canon.Value, name, rule string) int {
	if !given(body, name) {
		return 0
	}
	n, ok := numeral(body.Get(name))
	if !ok || n < 1 || n != math.Trunc(n) {
		d.add(rule, "/"+name, "is not a positive whole number; send one such as 8")
		return 0
	}
	return int(min(n, math.MaxInt32))
}

// hints reads the names of preferred signals. Hints never make a query fail
// (UMP-3.2-9).
func hints(v canon.Value) []string {
	var names []string
	for _, item := range v.Items() {
		if s := item.Text(); s != "" && len(names) < maxHints {
			names = append(names, s)
		}
	}
	return names
}

const maxHints = 16
