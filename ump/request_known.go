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
			shape: shape{"query", "scope", "filter", "limit", "budget", "ranking_hints", "format"},
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

// mostWarnings is how many unknown members one answer lists.
const mostWarnings = 20

// ignored returns a warning for every member of the request that its operation
// does not know, or refuses the request if the call is strict.
func (c *Call) ignored(body canon.Value) ([]memory.Warning, error) {
	if c.Strict {
		return nil, CheckRequest(c.Operation, body, nil)
	}
	var warnings []memory.Warning
	unknown(c.Operation, body, nil, func(path, advice string) {
		if len(warnings) < mostWarnings {
			warnings = append(warnings, memory.Warning{Path: path, Message: "is not known here and was ignored; " + advice})
		}
	})
	return warnings, nil
}

// CheckRequest refuses a request with a member that its operation does not know, and says
// what was probably meant. A binding that has arguments of its own beside the operation's
// passes their names: they are known, and the advice offers them instead.
func CheckRequest(op Operation, body canon.Value, own []string) error {
	var f findings
	unknown(op, body, own, func(path, advice string) {
		f.add("UMP-3-1", path, "is not known here; "+advice)
	})
	return f.err()
}

// unknown calls found with each member of a request that neither its operation nor its
// binding knows. A draft and a patch are judged by asDraft and asPatch.
func unknown(op Operation, body canon.Value, own []string, found func(path, advice string)) {
	if op == OpRemember && !body.Has("record") {
		return // the body is the record
	}
	root := requestPart(op)
	offered := root
	if len(own) > 0 {
		offered.shape, root.shape = own, append(slices.Clone(own), root.shape...)
	}
	root.strangers(body, "", func(in part, base string, m canon.Member) {
		if base == "" {
			in = offered
		}
		advice := "known here: " + strings.Join(in.shape, ", ")
		if meant := offered.meant(in, base, m.Name); meant != "" {
			if name := strings.TrimPrefix(meant, "/"); slices.Contains(own, name) {
				meant = name
			}
			advice = "did you mean " + meant + "?"
		}
		found(base+canon.Pointer(codec.Shown(m.Name)), advice)
	})
}

// asDraft returns a draft as its author means it: text stands for body.text, and
// no other unknown member is taken, because it would be signed and mean nothing.
// A draft with integrity is somebody's finished record and stays as it is.
func asDraft(v canon.Value, base string) (canon.Value, error) {
	if signed(v) {
		return v, nil
	}
	v, err := withText(v, base)
	if err != nil {
		return v, err
	}
	return v, checkKnown(v, base, false)
}

// signed reports whether a draft carries integrity.
func signed(v canon.Value) bool {
	t := v.Get("integrity").Type()
	return t != canon.TypeUndefined && t != canon.TypeNull
}

// AsPatch returns a merge patch as its author means it: text stands for body.text.
// It refuses a patch that adds a member which section 2 does not name, and what
// [CheckPatch] refuses.
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

// asPatch is AsPatch of a tree that stands at base in its request.
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
	case given(body, "text") && !canon.Equal(body.Get("text"), text):
		f.add("UMP-2-6", "/text", "and "+base+"/body/text differ; send one of them")
	case body.Type() == canon.TypeUndefined, body.Type() == canon.TypeNull:
		return v.Without("text").With("body", canon.Object(canon.Member{Name: "text", Value: text})), nil
	case body.Type() == canon.TypeObject:
		return v.Without("text").With("body", body.With("text", text)), nil
	default:
		return v.Without("text"), nil // the decoder says what is wrong with the body
	}
	return v, f.err()
}

// checkKnown refuses a draft or a patch with a member that section 2 does not
// name. In a patch null takes a member away, and does no harm.
func checkKnown(v canon.Value, base string, patch bool) error {
	f := findings{base: base}
	root := recordPart()
	root.strangers(v, "", func(in part, at string, m canon.Member) {
		if patch && m.Value.Type() == canon.TypeNull {
			return
		}
		advice := "put what is your own into " + base + "/body/structured"
		if meant := root.meant(in, at, m.Name); meant != "" {
			advice = "did you mean " + base + meant + "?"
		}
		f.add("UMP-2-27", at+canon.Pointer(codec.Shown(m.Name)), "is not a member of a record; "+advice)
	})
	return f.err()
}

// meant returns the pointer of the member that somebody meant by a name: a member
// of that name elsewhere, the member that other programs call so, or a member that
// is spelled nearly so, in the same object if there is one. It returns "" if there
// is none.
func (p part) meant(in part, base, name string) string {
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
	if near := codec.Meant(name, in.shape); near != "" {
		return base + "/" + near
	}
	names := make([]string, len(all))
	for i, pointer := range all {
		names[i] = last(pointer)
	}
	return named(codec.Meant(name, names))
}

// pointers lists the members of the part and of the objects in it. It leaves out
// arrays of objects, whose members have no pointer of their own.
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

// synonym returns the protocol's name of a member that other programs call
// otherwise.
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
	case "top_k", "k", "n", "max_results", "count":
		return "limit"
	case "at", "as_of", "date", "when":
		return "valid_at"
	case "mode":
		return "hard"
	}
	return ""
}
