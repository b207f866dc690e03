package aicf

import (
	"reflect"
	"strings"
)

// ParseEntry reads the lines of an entry of [Spec], without numbers, as an entry of the
// kind of like; false: they are not one such entry.
func ParseEntry(raw string, like Entry) (Entry, bool) { return readRaw(Spec, raw, like) }

// readRaw reads the lines of an entry as an entry of the kind of like, since a row does not
// name its section. False: they are not one such entry.
func readRaw(d Dialect, raw string, like Entry) (Entry, bool) {
	texts := strings.Split(raw, "\n")
	lines := make([]line, len(texts))
	for i, text := range texts {
		lines[i] = line{i + 1, text}
	}
	how, ok := readers[d]
	if !ok || how.entry == nil {
		return nil, false
	}
	entries := how.entry(&parser{}, lines, like)
	if len(entries) != 1 || reflect.TypeOf(entries[0]) != reflect.TypeOf(like) {
		return nil, false
	}
	return entries[0], true
}

// unchanged reports whether the lines of an entry still match it, so that they can be
// written again.
func unchanged(d Dialect, e Entry) bool {
	place := *e.Place()
	if place == (Origin{}) {
		return false
	}
	read, ok := readRaw(d, place.Raw, e)
	if !ok {
		return false
	}
	read.Place().Line = place.Line
	return reflect.DeepEqual(read, e)
}

// again reads lines that are one entry.
func (r *parser) again(lines []line, like Entry) []Entry {
	if _, ok := like.(*Gap); ok {
		return gap(nil, lines)
	}
	if headerOf(lines[0].text).shape != noHead {
		return r.section(lines)
	}
	if name, ok := rowName(like); ok && len(lines) == 1 {
		return []Entry{r.row(name, lines[0], lines[0].text)}
	}
	return nil
}

// rowName returns the section of an entry in one line.
func rowName(e Entry) (string, bool) {
	switch e.(type) {
	case *Insight:
		return "INSIGHTS", true
	case *Decision:
		return "DECISIONS", true
	case *Link:
		return "LINKS", true
	}
	return "", false
}
