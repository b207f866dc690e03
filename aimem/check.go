package aimem

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/canon"
)

// recordChecker checks records one by one, against the rules and the envelope.
type recordChecker struct {
	envelope *Envelope
	foreign  bool // accept ids of other namespaces
	at       record
	found    []*Fault // in the present record
	vector   []byte   // reused
	reported bool     // that the envelope says nothing of embeddings
}

// check returns the violations of a record.
func (j *recordChecker) check(r record) []*Fault {
	j.at, j.found = r, nil
	if r.value.Type() != canon.TypeObject {
		j.violation(InvalidType, r.kind.rules().object, "is no object")
		return j.found
	}
	if r.value.Has(memberKind) {
		j.violation(InvalidType, "AIMEM-3.1-12", "tags the lines of a stream, and is no member of a record", memberKind)
	}
	switch r.kind {
	case chunkRecord:
		j.chunk(r.value)
		if len(j.found) == 0 && !fitsRecord(r) {
			j.violation(BodyTooLarge, "AD-9", "is too large for a record, which says tags and unknown members in a second way; shorten them")
		}
	case edgeRecord:
		j.edge(r.value)
	case entityRecord:
		j.entity(r.value)
	case linkRecord:
		j.text(r.value, "chunk_id", "AIMEM-2.6-1")
		j.text(r.value, "entity_id", "AIMEM-2.6-1")
	}
	return j.found
}

// valid reports whether a record keeps the rules by itself, in whatever namespace.
func valid(k recordKind, v canon.Value) bool {
	j := recordChecker{envelope: &Envelope{}, foreign: true}
	return len(j.check(record{kind: k, value: v})) == 0
}

// rules are the ids of the requirements for every record of a kind.
type rules struct{ object, member, created string }

func (k recordKind) rules() rules {
	return [...]rules{
		{"AIMEM-2.2-1", "AIMEM-2.2-2", "AIMEM-2.2-20"},
		{"AIMEM-2.4-1", "AIMEM-2.4-1", "AIMEM-2.4-7"},
		{"AIMEM-2.5-1", "AIMEM-2.5-1", "AIMEM-2.5-5"},
		{"AIMEM-2.6-1", "AIMEM-2.6-1", ""},
	}[k]
}

// violation adds a violation at a path in the record.
func (j *recordChecker) violation(code Code, rule, detail string, path ...string) {
	if len(j.found) >= maxFaults {
		return
	}
	what := j.at.kind.line()
	if len(path) > 0 {
		what = path[len(path)-1]
	}
	pointer := canon.Pointer(append([]string{j.at.kind.array(), strconv.Itoa(j.at.n)}, path...)...)
	j.found = append(j.found, &Fault{Code: code, Pointer: pointer, Rule: rule, Detail: what + " " + detail})
}

// member returns a required member, if it is there.
func (j *recordChecker) member(v canon.Value, name string) (canon.Value, bool) {
	m := v.Get(name)
	if m.Type() == canon.TypeUndefined {
		j.violation(MissingField, j.at.kind.rules().member, "is missing", name)
	}
	return m, m.Type() != canon.TypeUndefined
}

// text returns a required string.
func (j *recordChecker) text(v canon.Value, name, rule string) (string, bool) {
	m, ok := j.member(v, name)
	if ok && m.Type() != canon.TypeString {
		j.violation(InvalidType, rule, "is no string", name)
		return "", false
	}
	return m.Text(), ok
}

// present returns an optional member, and whether it is present and not null (decision
// AD-6).
func present(v canon.Value, name string) (canon.Value, bool) {
	m := v.Get(name)
	return m, !isAbsent(m)
}

// createdAt checks created_at. That of a chunk becomes the time of a record.
func (j *recordChecker) createdAt(v canon.Value) {
	m, ok := j.member(v, "created_at")
	switch {
	case !ok:
	case !isUTC(m.Text()):
		j.violation(InvalidTimestamp, j.at.kind.rules().created, "is wrong: "+adviceUTC, "created_at")
	case j.at.kind == chunkRecord && !isKept(m.Text()):
		j.violation(InvalidTimestamp, j.at.kind.rules().created, "cannot be kept: "+adviceKept, "created_at")
	}
}

// urn checks an id (section 2.3).
func (j *recordChecker) urn(v canon.Value, rule string) {
	s, ok := j.text(v, "id", rule)
	if !ok {
		return
	}
	switch namespace := namespaceOf(URN(s)); {
	case namespace == "":
		j.violation(InvalidURN, rule, "is not urn:aimem:<producer>:<local>", "id")
	case string(namespace) != j.envelope.Producer && !j.foreign && j.envelope.Producer != "":
		j.violation(ProducerMismatch, "AIMEM-2.3-3", "is not in the namespace of the envelope's producer; accept foreign ids if you trust the bundle", "id")
	}
}

// chunk checks section 2.2.
func (j *recordChecker) chunk(v canon.Value) {
	j.urn(v, "AIMEM-2.3-1")
	j.content(v)
	if t, ok := j.text(v, "memory_type", "AIMEM-2.2-14"); ok && !MemoryType(t).known() {
		j.violation(InvalidMemoryType, "AIMEM-2.2-14", "is none of fact, preference, decision, identity, pitfall, procedure, episodic and goal", "memory_type")
	}
	if zone, ok := present(v, "zone"); ok {
		j.zone(zone)
	}
	if pinned, ok := present(v, "is_pinned"); ok && pinned.Type() != canon.TypeBool {
		j.violation(InvalidType, "AIMEM-2.2-17", "is no boolean", "is_pinned")
	}
	j.createdAt(v)
	if tags, ok := present(v, "tags"); ok {
		j.tags(tags)
	}
	if embedding, ok := present(v, "embedding"); ok {
		j.embedding(embedding)
	}
}

// content checks content and content_hash.
func (j *recordChecker) content(v canon.Value) {
	s, ok := j.text(v, "content", "AIMEM-2.2-5")
	if ok && s == "" {
		j.violation(EmptyContent, "AIMEM-2.2-5", "is empty", "content")
	}
	if len(s) > MaxContent && utf8.RuneCountInString(s) > MaxContent {
		j.violation(ContentTooLong, "AIMEM-2.2-7", "has more than 65,536 codepoints; split it", "content")
	}
	hash, given := present(v, "content_hash")
	switch {
	case !given:
	case !isHash(hash.Text()):
		j.violation(BadHashFormat, "AIMEM-2.2-9", "is not sha256: and 64 lower-case hex digits", "content_hash")
	case ok && hash.Text() != textHash(s):
		j.violation(HashMismatch, "AIMEM-2.2-11", "is not that of the content", "content_hash")
	}
}

func isHash(s string) bool {
	digits, ok := strings.CutPrefix(s, checksumPrefix)
	return ok && len(digits) == 64 && strings.Trim(digits, "0123456789abcdef") == ""
}

func (j *recordChecker) zone(v canon.Value) {
	if v.Type() != canon.TypeString {
		j.violation(InvalidType, "AIMEM-2.2-16", "is no string", "zone")
		return
	}
	if !slices.Contains([]Zone{Critical, Important, Standard}, Zone(v.Text())) {
		j.violation(InvalidZone, "AIMEM-2.2-16", "is none of critical, important and standard", "zone")
	}
}

// isTag reports whether v is a string of 1 to 64 codepoints.
func isTag(v canon.Value) bool {
	n := utf8.RuneCountInString(v.Text())
	return v.Type() == canon.TypeString && n >= 1 && n <= 64
}

func (j *recordChecker) tags(v canon.Value) {
	if v.Type() != canon.TypeArray {
		j.violation(InvalidType, "AIMEM-2.2-21", "is no array", "tags")
	}
	for i, tag := range v.Items() {
		if !isTag(tag) {
			j.violation(InvalidTag, "AIMEM-2.2-21", "is no string of 1 to 64 codepoints", "tags", strconv.Itoa(i))
		}
	}
}
