package assistants

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/pattern"
)

// cutKey tells readers of an assistant what the metadata do not hold (AAIF-3-4,
// AAIF-12-6): the number of missing values by the pointer of their part of the
// definition, "" for the rest.
const cutKey = "x-aaif-cut"

// Limits of a cutNote. As JSON it has at most longestCutNote bytes.
const (
	mostMarked     = 8
	longestCutNote = 600
)

// cutForm is the form of pointers in a cutNote.
var cutForm = pattern.New(`^(/[a-z_]{1,24}){1,2}$`)

// cutNote returns the note about losses.
func cutNote(lost []codec.Loss) canon.Value {
	count := map[string]int{}
	var order []string
	for _, l := range lost {
		at := cutPart(l.Pointer)
		if count[at]++; count[at] == 1 {
			order = append(order, at)
		}
	}
	slices.SortFunc(order, func(a, b string) int { return cmp.Or(cutRank(a)-cutRank(b), cmp.Compare(a, b)) })
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

// cutPart returns the part of a definition that a pointer leads into.
func cutPart(pointer string) string {
	steps := strings.SplitN(pointer, "/", 4)
	at := strings.Join(steps[:min(len(steps), 2)], "/")
	if at == "/agent" {
		at = strings.Join(steps[:min(len(steps), 3)], "/")
	}
	if !cutForm.MatchString(at) {
		return ""
	}
	return at
}

// cutRank orders parts by importance, the rest last.
func cutRank(at string) int {
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

// missingLosses lists the losses in a note. An unknown note says that something is
// missing.
func missingLosses(said canon.Value) []codec.Loss {
	if said.Type() == canon.TypeUndefined {
		return nil
	}
	var lost []codec.Loss
	for _, m := range said.Members() {
		if n := m.Value.Float(); m.Value.Type() == canon.TypeNumber && n >= 1 && n < 1e6 && cutForm.MatchString(m.Name) && len(lost) < mostMarked {
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
