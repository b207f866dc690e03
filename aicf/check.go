package aicf

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Check applies the rules that concern more than the spelling of a line, in the order of
// the lines. It does not repeat findings of [Read].
func Check(c *Contents, o Options) []Finding {
	x := c.Index()
	return check(x, o, x.has, Warning)
}

// CheckTogether checks files that belong together, and returns the findings of each. Ids
// may name entries of another file; an id without an entry is an error (AICF-LINKS-7).
func CheckTogether(files []*Contents, o Options) [][]Finding {
	indexes := make([]*Index, len(files))
	entities, vectors := map[string]bool{}, map[string]bool{}
	for i, c := range files {
		indexes[i] = c.Index()
		for _, name := range indexes[i].names {
			entities[name] = true
		}
		maps.Copy(vectors, indexes[i].embedded)
	}
	has := func(id string, withVectors bool) bool { return entities[id] || withVectors && vectors[id] }
	found := make([][]Finding, len(files))
	for i, x := range indexes {
		found[i] = check(x, o, has, Broken)
	}
	return found
}

// check applies the rules. has reports whether an entity exists, or with vectors whether it
// has a vector. dangling is the severity of a missing entity.
func check(x *Index, o Options, has func(id string, vectors bool) bool, dangling Severity) []Finding {
	k := checker{log: findingList{most: o.Limits.withDefaults().Findings}, contents: x.contents, options: o, index: x, has: has, dangling: dangling}
	k.version()
	k.sections()
	for _, e := range k.contents.Entries {
		k.entry = e
		k.entryRules(e)
		k.feature(e)
	}
	k.references()
	k.revisions()
	return k.log.inOrder()
}

// Validate returns all that is wrong or unusual about a file, in the order of the lines;
// findings about the whole file come first. [Fatal] says whether they make it invalid.
// Validate fails only when the file exceeds a limit.
func Validate(data []byte, o Options) ([]Finding, error) {
	f, err := Parse(data, o)
	if err != nil {
		return nil, err
	}
	c, read := Read(f, o)
	all := findingList{most: o.Limits.withDefaults().Findings}
	for _, found := range [][]Finding{c.Dialect.about(f.Findings()), read, Check(c, o)} {
		for _, finding := range found {
			all.add(finding)
		}
	}
	return all.inOrder(), nil
}

// checker applies the rules to one entry after the other.
type checker struct {
	log      findingList
	contents *Contents
	options  Options
	index    *Index
	has      func(id string, vectors bool) bool
	dangling Severity
	entry    Entry
	keyed    Entry          // the entry whose lines the map has
	lines    map[string]int // the last line with each key
}

// entryRules applies the rules of an entry's section.
func (k *checker) entryRules(e Entry) {
	switch e := e.(type) {
	case *Session:
		k.session(e)
	case *Conversation:
		k.conversation(e)
	case *State:
		k.state(e)
	case *Insight:
		k.insight(e)
	case *Decision:
		k.decision(e)
	case *Link:
		k.link(e)
	case *Embedding:
		k.embedding(e)
	case *Consolidation:
		k.consolidation(e)
	}
}

// report adds a finding about the entry, at the line of a key if it has one.
func (k *checker) report(key string, severity Severity, code, rule, format string, args ...any) {
	if severity == Broken && k.contents != nil && !k.contents.Dialect.Sections() && code != codeVersionValue {
		severity = Warning // the format requires it, and that dialect does not
	}
	if k.log.full() {
		return
	}
	f := Finding{Code: code, Rule: rule, Severity: severity, Message: fmt.Sprintf(format, args...)}
	if k.entry != nil {
		f.Line, f.Section = k.lineOf(key), sectionOf(k.entry)
	}
	k.log.add(f)
}

// reportFile adds a finding about the whole file.
func (k *checker) reportFile(severity Severity, code, rule, format string, args ...any) {
	k.entry = nil
	k.report("", severity, code, rule, format, args...)
}

// lineOf returns the place of the last line with a key, else of the entry.
func (k *checker) lineOf(key string) int {
	place := k.entry.Place()
	if key == "" || place.Line == 0 {
		return place.Line
	}
	if k.keyed != k.entry {
		k.keyed, k.lines = k.entry, map[string]int{}
		at := place.Line
		for text := range strings.SplitSeq(place.Raw, "\n") {
			if before, _, ok := strings.Cut(text, "="); ok {
				k.lines[before] = at
			}
			at++
		}
	}
	if line, ok := k.lines[key]; ok {
		return line
	}
	return place.Line
}

// sectionOf names an entry's section in a finding.
func sectionOf(e Entry) string {
	name, id := Heading(e)
	switch e := e.(type) {
	case *State:
		if e.Scope == ScopeSession {
			id = ""
		}
	case *Carried, *Unknown:
		return ""
	}
	if id == "" {
		return name
	}
	return name + " " + strings.ToValidUTF8(id[:min(len(id), 80)], "?")
}

// required reports a missing member. An unreadable one has a finding already.
func (k *checker) required(there bool, extra []Field, key, rule string) {
	if there || slices.ContainsFunc(extra, func(f Field) bool { return f.Key == key }) {
		return
	}
	k.report("", Broken, codeRequired, rule, "%s required", key)
}

// identified reports a section without its required identifier.
func (k *checker) identified(id, rule string) {
	if id == "" {
		k.report("", Broken, codeRequired, rule, "an identifier required behind the name of the section")
	}
}

// word reports a word that is not in the list.
func (k *checker) word(w Word, possible List, key, rule string) {
	if w == "" || possible.Has(w) {
		return
	}
	k.report(key, Warning, codeEnum, rule, "%s: expected one of %s, found %s", key, possible, quoted(string(w)))
}
