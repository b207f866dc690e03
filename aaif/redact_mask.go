package aaif

import (
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/redact"
)

// slot masks what stands in a member of the format.
func (m *masking) slot(v canon.Value, at []string, is slot) canon.Value {
	t := trail{}.into(at[len(at)-1])
	switch {
	case is.free, is.number && v.Type() == canon.TypeNumber, is.form != nil && is.form.MatchString(v.Text()) && !m.within(v.Text(), is):
		return v
	case is.linked && v.Type() == canon.TypeArray:
		items := make([]canon.Value, 0, v.Len())
		for i, inner := range v.Items() {
			items = append(items, m.slot(inner, append(at[:len(at):len(at)], strconv.Itoa(i)), is))
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

// within reports whether something known is in what is an id by its form, and too long to
// stand there by chance.
func (m *masking) within(text string, is slot) bool {
	const least = 8
	if !m.own || !is.id {
		return false
	}
	for _, h := range m.find(text, trail{}) {
		if h.end-h.start >= least {
			return true
		}
	}
	return false
}

// link masks a name to which other parts of a state refer: the same way wherever it
// stands, and so that it is told from others.
func (m *masking) link(v canon.Value, at []string, t trail) canon.Value {
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

// value masks all that a value holds.
func (m *masking) value(v canon.Value, at []string, t trail) canon.Value {
	switch v.Type() {
	case canon.TypeString:
		return m.text(v, at, t)
	case canon.TypeNumber:
		for _, text := range numerals(v) {
			if masked := m.masked(text, at, t); masked != text {
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

// numerals returns a number as it is spelled, and as digits if that was with an exponent or
// a fraction.
func numerals(v canon.Value) []string {
	if !strings.ContainsAny(v.Spelling(), ".eE") {
		return []string{v.Spelling()}
	}
	return []string{v.Spelling(), strconv.FormatFloat(v.Float(), 'f', -1, 64)}
}

func (m *masking) object(v canon.Value, at []string, t trail) canon.Value {
	members, apart := make([]canon.Member, 0, v.Len()), membersOf(v)
	for _, member := range v.Members() {
		under := t.under(v, member.Name)
		member.Name = m.name(member.Name, at, apart)
		member.Value = m.value(member.Value, below(at, member.Name, t), under)
		members = append(members, member)
	}
	return canon.Object(members...)
}

// below is where a member or an item stands: what is in a text of JSON, where that is.
func below(at []string, name string, t trail) []string {
	if t.depth > 0 {
		return at
	}
	return append(at[:len(at):len(at)], name)
}

// text masks a text, and if it is JSON, first what it holds, however that is escaped.
// Where nothing is found it stays as it is spelled.
func (m *masking) text(v canon.Value, at []string, t trail) canon.Value {
	text := v.Text()
	if inner, ok := inside(text, t); ok && !m.isSecret(text, t) {
		deeper := t
		deeper.depth++
		if got := m.value(inner, at, deeper); !canon.Identical(got, inner) {
			text = string(got.Append(nil))
		}
	}
	if text = m.masked(text, at, t); text != v.Text() {
		return canon.String(text)
	}
	return v
}

// masked masks a text as it is, and keeps where that was done first.
func (m *masking) masked(text string, at []string, t trail) string {
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

// isSecret reports whether a text is a secret for the name of its member.
func (m *masking) isSecret(text string, t trail) bool {
	return m.named != nil && t.called != "" && !isToken(text) && m.named(t.called, text)
}
