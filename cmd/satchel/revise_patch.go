package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/ump"
)

// knownMembers refuses a patch that adds a member which section 2 of UMP does not
// name: it would be kept and mean nothing, as after a slip.
func knownMembers(patch []byte) error {
	v, err := canon.Parse(patch, canon.Options{})
	if err != nil {
		return nil // the vault says what is wrong with it
	}
	known := ump.Members()
	for _, m := range v.Members() {
		path := canon.Pointer(m.Name)
		if err := knownMember(known, path, m); err != nil {
			return err
		}
		if !slices.ContainsFunc(known, func(other string) bool { return strings.HasPrefix(other, path+"/") }) {
			continue // of no fixed shape
		}
		for _, inner := range m.Value.Members() {
			if err := knownMember(known, path+canon.Pointer(inner.Name), inner); err != nil {
				return err
			}
		}
	}
	return nil
}

func knownMember(known []string, path string, m canon.Member) error {
	if m.Value.Type() == canon.TypeNull || slices.Contains(known, path) { // null takes a member away
		return nil
	}
	hint := ""
	if meant := nearest(known, path); meant != "" {
		hint = fmt.Sprintf(" (did you mean %s?)", dotted(meant))
	}
	return refusedf("UMP has no member %s%s; --force adds it all the same, for programs that know it", oneLine(dotted(path), 60), hint)
}

// dotted spells a pointer as people do.
func dotted(pointer string) string {
	return strings.ReplaceAll(strings.TrimPrefix(pointer, "/"), "/", ".")
}

// nearest returns the member that is most likely meant: one of the same name
// elsewhere, else one that is spelled nearly so; "" when there is none.
func nearest(known []string, path string) string {
	name := lastName(path)
	names := make([]string, len(known))
	for i, other := range known {
		names[i] = lastName(other)
	}
	i := slices.Index(names, name)
	if i < 0 {
		i = slices.Index(names, aaif.Meant(name, names))
	}
	if i < 0 {
		return ""
	}
	return known[i]
}

// lastName returns what stands at the end of a pointer.
func lastName(pointer string) string { return pointer[strings.LastIndex(pointer, "/")+1:] }
