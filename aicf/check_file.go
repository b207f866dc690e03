package aicf

import (
	"io"
	"strings"
)

// version checks the declared version (AICF-VER-1 to -3, A-28).
func (k *checker) version() {
	first := true
	for _, e := range k.contents.Entries {
		if d, ok := e.(*Declaration); ok {
			k.entry = e
			k.declaration(d, first)
			first = false
		}
	}
	if first {
		k.reportFile(Warning, codeVersionValue, "AICF-VER-1", "the version is not declared; expected @AICF_VERSION with version=%s first", V31)
		return
	}
	v := k.contents.Version
	k.entry = nil
	switch {
	case v.Major() > V31.Major() && !k.options.Force:
		k.reportFile(Broken, codeVersionValue, "AICF-FWD-5", "version %s is of a later kind than %s", v, V31)
	case v > V31:
		k.reportFile(Warning, codeVersionValue, "AICF-FWD-5", "version %s is later than %s; what is new in it is not understood", v, V31)
	}
}

func (k *checker) declaration(d *Declaration, first bool) {
	v, ok := ParseVersion(d.Version)
	switch {
	case d.Version == "":
		k.report("", Broken, codeRequired, "AICF-VER-1", "version required")
	case !ok:
		k.report("version", Broken, codeVersionValue, "AICF-VER-2", "version: expected major.minor, such as %s", V31)
	case !first && v != k.contents.Version:
		k.report("version", Warning, codeVersionValue, "AICF-VER-3", "version %s is declared after %s, which holds", v, k.contents.Version)
	case !d.Bare && d.Version != v.String():
		k.report("version", Warning, codeVersionValue, "AICF-VER-2", "version: expected major.minor, %s", v)
	}
}

// sections reports missing sections: a conversation, and its state.
func (k *checker) sections() {
	conversation, state := false, false
	for _, e := range k.contents.Entries {
		switch e.(type) {
		case *Conversation:
			conversation = true
		case *State:
			state = true
		}
	}
	severity := Broken
	if k.options.Partial {
		severity = Notice
	}
	switch {
	case !conversation:
		k.reportFile(severity, codeMissing, "AICF-VALS-3", "missing @CONVERSATION; --partial accepts a file that is a part of others")
	case !state:
		k.reportFile(severity, codeMissing, "AICF-VALS-3", "missing @STATE beside @CONVERSATION")
	}
}

// feature reports what the declared version does not have (AICF-VALM-4).
func (k *checker) feature(e Entry) {
	if k.contents.Declared == "" || k.contents.Version >= V31 {
		return
	}
	if what := since31(e); what != "" {
		k.report("", Warning, codeFeature, "AICF-VALM-4", "%s is a feature of %s, and the file is of %s", what, V31, k.contents.Version)
	}
}

// references reports ids without an entry in the file or in its companions (AICF-LINKS-7).
func (k *checker) references() {
	for _, e := range k.contents.Entries {
		k.entry = e
		switch e := e.(type) {
		case *Link:
			k.reference(e.From, true, "", "AICF-LINKS-7")
			k.reference(e.To, true, "", "AICF-LINKS-7")
		case *Embedding:
			k.reference(e.Entity, false, "", "AICF-EMB-12")
		case *Consolidation:
			for _, id := range e.SourceItems {
				k.reference(id, true, "source_items", "AICF-CONS-9")
			}
		}
	}
}

// reference looks up the id of an entry, or with vectors of an entity with a vector.
func (k *checker) reference(id string, vectors bool, key, rule string) {
	if id == "" || strings.Contains(id, "->") || k.has(id, vectors) {
		return // it exists, or has a finding already
	}
	k.report(key, k.dangling, codeReference, rule, "dangling reference: nothing has the id %s", quoted(id))
}

// revisions reports ids of several entries, at all but the first.
func (k *checker) revisions() {
	seen := map[string]bool{}
	for i, e := range k.contents.Entries {
		name := k.index.names[i]
		if _, unknown := e.(*Unknown); unknown || name == "" {
			continue
		}
		if seen[name] {
			k.entry = e
			k.report("", Warning, codeRepeatedID, "AICF-CONV-9", "the id %s is repeated; the last entry with it counts", quoted(name))
		}
		seen[name] = true
	}
}

// ValidateStream is [Validate] for a file of numbered sections, which it reads one by one.
// It finds faults of lines and sections, not of the whole file.
func ValidateStream(in io.Reader, options Options) ([]Finding, error) {
	all := findingList{most: options.Limits.withDefaults().Findings}
	scanner := NewScanner(in, options)
	for {
		section, err := scanner.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		entries, read := ReadSection(section)
		k := checker{log: findingList{most: all.most}, options: options}
		for _, e := range entries {
			k.entry = e
			k.entryRules(e)
		}
		for _, f := range append(read, k.log.findings...) {
			all.add(f)
		}
	}
	for _, f := range scanner.Findings() {
		all.add(f)
	}
	return all.inOrder(), nil
}
