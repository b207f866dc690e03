package ump

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// requestPart lists the members of an operation's request.
func requestPart(op Operation) part {
	switch op {
	case OpCapabilities:
		return part{shape: shape{"client"}}
	case OpRecall:
		return part{
			shape: shape{"query", "also", "scope", "filter", "limit", "budget", "ranking_hints", "format"},
			parts: []part{{"scope", scopeShape, nil}, {"filter", shape{"kind", "status", "valid_at"}, nil}},
		}
	case OpRemember:
		return part{shape: shape{"record", "keep_secrets"}}
	case OpGet:
		return part{shape: shape{"id", "view"}}
	case OpRevise:
		return part{shape: shape{"id", "patch", "actor", "keep_secrets"}}
	case OpForget:
		return part{shape: shape{"id", "reason", "note", "actor", "hard", "chain"}}
	case OpFeedback:
		return part{shape: shape{"id", "outcome", "session"}}
	}
	return part{}
}

// mostWarnings is the most unknown members that one answer lists.
const mostWarnings = 20

// checkMembers returns a warning for every member of the request that its operation
// does not know. If the call is strict, it refuses the request instead.
func (c *Call) checkMembers(body canon.Value) ([]memory.Warning, error) {
	if c.Strict {
		return nil, CheckRequest(c.Operation, body, nil)
	}
	var warnings []memory.Warning
	unknownArguments(c.Operation, body, nil, func(path, advice string) {
		if len(warnings) < mostWarnings {
			warnings = append(warnings, memory.Warning{Path: path, Message: "is not known here and was ignored; " + advice})
		}
	})
	return warnings, nil
}

// CheckRequest refuses a request with a member that its operation does not know, and
// suggests the member that the caller probably meant. A binding with further arguments
// passes their names in own: CheckRequest accepts and suggests them.
func CheckRequest(op Operation, body canon.Value, own []string) error {
	var f findings
	unknownArguments(op, body, own, func(path, advice string) {
		f.add("UMP-3-1", path, "is not known here; "+advice)
	})
	return f.err()
}

// unknownArguments calls found with each member of a request that neither its
// operation nor its binding knows. asDraft and asPatch check drafts and patches.
func unknownArguments(op Operation, body canon.Value, own []string, found func(path, advice string)) {
	if op == OpRemember && !body.Has("record") {
		return // the body is the record
	}
	root := requestPart(op)
	offered := root
	if len(own) > 0 {
		offered.shape, root.shape = own, append(slices.Clone(own), root.shape...)
	}
	root.unknownMembers(body, "", func(in part, base string, m canon.Member) {
		if base == "" {
			in = offered
		}
		advice := "known here: " + strings.Join(in.shape, ", ")
		if meant := offered.suggest(in, base, m.Name); meant != "" {
			if name := strings.TrimPrefix(meant, "/"); slices.Contains(own, name) {
				meant = name
			}
			advice = "did you mean " + meant + "?"
		}
		found(base+canon.Pointer(codec.Excerpt(m.Name)), advice)
	})
}

// asDraft accepts the member text as body.text. It refuses every other unknown
// member, because it would be signed without a meaning. It returns a draft with
// integrity unchanged: that is a finished record.
func asDraft(v canon.Value, base string) (canon.Value, error) {
	if hasIntegrity(v) {
		return v, nil
	}
	v, err := withText(v, base)
	if err != nil {
		return v, err
	}
	return v, checkKnown(v, base, false)
}

// hasIntegrity reports whether a draft carries integrity.
func hasIntegrity(v canon.Value) bool {
	t := v.Get("integrity").Type()
	return t != canon.TypeUndefined && t != canon.TypeNull
}

// AsPatch accepts the member text of a merge patch as body.text. It refuses a patch
// that adds a member which section 2 does not name, and every patch that [CheckPatch]
// refuses.
func AsPatch(raw []byte) ([]byte, error) {
	v, err := canon.Parse(raw, canon.Options{})
	if err != nil {
		return nil, fromCanon(err, formatName, "")
	}
	if v, err = asPatch(v, ""); err != nil {
		return nil, err
	}
	return v.Append(nil), nil
}

// asPatch is AsPatch for the tree at base in its request.
func asPatch(v canon.Value, base string) (canon.Value, error) {
	if err := checkPatch(v, base); err != nil {
		return v, err
	}
	v, err := withText(v, base)
	if err != nil {
		return v, err
	}
	return v, checkKnown(v, base, true)
}

// withText moves the member text into the body.
func withText(v canon.Value, base string) (canon.Value, error) {
	text := v.Get("text")
	if text.Type() == canon.TypeUndefined {
		return v, nil
	}
	f := findings{base: base}
	body := v.Get("body")
	switch {
	case text.Type() != canon.TypeString:
		f.add("UMP-2-6", "/text", "is not a string")
	case isGiven(body, "text") && !canon.Equal(body.Get("text"), text):
		f.add("UMP-2-6", "/text", "and "+base+"/body/text differ; send one of them")
	case body.Type() == canon.TypeUndefined, body.Type() == canon.TypeNull:
		return v.Without("text").With("body", canon.Object(canon.Member{Name: "text", Value: text})), nil
	case body.Type() == canon.TypeObject:
		return v.Without("text").With("body", body.With("text", text)), nil
	default:
		return v.Without("text"), nil // the decoder refuses the body
	}
	return v, f.err()
}

// checkKnown refuses a draft or a patch with a member that section 2 does not name. In
// a patch it accepts null, which removes a member.
func checkKnown(v canon.Value, base string, patch bool) error {
	f := findings{base: base}
	root := recordPart()
	root.unknownMembers(v, "", func(in part, at string, m canon.Member) {
		if patch && m.Value.Type() == canon.TypeNull {
			return
		}
		advice := "put what is your own into " + base + "/body/structured"
		if meant := root.suggest(in, at, m.Name); meant != "" {
			advice = "did you mean " + base + meant + "?"
		}
		f.add("UMP-2-27", at+canon.Pointer(codec.Excerpt(m.Name)), "is not a member of a record; "+advice)
	})
	return f.err()
}

// suggest returns the pointer of the member that a caller probably meant by a name: a
// member of that name in another object, the member that other programs call so, or a
// member with a similar name, first in the same object. It returns "" if there is
// none.
func (p part) suggest(in part, base, name string) string {
	all := p.pointers("")
	last := func(pointer string) string { return pointer[strings.LastIndexByte(pointer, '/')+1:] }
	named := func(name string) string {
		i := slices.IndexFunc(all, func(pointer string) bool { return last(pointer) == name })
		if i < 0 {
			return ""
		}
		return all[i]
	}
	for _, other := range []string{name, synonym(name)} {
		if pointer := named(other); pointer != "" {
			return pointer
		}
	}
	if near := codec.ClosestWord(name, in.shape); near != "" {
		return base + "/" + near
	}
	names := make([]string, len(all))
	for i, pointer := range all {
		names[i] = last(pointer)
	}
	return named(codec.ClosestWord(name, names))
}

// pointers lists the members of the part and of the objects in it. It leaves out
// arrays of objects, because the pointers of their members contain an index.
func (p part) pointers(base string) []string {
	var all []string
	for _, name := range p.shape {
		all = append(all, base+"/"+name)
	}
	for _, inner := range p.parts {
		if inner.name != "relations" && inner.name != "evidence" {
			all = append(all, inner.pointers(base+"/"+inner.name)...)
		}
	}
	return all
}

// synonym returns the protocol's name for a member that has another name in other
// programs.
func synonym(name string) string {
	switch strings.ToLower(name) {
	case "content", "memory", "fact", "statement", "value", "message", "data":
		return "text"
	case "type", "category":
		return "kind"
	case "tags", "metadata", "properties":
		return "structured"
	case "repo", "repository", "workspace", "namespace":
		return "project"
	case "user_id", "person":
		return "user"
	case "agent_id":
		return "agent"
	case "session_id", "thread", "thread_id":
		return "session"
	case "importance", "priority":
		return "salience"
	case "replaces":
		return "supersedes"
	case "q", "question", "search", "text":
		return "query"
	case "queries", "synonyms", "alternatives", "variants", "rephrasings":
		return "also"
	case "top_k", "k", "n", "max_results", "count":
		return "limit"
	case "at", "as_of", "date", "when":
		return "valid_at"
	case "mode":
		return "hard"
	}
	return ""
}
