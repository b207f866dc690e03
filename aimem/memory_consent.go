package aimem

import (
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// consentIn reads the consent of a record that does not decode whole, and reports
// whether that was all of it. What cannot be read may have forbidden anything: then
// the record is not to be exported.
func consentIn(v canon.Value) (*memory.Consent, bool) {
	if isAbsent(v) {
		return nil, true
	}
	if v.Type() != canon.TypeObject {
		return notExportable(), false
	}
	c, whole := &memory.Consent{}, true
	for _, m := range v.Members() {
		switch m.Name {
		case "exportable":
			yes := m.Value.True()
			c.Exportable, whole = &yes, whole && m.Value.Type() == canon.TypeBool
		case "retention":
			c.Retention, whole = m.Value.Text(), whole && m.Value.Type() == canon.TypeString
		case "redact":
			paths, ok := textsIn(m.Value)
			c.Redact, whole = paths, whole && ok
		default:
			whole = false
		}
	}
	if !whole {
		c.Exportable = notExportable().Exportable
	}
	return c, whole
}

// notExportable is the strictest consent there is.
func notExportable() *memory.Consent {
	no := false
	return &memory.Consent{Exportable: &no}
}

// textsIn returns the strings of an array, and whether it is one of strings alone.
func textsIn(v canon.Value) (texts []string, ok bool) {
	for _, item := range v.Items() {
		if item.Type() != canon.TypeString {
			return texts, false
		}
		texts = append(texts, item.Text())
	}
	return texts, v.Type() == canon.TypeArray
}
