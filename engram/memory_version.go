package engram

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// version is a record of a lineage with its residue.
type version struct {
	memory.Record
	residue   canon.Value
	inherited bool        // the residue is the previous version's: another program revised the record
	older     canon.Value // the previous version's residue
	before    int         // index of the version that it replaces; -1: none
}

// versions reads the records of a lineage.
func versions(records []memory.Record) []version {
	list := make([]version, len(records))
	at := make(map[memory.ID]int, len(records))
	for i, r := range records {
		v := version{Record: r, residue: residueOf(r), before: -1}
		for _, id := range r.Supersedes {
			if j, ok := at[id]; ok {
				v.before = max(v.before, j)
			}
		}
		at[r.ID] = i
		if v.before >= 0 && v.residue.Type() != canon.TypeUndefined {
			v.older = list[v.before].residue
			v.inherited = canon.Identical(v.residue, v.older)
		}
		list[i] = v
	}
	return list
}

// ownMember returns a member of the residue that this version did not inherit. An entry of
// history belongs to one version only, whoever revised the next version and kept the entry.
func (v version) ownMember(name string) canon.Value {
	m := v.residue.Get(name)
	if v.inherited || name != residueGap && name != residueVersion && canon.Identical(m, v.older.Get(name)) {
		return canon.Value{}
	}
	return m
}

// hasOwnResidue reports whether the residue was written for this version.
func (v version) hasOwnResidue() bool {
	return v.ownMember(residueVersion).Type() != canon.TypeUndefined
}

// deleted reports whether the version has lost its content.
func (v version) deleted() bool { return v.Lifecycle.Status == memory.Tombstoned }

// statedBelief returns the belief in the version's residue, without id and value, and
// whether there is one.
func (v version) statedBelief() (canon.Value, bool) {
	b := v.residue.Get(residueBelief)
	return b, isObject(b)
}

// key returns the key of a version: stated, or derived from the record.
func (v version) key() string {
	if b, ok := v.statedBelief(); ok {
		return b.Get("key").Text()
	}
	return nativeKey(v.Record)
}

// value returns what a version says, in words that hold without its key and scope.
func (v version) value() string {
	text := v.Body.Text
	if rest, ok := strings.CutPrefix(text, v.key()+keyed); ok {
		text = rest
	}
	if v.Scope.Project != "" && v.Kind != memory.Identity {
		return inProject(v.Scope.Project) + text
	}
	return text
}

// keyed separates key and value in the text of a record.
const keyed = ": "

func inProject(project string) string { return "In " + project + ": " }

// at returns when a version began.
func (v version) at() time.Time { return v.Time.From() }

// nativeKey derives a key for a record without one: from the first entity it is about, or
// from its first words.
func nativeKey(r memory.Record) string {
	for _, rel := range r.Relations {
		if name, ok := strings.CutPrefix(rel.Target, "entity:"); ok && rel.Type == memory.About && !strings.HasPrefix(name, categoryEntity) {
			if key := slug(name, 64); key != "" {
				return key
			}
		}
	}
	words := strings.Fields(r.Body.Text)
	if key := slug(strings.Join(words[:min(len(words), 5)], " "), 40); key != "" {
		return key
	}
	return "memory"
}

// categoryEntity is the prefix of entities that stand for categories.
const categoryEntity = "engram/"

// slug writes letters and digits in lower case, joined with underscores.
func slug(s string, most int) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	key := ""
	for _, w := range words {
		if len(key)+len(w)+1 > most {
			break
		}
		if key != "" {
			key += "_"
		}
		key += w
	}
	return key
}

// nativeCategory returns the category of a record that states none.
func nativeCategory(k memory.Kind) Category {
	switch k {
	case memory.Procedural:
		return WorkStyle
	case memory.Working:
		return Projects
	}
	return CustomCategory
}

// nativeSource returns how a record came to be known (section 3.4).
func nativeSource(p *memory.Provenance) Source {
	switch {
	case p == nil:
		return Inferred
	case p.Method == string(UserCorrection):
		return Corrected
	case p.ActorKind == memory.ByUser:
		return UserStated
	}
	return Inferred
}

// nativeConfidence returns the confidence of a record that states none.
func nativeConfidence(p *memory.Provenance) float64 {
	if p != nil && p.ActorKind == memory.ByUser {
		return 0.9
	}
	return 0.6
}

// decayOf and daysOf convert stale_after_days to and from a record's decay hint.
func decayOf(days int) string { return "stale_after:P" + strconv.Itoa(days) + "D" }

func daysOf(decay string) (int, bool) {
	s, ok := strings.CutPrefix(decay, "stale_after:P")
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSuffix(s, "D"))
	return n, err == nil && n >= 0 && decayOf(n) == decay
}
