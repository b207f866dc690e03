package privacy

import (
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/redact"
)

// member masks the value of a member that the format defines.
func (m *masker) member(v canon.Value, at []string, is memberRule) canon.Value {
	t := memberContext{}.enter(at[len(at)-1])
	switch {
	case is.free, is.number && v.Type() == canon.TypeNumber, is.form != nil && is.form.MatchString(v.Text()) && !m.holdsSecret(v.Text(), is):
		return v
	case is.linked && v.Type() == canon.TypeArray:
		items := make([]canon.Value, 0, v.Len())
		for i, inner := range v.Items() {
			items = append(items, m.member(inner, append(at[:len(at):len(at)], strconv.Itoa(i)), is))
		}
		return canon.Array(items...)
	case is.linked && v.Type() == canon.TypeString:
		return m.link(v, at, t)
	}
	out := m.value(v, at, t)
	if is.id && m.id == "" && out.Text() != v.Text() {
		m.id = canon.Pointer(at...)
	}
	return out
}

// holdsSecret reports whether an id holds a known secret that is too long to stand there
// by chance.
func (m *masker) holdsSecret(text string, is memberRule) bool {
	const least = 8
	if !m.checkIDs || !is.id {
		return false
	}
	for _, h := range m.find(text, memberContext{}) {
		if h.end-h.start >= least {
			return true
		}
	}
	return false
}

// link masks a name by which parts of a state refer to each other. The same name gets the
// same replacement everywhere, and different names get different ones.
func (m *masker) link(v canon.Value, at []string, t memberContext) canon.Value {
	was := v.Text()
	now := m.value(v, at, t).Text()
	if now == was {
		return v
	}
	if known, ok := m.links[was]; ok {
		return canon.String(known)
	}
	now = m.apart.Free(now)
	m.links[was] = now
	return canon.String(now)
}

// value masks everything in a value.
func (m *masker) value(v canon.Value, at []string, t memberContext) canon.Value {
	switch v.Type() {
	case canon.TypeString:
		return m.text(v, at, t)
	case canon.TypeNumber:
		for _, text := range numerals(v) {
			if masked := m.plain(text, at, t); masked != text {
				return canon.String(masked)
			}
		}
	case canon.TypeArray:
		items := make([]canon.Value, 0, v.Len())
		for i, inner := range v.Items() {
			items = append(items, m.value(inner, below(at, strconv.Itoa(i), t), t))
		}
		return canon.Array(items...)
	case canon.TypeObject:
		return m.object(v, at, t)
	}
	return v
}

// numerals returns a number as it is spelled. A number with an exponent or a fraction is
// returned in digits as well.
func numerals(v canon.Value) []string {
	if !strings.ContainsAny(v.Spelling(), ".eE") {
		return []string{v.Spelling()}
	}
	return []string{v.Spelling(), strconv.FormatFloat(v.Float(), 'f', -1, 64)}
}

func (m *masker) object(v canon.Value, at []string, t memberContext) canon.Value {
	members, apart := make([]canon.Member, 0, v.Len()), memberNumbering(v)
	for _, member := range v.Members() {
		under := t.under(v, member.Name)
		member.Name = m.name(member.Name, at, apart)
		member.Value = m.value(member.Value, below(at, member.Name, t), under)
		members = append(members, member)
	}
	return canon.Object(members...)
}

// below returns the path of a member or an item. The parts of a JSON text have the path
// of the text.
func below(at []string, name string, t memberContext) []string {
	if t.depth > 0 {
		return at
	}
	return append(at[:len(at):len(at)], name)
}

// text masks a text. In a text that is JSON it masks the values first, however they are
// escaped. A text without hits keeps its spelling.
func (m *masker) text(v canon.Value, at []string, t memberContext) canon.Value {
	text := v.Text()
	if inner, ok := innerJSON(text, t); ok && !m.isSecret(text, t) {
		deeper := t
		deeper.depth++
		if got := m.value(inner, at, deeper); !canon.Identical(got, inner) {
			text = string(got.Append(nil))
		}
	}
	if text = m.plain(text, at, t); text != v.Text() {
		return canon.String(text)
	}
	return v
}

// plain masks a text as it is, and notes the first place of a hit.
func (m *masker) plain(text string, at []string, t memberContext) string {
	before := m.counts.Total()
	if m.isSecret(text, t) {
		m.counts["secret"]++
		text = redact.Token("secret")
	} else {
		text = m.find.mask(text, t, m.counts)
	}
	if !m.found && m.counts.Total() > before {
		m.found, m.where = true, canon.Pointer(at...)
	}
	return text
}

// isSecret reports whether the name of its member makes a text a secret.
func (m *masker) isSecret(text string, t memberContext) bool {
	return m.isNamedSecret != nil && t.label != "" && !isToken(text) && m.isNamedSecret(t.label, text)
}
