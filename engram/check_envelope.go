package engram

import "github.com/satchel-memory/satchel/canon"

func check(v canon.Value, strict bool) []Violation {
	var found []Violation
	for _, name := range []string{"identity", "beliefs"} {
		want := canon.TypeArray
		if name == "identity" {
			want = canon.TypeObject
		}
		if v.Get(name).Type() != want {
			found = append(found, Violation{Pointer: "/" + name, Rule: "ENGRAM-3.1-1", Message: "required: " + want.String()})
		}
	}
	return found
}
