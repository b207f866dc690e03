package aicf

import "strings"

// version holds the file to what it declares (AICF-VER-1 to -3, A-28).
func (k *checking) version() {
	first := true
	for _, e := range k.contents.Entries {
		if d, ok := e.(*Declaration); ok {
			k.entry = e
			k.declaration(d, first)
			first = false
		}
	}
	if first {
		k.whole(Warning, codeVersionValue, "AICF-VER-1", "the version is not declared; expected @AICF_VERSION with version=%s first", V31)
		return
	}
	v := k.contents.Version
	k.entry = nil
	switch {
	case v.Major() > V31.Major() && !k.options.Force:
		k.whole(Broken, codeVersionValue, "AICF-FWD-5", "version %s is of a later kind than %s", v, V31)
	case v > V31:
		k.whole(Warning, codeVersionValue, "AICF-FWD-5", "version %s is later than %s; what is new in it is not understood", v, V31)
	}
}

func (k *checking) declaration(d *Declaration, first bool) {
	v, ok := ParseVersion(d.Version)
	switch {
	case d.Version == "":
		k.find("", Broken, codeRequired, "AICF-VER-1", "version required")
	case !ok:
		k.find("version", Broken, codeVersionValue, "AICF-VER-2", "version: expected major.minor, such as %s", V31)
	case !first && v != k.contents.Version:
		k.find("version", Warning, codeVersionValue, "AICF-VER-3", "version %s is declared after %s, which holds", v, k.contents.Version)
	case !d.Bare && d.Version != v.String():
		k.find("version", Warning, codeVersionValue, "AICF-VER-2", "version: expected major.minor, %s", v)
	}
}

// sections tells of sections that a file needs: a conversation, and a state with it
//
func (k *checking) sections() {
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
		k.whole(severity, codeMissing, "AICF-VALS-3", "missing @CONVERSATION; a file that is a part of others is valid as one")
	case !state:
		k.whole(severity, codeMissing, "AICF-VALS-3", "missing @STATE beside @CONVERSATION")
	}
}

// feature tells of what the version that is declared does not have (AICF-VALM-4).
func (k *checking) feature(e Entry) {
	if k.contents.Declared == "" || k.contents.Version >= V31 {
		return
	}
	if what := since31(e); what != "" {
		k.find("", Warning, codeFeature, "AICF-VALM-4", "%s is a feature of %s, and the file is of %s", what, V31, k.contents.Version)
	}
}

// references tells of ids that nothing has, in the file or in those it belongs with
// (AICF-LINKS-7).
func (k *checking) references() {
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

// reference looks for the id of an entry, or of what has a vector where that will do.
func (k *checking) reference(id string, vectors bool, key, rule string) {
	if id == "" || strings.Contains(id, "->") || k.has(id, vectors) {
		return // there, or told of already
	}
	k.find(key, k.dangling, codeReference, rule, "dangling reference: nothing has the id %s", quoted(id))
}

// revisions tells of ids that stand for several entries, at all but the first.
func (k *checking) revisions() {
	seen := map[string]bool{}
	for i, e := range k.contents.Entries {
		name := k.index.names[i]
		if _, unknown := e.(*Unknown); unknown || name == "" {
			continue
		}
		if seen[name] {
			k.entry = e
			k.find("", Warning, codeRepeatedID, "AICF-CONV-9", "the id %s is repeated; the last entry with it counts", quoted(name))
		}
		seen[name] = true
	}
}
