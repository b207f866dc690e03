package aicf

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Check holds contents to the rules of the format that concern more than the spelling of
// a line, in the order of the lines. What [Read] told of a value is not told again.
func Check(c *Contents, o Options) []Finding {
	x := c.Index()
	return check(x, o, x.has, Warning)
}

// CheckTogether does so for files that belong together, and returns what it found about
// each. Ids may then be those of another file, and one that none has is an error
// (AICF-LINKS-7).
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

// check holds contents to the rules. has looks for an entity, or also for one that only
// has a vector; how bad it is that there is none, dangling says.
func check(x *Index, o Options, has func(id string, vectors bool) bool, dangling Severity) []Finding {
	k := checking{log: log{most: o.Limits.withDefaults().Findings}, contents: x.contents, options: o, index: x, has: has, dangling: dangling}
	k.version()
	k.sections()
	for _, e := range k.contents.Entries {
		k.entry = e
		k.one(e)
		k.feature(e)
	}
	k.references()
	k.revisions()
	return k.log.inOrder()
}

// Validate returns all that is wrong or unusual about a file, in the order of the lines,
// what concerns the file as a whole first. [Fatal] says whether that makes it invalid.
// It fails only where a limit is exceeded.
func Validate(data []byte, o Options) ([]Finding, error) {
	f, err := Parse(data, o)
	if err != nil {
		return nil, err
	}
	c, read := Read(f, o)
	all := log{most: o.Limits.withDefaults().Findings}
	for _, found := range [][]Finding{c.Dialect.about(f.Findings()), read, Check(c, o)} {
		for _, finding := range found {
			all.add(finding)
		}
	}
	return all.inOrder(), nil
}

// checking is one run of the rules, and the entry it is at.
type checking struct {
	log      log
	contents *Contents
	options  Options
	index    *Index
	has      func(id string, vectors bool) bool
	dangling Severity
	entry    Entry
	keyed    Entry          // of which lines holds the places
	lines    map[string]int // of the last line with each key
}

// one dispatches to the rules of a section.
func (k *checking) one(e Entry) {
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

// find tells something about the entry, at the line of a key if it has one.
func (k *checking) find(key string, severity Severity, code, rule, format string, args ...any) {
	if severity == Broken && k.contents != nil && !k.contents.Dialect.sections() && code != codeVersionValue {
		severity = Warning // it is demanded of this format's files, and not of that dialect's
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

// whole tells something about the file as a whole.
func (k *checking) whole(severity Severity, code, rule, format string, args ...any) {
	k.entry = nil
	k.find("", severity, code, rule, format, args...)
}

// lineOf returns the place of the last line with a key; of the entry, if there is none.
func (k *checking) lineOf(key string) int {
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

// sectionOf names the section of an entry in a finding.
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

// required tells of a member that is missing. If it is there and could not be read, that
// was told.
func (k *checking) required(there bool, extra []Field, key, rule string) {
	if there || slices.ContainsFunc(extra, func(f Field) bool { return f.Key == key }) {
		return
	}
	k.find("", Broken, codeRequired, rule, "%s required", key)
}

// identified tells of a section without the identifier that it needs.
func (k *checking) identified(id, rule string) {
	if id == "" {
		k.find("", Broken, codeRequired, rule, "an identifier required behind the name of the section")
	}
}

// among holds a word to the list of what is possible.
func (k *checking) among(w Word, possible List, key, rule string) {
	if w == "" || possible.Has(w) {
		return
	}
	k.find(key, Warning, codeEnum, rule, "%s: expected one of %s, found %s", key, possible, quoted(string(w)))
}
