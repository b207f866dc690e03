package aicf

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// jsonFile reads a JSON document of 1.0: an object of lists, a conversation, or a
// list of conversations. It keeps anything but JSON line by line.
func (r *parser) jsonFile(f *File) []Entry {
	x := newDialectReader(r)
	v, err := canon.Parse(f.data, canon.Options{Bytes: int64(len(f.data)) + 1, Inexact: true})
	if err != nil {
		x.find(1, Broken, codeValue, "AICF-COMPAT-3", "expected a JSON document: %v", err)
		x.keep("", x.linesAsTheyAre(f))
		return x.entries
	}
	if !isContextJSON(v) {
		x.find(0, Broken, codeForm, noContextRule, "a JSON document without conversations, decisions or insights is no context file")
	}
	x.document(v)
	return x.entries
}

// noContextRule is the rule of the only finding with codeForm that is broken.
const noContextRule = "AICF-COMPAT-3"

// NoContext returns the finding that a file is JSON of another kind and no context file;
// false: it may be one.
func NoContext(found []Finding) (Finding, bool) {
	i := slices.IndexFunc(found, func(f Finding) bool {
		return f.Severity == Broken && f.Code == codeForm && f.Rule == noContextRule
	})
	if i < 0 {
		return Finding{}, false
	}
	return found[i], true
}

// isContextJSON reports whether a JSON document is one of 1.0, or describes files of 2.0.
func isContextJSON(v canon.Value) bool {
	if v.Type() == canon.TypeArray {
		return v.Len() == 0 || slices.ContainsFunc(v.Items(), isContextJSON)
	}
	return slices.ContainsFunc(contextMembers, v.Has)
}

// contextMembers are the members that only documents of 1.0 and their conversations have. An
// id, a title or a time is in documents of any kind.
var contextMembers = []string{
	"conversations", "decisions", "insights", "aicf_version", "sessionId", "session_id", "conversationId", "conversation_id",
	"messages", "message_count", "messageCount", "tokens", "tokenCount", "token_count", "topic", "participants",
}

func (x *dialectReader) document(v canon.Value) {
	switch {
	case v.Type() == canon.TypeArray:
		x.each(v, x.talk)
	case isTalk(v):
		x.talk(v)
	default:
		x.lists(v)
	}
}

// each reads the items of a list, or a single value.
func (x *dialectReader) each(v canon.Value, read func(canon.Value)) {
	if v.Type() != canon.TypeArray {
		read(v)
		return
	}
	for _, item := range v.Items() {
		read(item)
	}
}

// isTalk reports whether an object is a conversation and not a collection of them.
func isTalk(v canon.Value) bool {
	if v.Type() != canon.TypeObject || v.Has("conversations") {
		return false
	}
	for _, name := range []string{"id", "sessionId", "session_id", "conversationId", "conversation_id", "messages"} {
		if v.Has(name) {
			return true
		}
	}
	return false
}

// lists reads an object of lists, and keeps its other members in a section.
func (x *dialectReader) lists(v canon.Value) {
	var others []Field
	for _, m := range v.Members() {
		switch {
		case m.Name == "conversations":
			x.each(m.Value, x.talk)
		case m.Name == "decisions":
			x.each(m.Value, x.decision)
		case m.Name == "insights":
			x.each(m.Value, x.insight)
		case m.Name == "aicf_version" || m.Name == "version" && len(x.entries) == 0:
			x.versionMember(m)
		default:
			others = addMembers(others, m.Name, m.Value)
		}
	}
	if v.Type() != canon.TypeObject {
		others = addMembers(nil, "value", v)
	}
	if len(others) > 0 {
		x.add(1, unknown(sourceName, "", others))
	}
}

// versionMember reads the declared version of a document.
func (x *dialectReader) versionMember(m canon.Member) {
	text := plain(m.Value)
	if _, ok := ParseVersion(text); !ok {
		x.add(1, unknown(sourceName, "", addMembers(nil, m.Name, m.Value)))
		return
	}
	x.add(1, &Declaration{Version: text})
}

// plain returns a string as it is, and any other value as JSON.
func plain(v canon.Value) string {
	if v.Type() == canon.TypeString {
		return v.Text()
	}
	return string(v.Append(nil))
}

// addMembers adds an unknown member. An object becomes one field for each of its members,
// with both names; deeper nesting stays JSON.
func addMembers(fields []Field, name string, v canon.Value) []Field {
	switch {
	case v.Type() == canon.TypeObject && v.Len() > 0 && len(name) <= longName && !strings.Contains(name, "."):
		for _, m := range v.Members() {
			if strings.Contains(m.Name, ".") || len(m.Name) > longName {
				return append(fields, Field{extensionKey(name), Escape(plain(v))})
			}
		}
		for _, m := range v.Members() {
			fields = addMembers(fields, name+"."+m.Name, m.Value)
		}
		return fields
	case len(name) > 2*longName:
		return append(fields, Field{extensionKey(name), Escape(plain(canon.Object(canon.Member{Name: name, Value: v})))})
	case v.Type() == canon.TypeArray && v.Len() > 0:
		return append(fields, Field{extensionKey(name), listOfValues(v)})
	}
	return append(fields, Field{extensionKey(name), Escape(plain(v))})
}

func listOfValues(v canon.Value) string {
	items := make([]string, 0, v.Len())
	for _, item := range v.Items() {
		items = append(items, plain(item))
	}
	return JoinList(items)
}

// instant reads a time: text, or seconds or milliseconds since 1970.
func instant(v canon.Value) string {
	text := plain(v)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && v.Type() == canon.TypeNumber && n > 0 {
		if n < 1e11 {
			n *= 1000
		}
		if t := time.UnixMilli(n).UTC(); t.Year() <= 9999 {
			return FormatInstant(t)
		}
	}
	return text
}
