package ump

import (
	"strconv"
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// itemPointer returns the pointer to element i of the array at base.
func itemPointer(base string, i int) string { return base + "/" + strconv.Itoa(i) }

// object returns the member called name if it is an object. A value of another type
// is a violation, an absent member is none.
func (d *decoder) object(parent canon.Value, base, name, rule string) (canon.Value, bool) {
	v := parent.Get(name)
	switch v.Type() {
	case canon.TypeObject:
		return v, true
	case canon.TypeUndefined:
		return v, false
	}
	d.add(rule, base+"/"+name, "is not an object")
	return v, false
}

func (d *decoder) isObject(v canon.Value, path, rule string) bool {
	if v.Type() != canon.TypeObject {
		d.add(rule, path, "is not an object")
		return false
	}
	return true
}

// text returns the string called name, or "" if it is absent.
func (d *decoder) text(parent canon.Value, base, name, rule string) string {
	return d.long(parent, base, name, rule, d.lim.Name)
}

// long is text with a limit of its own.
func (d *decoder) long(parent canon.Value, base, name, rule string, limit int) string {
	v := parent.Get(name)
	switch v.Type() {
	case canon.TypeUndefined:
		return ""
	case canon.TypeString:
	default:
		d.add(rule, base+"/"+name, "is not a string; write it in quotes, or leave it out")
		return ""
	}
	s := v.Text()
	if len(s) > limit {
		d.add(rule, base+"/"+name, tooLong(limit))
		return ""
	}
	return s
}

// word is text for a member that must not be empty if it is present.
func (d *decoder) word(parent canon.Value, base, name, rule string) string {
	s := d.text(parent, base, name, rule)
	if s == "" && parent.Has(name) {
		d.add(rule, base+"/"+name, "is empty; leave it out instead")
	}
	return s
}

func (d *decoder) instant(parent canon.Value, name, rule string) time.Time {
	s := d.text(parent, "/time", name, rule)
	if s == "" && !parent.Has(name) {
		return time.Time{}
	}
	t, ok := parseInstant(s)
	if !ok {
		d.add(rule, "/time/"+name, instantFault(s))
	}
	return t
}

func (d *decoder) number(parent canon.Value, base, name, rule string) *float64 {
	v := parent.Get(name)
	switch v.Type() {
	case canon.TypeUndefined:
		return nil
	case canon.TypeNumber:
		f := v.Float()
		return &f
	}
	d.add(rule, base+"/"+name, "is not a number; write it without quotes")
	return nil
}

func (d *decoder) flag(parent canon.Value, base, name, rule string) *bool {
	v := parent.Get(name)
	switch v.Type() {
	case canon.TypeUndefined:
		return nil
	case canon.TypeBool:
		yes := v.True()
		return &yes
	}
	d.add(rule, base+"/"+name, "is not true or false")
	return nil
}

// list returns the elements of the array called name, or none if it is absent.
func (d *decoder) list(parent canon.Value, base, name, rule string) []canon.Value {
	v := parent.Get(name)
	switch {
	case v.Type() == canon.TypeUndefined:
		return nil
	case v.Type() != canon.TypeArray:
		d.add(rule, base+"/"+name, "is not an array; put it in brackets")
		return nil
	case v.Len() > d.lim.Items:
		d.add(rule, base+"/"+name, tooLong(d.lim.Items))
		return nil
	}
	return v.Items()
}

// texts returns the strings of the array called name.
func (d *decoder) texts(parent canon.Value, base, name, rule string) []string {
	items := d.list(parent, base, name, rule)
	if len(items) == 0 {
		return nil
	}
	texts := make([]string, 0, len(items))
	for i, item := range items {
		switch {
		case item.Type() != canon.TypeString:
			d.add(rule, itemPointer(base+"/"+name, i), "is not a string")
		case len(item.Text()) > d.lim.Name:
			d.add(rule, itemPointer(base+"/"+name, i), tooLong(d.lim.Name))
		default:
			texts = append(texts, item.Text())
		}
	}
	return texts
}
