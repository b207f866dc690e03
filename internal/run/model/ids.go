package model

import (
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
)

// mostID is the longest id of a call that is taken over, in bytes.
const mostID = 128

// named returns calls with ids that differ from each other and from those of the
// conversation. Some providers give none, and some count from 0 in every turn. An id that is
// made here depends on the request and the position of the call only.
func named(r Request, calls []aaif.Call) []aaif.Call {
	used, turns := map[string]bool{}, 0
	for _, m := range r.Messages {
		if m.CallID != "" {
			used[m.CallID] = true
		}
		if m.Role == assistant {
			turns++
		}
	}
	prefix := r.CallPrefix
	if prefix == "" {
		prefix = "call-" + strconv.Itoa(turns) + "-"
	}
	for i := range calls {
		id := calls[i].ID
		if !usable(id) || used[id] {
			id = prefix + strconv.Itoa(i)
		}
		for used[id] {
			id += "x"
		}
		calls[i].ID, used[id] = id, true
	}
	return calls
}

// usable reports whether an id can be taken over.
func usable(id string) bool {
	return id != "" && len(id) <= mostID && !strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' })
}
