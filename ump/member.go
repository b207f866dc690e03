package ump

import "github.com/satchel-memory/satchel/canon"

// Members returns the JSON Pointers of the members that section 2 names, of a
// record and of the objects in it, such as "/scope" and "/scope/visibility". A
// record may have others, which are kept.
func Members() []string {
	var out []string
	add := func(base string, s shape) {
		for _, name := range s {
			out = append(out, base+canon.Pointer(name))
		}
	}
	add("", recordShape)
	for _, part := range parts() {
		if part.name == "relations" { // an array
			continue
		}
		add("/"+part.name, part.shape)
	}
	return out
}
