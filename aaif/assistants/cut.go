package assistants

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// markKey names what a carried part says of what did not come along, so that whoever reads
// the assistant is told as well (AAIF-3-4, AAIF-12-6): how many values are missing, by the
// pointer of the part of the definition that they are of, and "" for the rest.
const markKey = "x-aaif-cut"

// Bounds of a mark: as JSON it is no longer than longestMark.
const (
	mostMarked  = 8
	longestMark = 600
)

// markForm is the form of pointers in a mark.
var markForm = regexp.MustCompile(`^(/[a-z_]{1,24}){1,2}$`)

// mark returns what a part says of losses.
func mark(lost []codec.Loss) canon.Value {
	count := map[string]int{}
	var order []string
	for _, l := range lost {
		at := markOf(l.Pointer)
		if count[at]++; count[at] == 1 {
			order = append(order, at)
		}
	}
	slices.SortFunc(order, func(a, b string) int { return cmp.Or(markRank(a)-markRank(b), cmp.Compare(a, b)) })
	var said canon.Value
	others := 0
	for i, at := range order {
		if at == "" || i >= mostMarked {
			others += count[at]
			continue
		}
		said = said.With(at, canon.Int(int64(count[at])))
	}
	if others > 0 {
		said = said.With("", canon.Int(int64(others)))
	}
	return said
}

// markOf returns the part of a definition that a pointer leads into.
func markOf(pointer string) string {
	steps := strings.SplitN(pointer, "/", 4)
	at := strings.Join(steps[:min(len(steps), 2)], "/")
	if at == "/agent" {
		at = strings.Join(steps[:min(len(steps), 3)], "/")
	}
	if !markForm.MatchString(at) {
		return ""
	}
	return at
}

// markRank puts what matters most first, and the rest last.
func markRank(at string) int {
	switch at {
	case "/agent/constraints":
		return 0
	case "/agent/compliance":
		return 1
	case "/agent_id":
		return 2
	case "":
		return 4
	}
	return 3
}

// missing lists what a mark says. One that is none of ours says that something is missing.
func missing(said canon.Value) []codec.Loss {
	if said.Type() == canon.TypeUndefined {
		return nil
	}
	var lost []codec.Loss
	for _, m := range said.Members() {
		if n := m.Value.Float(); m.Value.Type() == canon.TypeNumber && n >= 1 && n < 1e6 && markForm.MatchString(m.Name) && len(lost) < mostMarked {
			lost = append(lost, cutLoss(fmt.Sprintf("%d of %s", int(n), m.Name)))
		}
	}
	if len(lost) == 0 || len(lost) < said.Len() {
		lost = append(lost, cutLoss("more of it"))
	}
	return lost
}

func cutLoss(what string) codec.Loss {
	return codec.Loss{Pointer: "/metadata/" + carryKey, Reason: "the definition is not whole in the metadata, which had no room or no form for it: " + what +
		" did not come along; convert the definition itself [AAIF-3-4] [AAIF-12-6]"}
}
