package redact

import (
	"math"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/pattern"
)

// Record replaces wherever a record says something in words: in its text, in
// body.structured with all residue, in scope, relations and provenance, and in what its
// Origin says besides. Ids, times and the owner stay. It is for records that nobody has
// signed: a signature holds for what was said. The record given does not change.
func (r Redactor) Record(rec memory.Record) (memory.Record, Counts) {
	w := replacing{r, Counts{}}
	w.text(&rec.Body.Text)
	rec.Body.Structured = w.json(rec.Body.Structured, nil)
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
	if w.counts.Total() == 0 && rec.Origin == nil {
		return rec, nil
	}
	if rec.Origin != nil { // it says the same once more, and maybe more
		w.counts = Counts{}
		rec.Origin = w.json(rec.Origin, bound)
	}
	if w.counts.Total() == 0 {
		return rec, nil
	}
	return rec, w.counts
}

// JSON replaces wherever a JSON value says something in words, in members and their names.
func (r Redactor) JSON(v canon.Value) (canon.Value, Counts) {
	w := replacing{r, Counts{}}
	v = w.value(v, nil)
	if w.counts.Total() == 0 {
		return v, nil
	}
	return v, w.counts
}

// bound are the members of a record that stay as they are.
var bound = []string{"ump", "id", "kind", "time", "supersedes", "superseded_by", "integrity"}

// replacing is one run of a redactor over a record.
type replacing struct {
	Redactor
	counts Counts
}

func (w replacing) text(text *string) {
	var counts Counts
	*text, counts = w.Text(*text)
	w.counts.Add(counts)
}

func (w replacing) provenance(p memory.Provenance) *memory.Provenance {
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

// json replaces in a JSON document, but for some of its members. One in which nothing is
// found stays as it is spelled.
func (w replacing) json(raw []byte, but []string) []byte {
	if len(raw) == 0 || !w.mayHold(string(raw)) {
		return raw
	}
	v, err := canon.Parse(raw, canon.Options{Bytes: math.MaxInt64, Depth: math.MaxInt, Inexact: true})
	if err != nil {
		return raw // a record whose JSON cannot be read is refused later on
	}
	before := w.counts.Total()
	v = w.value(v, but)
	if w.counts.Total() == before {
		return raw
	}
	return v.Append(nil)
}

func (w replacing) value(v canon.Value, but []string) canon.Value {
	switch v.Type() {
	case canon.TypeString:
		text := v.Text()
		if w.text(&text); text != v.Text() {
			return canon.String(text)
		}
	case canon.TypeArray:
		items := make([]canon.Value, 0, v.Len())
		for _, item := range v.Items() {
			items = append(items, w.value(item, nil))
		}
		return canon.Array(items...)
	case canon.TypeObject:
		return w.object(v, but)
	}
	return v
}

func (w replacing) object(v canon.Value, but []string) canon.Value {
	members, apart := make([]canon.Member, 0, v.Len()), NewNumbering()
	for _, m := range v.Members() {
		if !slices.Contains(but, m.Name) {
			called := m.Name
			if m.Name == "value" { // as in {"key": "API_TOKEN", "value": "…"}
				called = v.Get("key").Text() + v.Get("name").Text()
			}
			m.Value = w.member(called, m.Value)
			w.text(&m.Name)
			m.Name = apart.Free(m.Name)
		}
		apart.Take(m.Name)
		members = append(members, m)
	}
	return canon.Object(members...)
}

// member replaces in the value of a member, or all of it if its name says that it is a
// secret.
func (w replacing) member(name string, v canon.Value) canon.Value {
	if v.Type() == canon.TypeString && !w.KeepSecrets && SaysSecret(name, v.Text()) {
		w.counts["secret"]++
		w.tell(sortOf(name, v.Text()))
		return canon.String(Token("secret"))
	}
	return w.value(v, nil)
}

// secretName is the end of names of members that hold a secret.
var secretName = pattern.New(`(?i)(passw(?:or[dt]|d)|passphrase|passcode|pwd|kennwort|secret|token|credentials?|(?:api|access|private|secret|encryption|signing)[ _\-]?key)$`)

// SaysSecret reports whether a member of that name says that its value is a secret, and the
// value may be one.
func SaysSecret(name, value string) bool {
	if hides(name) {
		name, _ = plain(name)
	}
	key := secretName.FindString(name)
	if key == "" || tokenAt(value, span{0, len(value)}) {
		return false
	}
	c := claim{key: strings.ToLower(key), sign: ":", value: value, quoted: true, last: true}
	return c.secret() && (c.password() || !strings.ContainsAny(value, " \t\n"))
}
