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

// Models send many spellings. These functions accept a value with one possible meaning
// and refuse every other. They never change a signed record.

// clock returns the time of the call in the caller's time zone, or zero without a clock.
func (c *Call) clock() time.Time {
	if c.Now == nil {
		return time.Time{}
	}
	return c.Now()
}

// textOf returns the text of a scalar: a string without white space around it, or the
// spelling of a number.
func textOf(v canon.Value) string {
	if v.Type() == canon.TypeNumber {
		return v.Spelling()
	}
	return strings.TrimSpace(v.Text())
}

// isBlank reports whether a value is a text without content. Models send one for an
// argument that they leave out.
func isBlank(v canon.Value) bool {
	return v.Type() == canon.TypeString && strings.TrimSpace(v.Text()) == ""
}

// parseNumber reads a number. Models also send numbers as texts.
func parseNumber(v canon.Value) (float64, bool) {
	if v.Type() == canon.TypeNumber {
		return v.Float(), true
	}
	digits := textOf(v)
	if digits == "" || strings.Trim(digits, "0123456789.") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(digits, 64)
	return n, err == nil
}

// wholeID adds the prefix to an id if the result is a valid id.
func wholeID(id memory.ID) memory.ID {
	id = memory.ID(strings.TrimSpace(string(id)))
	if whole := idPrefix + id; !ValidID(id) && ValidID(whole) {
		return whole
	}
	return id
}

// normalizeDraft writes the kind, the times of validity and the superseded ids of a
// draft or patch in the protocol's spelling, before the record is hashed. base is the
// draft's pointer in the request.
func normalizeDraft(v canon.Value, base string, now time.Time) (canon.Value, error) {
	if hasIntegrity(v) {
		return v, nil
	}
	v, err := normalizeKind(v, base)
	if err != nil {
		return v, err
	}
	if times := v.Get("time"); times.Type() == canon.TypeObject {
		v = v.With("time", normalizeTime(normalizeTime(times, "valid_from", now), "valid_to", now))
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

// normalizeKind writes the kind of a draft as one word. It accepts a list with one
// word.
func normalizeKind(v canon.Value, base string) (canon.Value, error) {
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
		v = v.With("kind", canon.String(normalizeWord(kind.Text())))
	}
	return v, nil
}

// normalizeTime writes one of the times of a draft in the protocol's spelling. A
// validity from a day begins at the start of the day, and one to a day ends at its
// end. It leaves any other text to the decoder, which refuses it.
func normalizeTime(times canon.Value, name string, now time.Time) canon.Value {
	text := textOf(times.Get(name))
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

func normalizeWord(word string) string { return strings.ToLower(strings.TrimSpace(word)) }

// splitWords splits a text at its commas.
func splitWords(text string) []string {
	var words []string
	for word := range strings.SplitSeq(text, ",") {
		if word = normalizeWord(word); word != "" {
			words = append(words, word)
		}
	}
	return words
}

// positive reads an optional positive integer. It reduces a number that is too large
// to the largest one: the backend has its own maximum.
func (d *decoder) positive(body canon.Value, name, rule string) int {
	if !isGiven(body, name) {
		return 0
	}
	n, ok := parseNumber(body.Get(name))
	if !ok || n < 1 || n != math.Trunc(n) {
		d.add(rule, "/"+name, "is not a positive whole number; send one such as 8")
		return 0
	}
	return int(min(n, math.MaxInt32))
}

// preferences reads the names of preferred signals. Hints never make a query fail
// (UMP-3.2-9).
func preferences(v canon.Value) []string {
	var names []string
	for _, item := range v.Items() {
		if s := item.Text(); s != "" && len(names) < maxPreferences {
			names = append(names, s)
		}
	}
	return names
}

const maxPreferences = 16

// wordings reads the other wordings of a question: an array of texts, or one text. It
// leaves out blank ones.
func (d *decoder) wordings(body canon.Value) []string {
	const rule = "UMP-3.2-1"
	if !isGiven(body, "also") {
		return nil
	}
	said := body.Get("also")
	items := said.Items()
	switch said.Type() {
	case canon.TypeArray:
	case canon.TypeString:
		items = []canon.Value{said}
	default:
		d.add(rule, "/also", "is not an array of texts; put the other wordings in brackets")
	}
	var all []string
	for i, item := range items {
		place := itemPointer("/also", i)
		switch {
		case i == memory.MaxAlso:
			d.add(rule, place, "is one wording too many; give at most "+strconv.Itoa(memory.MaxAlso))
			return all
		case item.Type() != canon.TypeString:
			d.add(rule, place, "is not a string; write it in quotes, or leave it out")
		case len(item.Text()) > d.lim.Text:
			d.add(rule, place, tooLong(d.lim.Text))
		case !isBlank(item):
			all = append(all, item.Text())
		}
	}
	return all
}
