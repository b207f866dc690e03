package conversation

import (
	"errors"
	"slices"
)

// errCircle is the refusal of turns that answer each other in a circle.
var errCircle = errors.New("turns answer each other in a circle")

// Path returns the ids of the turns from the first to last. parent returns the id of the
// turn that a turn answers; empty: none.
func Path(last string, parent func(id string) string) ([]string, error) {
	var ids []string
	seen := map[string]bool{}
	for id := last; id != ""; id = parent(id) {
		if seen[id] {
			return nil, errCircle
		}
		seen[id] = true
		ids = append(ids, id)
	}
	slices.Reverse(ids)
	return ids, nil
}
