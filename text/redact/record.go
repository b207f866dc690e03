package redact

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/pattern"
)

// Record replaces in all words of a record: in its text, in body.structured with all
// residue, in scope, relations and provenance, and in the other members of its Origin. IDs,
// times and the owner stay. Use it for unsigned records only, since a signature covers the
// old words. It does not change the given record.
func (r Redactor) Record(rec memory.Record) (memory.Record, Counts) {
	w, origin := recordRun{r, Counts{}}, recordRun{r, Counts{}}
	whole, _ := origin.tree(rec.Origin)
	replaced := origin.value(whole, bound)
	w.text(&rec.Body.Text)
	if origin.counts.Total() > 0 || !repeats(whole, rec.Body.Structured) {
		rec.Body.Structured = w.json(rec.Body.Structured)
	}
	for _, member := range []*string{&rec.Scope.User, &rec.Scope.Project, &rec.Scope.Agent, &rec.Scope.Session} {
		w.text(member)
	}
	rec.Relations = slices.Clone(rec.Relations)
	for i := range rec.Relations {
		w.text(&rec.Relations[i].Type)
		w.text(&rec.Relations[i].Target)
	}
	if rec.Provenance != nil {
		rec.Provenance = w.provenance(*rec.Provenance)
	}
	if rec.Origin != nil { // it repeats the record, and may hold more
		if w.counts = origin.counts; w.counts.Total() > 0 {
			rec.Origin = replaced.Append(nil)
		}
	}
	if w.counts.Total() == 0 {
		return rec, nil
	}
	return rec, w.counts
}

// repeats reports whether a record in JSON has this body.structured.
func repeats(record canon.Value, structured []byte) bool {
	return string(record.Get("body").Get("structured").Append(nil)) == string(structured)
}

// JSON replaces in all words of a JSON value, in members and in their names.
func (r Redactor) JSON(v canon.Value) (canon.Value, Counts) {
	w := recordRun{r, Counts{}}
	v = w.value(v, nil)
	if w.counts.Total() == 0 {
		return v, nil
	}
	return v, w.counts
}

// bound lists the members of a record that stay as they are.
var bound = []string{"ump", "id", "kind", "time", "supersedes", "superseded_by", "integrity"}

// recordRun is one run of a redactor over a record.
type recordRun struct {
	Redactor
	counts Counts
}

func (w recordRun) text(text *string) {
	var counts Counts
	*text, counts = w.Text(*text)
	w.counts.Add(counts)
}

func (w recordRun) provenance(p memory.Provenance) *memory.Provenance {
	w.text(&p.Actor)
	w.text(&p.Method)
	if p.Source != nil {
		source := *p.Source
		w.text(&source.Ref)
		w.text(&source.Provider)
		p.Source = &source
	}
	p.Evidence = slices.Clone(p.Evidence)
	for i := range p.Evidence {
		w.text(&p.Evidence[i].Ref)
	}
	return &p
}

// json replaces in a JSON document. A document without a match keeps its spelling.
func (w recordRun) json(raw []byte) []byte {
	v, ok := w.tree(raw)
	if !ok {
		return raw
	}
	before := w.counts.Total()
	if v = w.value(v, nil); w.counts.Total() == before {
		return raw
	}
	return v.Append(nil)
}

// tree reads a JSON document if it may hold something to replace.
func (w recordRun) tree(raw []byte) (canon.Value, bool) {
	if len(raw) == 0 || !w.mayHold(string(raw)) {
		return canon.Value{}, false
	}
	v, err := canon.Parse(raw, canon.Options{Bytes: math.MaxInt64, Depth: math.MaxInt, Inexact: true})
	return v, err == nil // the store refuses a record with unreadable JSON later
}

// value replaces in a JSON value. A value without a match is returned as it is.
func (w recordRun) value(v canon.Value, but []string) canon.Value {
	switch v.Type() {
	case canon.TypeString:
		text := v.Text()
		if w.text(&text); text != v.Text() {
			return canon.String(text)
		}
	case canon.TypeArray:
		return w.array(v)
	case canon.TypeObject:
		return w.object(v, but)
	}
	return v
}

func (w recordRun) array(v canon.Value) canon.Value {
	items, before := v.Items(), w.counts.Total()
	for i, item := range v.Items() {
		found := w.counts.Total()
		item = w.value(item, nil)
		if w.counts.Total() == found {
			continue
		}
		if found == before { // the first match
			items = slices.Clone(items)
		}
		items[i] = item
	}
	if w.counts.Total() == before {
		return v
	}
	return canon.Array(items...)
}

func (w recordRun) object(v canon.Value, but []string) canon.Value {
	members, before := v.Members(), w.counts.Total()
	for i, m := range v.Members() {
		if slices.Contains(but, m.Name) {
			continue
		}
		called, found := m.Name, w.counts.Total()
		if m.Name == "value" { // as in {"key": "API_TOKEN", "value": "…"}
			called = v.Get("key").Text() + v.Get("name").Text()
		}
		m.Value = w.member(called, m.Value)
		w.text(&m.Name)
		if w.counts.Total() == found {
			continue
		}
		if found == before { // the first match
			members = slices.Clone(members)
		}
		members[i] = m
	}
	if w.counts.Total() == before {
		return v
	}
	return canon.Object(distinct(members, but)...)
}

// distinct numbers names that have become the same, except those of but.
func distinct(members []canon.Member, but []string) []canon.Member {
	apart := NewNumbering()
	for i, m := range members {
		if slices.Contains(but, m.Name) {
			apart.Take(m.Name)
			continue
		}
		members[i].Name = apart.Free(m.Name)
	}
	return members
}

// member replaces in the value of a member, or the whole value if the member's name says
// that it is a secret.
func (w recordRun) member(name string, v canon.Value) canon.Value {
	if v.Type() == canon.TypeString && !w.KeepSecrets && SaysSecret(name, v.Text()) {
		w.counts["secret"]++
		w.tell(sortOf(name, v.Text()))
		return canon.String(Token("secret"))
	}
	return w.value(v, nil)
}

// secretName matches the end of the names of members that hold a secret.
var secretName = pattern.New(`(?i)(passw(?:or[dt]|d)|passphrase|passcode|pwd|kennwort|secret|token|credentials?|(?:api|access|private|secret|encryption|signing)[ _\-]?key)$`)

// SaysSecret reports whether a member's name says that its value is a secret, and the value
// may be one.
func SaysSecret(name, value string) bool {
	if hides(name) {
		name, _ = plain(name)
	}
	if !mayEndSecretName(name) {
		return false
	}
	key := secretName.FindString(name)
	if key == "" || tokenAt(value, span{0, len(value)}) {
		return false
	}
	c := claim{key: strings.ToLower(key), sign: ":", value: value, quoted: true, last: true}
	return c.secret() && (c.password() || !strings.ContainsAny(value, " \t\n"))
}

// mayEndSecretName reports whether [secretName] may match a name. Nearly every name is
// another one, and its last three letters say so.
func mayEndSecretName(name string) bool {
	end := name[max(0, len(name)-3):]
	if strings.IndexFunc(end, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
		return true // such as the long s, which is an s to the pattern
	}
	switch strings.ToLower(end) {
	case "ord", "ort", "swd", "ase", "ode", "pwd", "ret", "ken", "ial", "als":
		return true
	case "key":
		return len(name) >= len("apikey")
	}
	return false
}
