package exchange

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// lossCarried is the reason of what comes back though nothing acts on it where it lies.
const lossCarried = "carried, not in force: it comes back, but nothing acts on it there"

// Carried lists what of a definition another format keeps for the way back alone, and
// does not act on: that in which the definition differs from what is seen of it without
// that, and that is not lost. What only describes an agent, and does nothing anywhere,
// is not listed.
func Carried(v, seen canon.Value, lost []codec.Loss) []codec.Loss {
	var list []codec.Loss
	for _, l := range Lost(v, seen, nil) {
		was, there := v.At(l.Pointer)
		gone := func(other codec.Loss) bool {
			return l.Pointer == other.Pointer || strings.HasPrefix(l.Pointer, other.Pointer+"/")
		}
		if there && strings.HasPrefix(l.Reason, codec.NoPlace) && acts(l.Pointer, was) && !slices.ContainsFunc(lost, gone) {
			list = append(list, codec.Loss{Pointer: l.Pointer, Reason: lossCarried + requirement(l.Pointer, "")})
		}
	}
	return list
}

// acts reports whether somebody who runs an agent has anything to do with what a pointer
// leads to.
func acts(pointer string, v canon.Value) bool {
	for _, words := range []string{"/agent/version", "/agent/skills"} {
		if pointer == words || strings.HasPrefix(pointer, words+"/") {
			return false
		}
	}
	meant := strings.HasSuffix(pointer, "/protocol") && v.Text() == string(aaif.FunctionTool) // without a word, too
	return strings.HasPrefix(pointer, "/agent/") && !meant
}

// IsCarried reports whether a loss is one of those that [Carried] lists.
func IsCarried(l codec.Loss) bool { return strings.HasPrefix(l.Reason, lossCarried) }

// Weighs reports whether a loss counts with somebody who would have none: what is lost,
// and constraints and compliance that nobody keeps to (AAIF-3-4, AAIF-12-6). The rest of
// what is carried comes back and binds nobody.
func Weighs(l codec.Loss) bool { return !IsCarried(l) || guarded(l.Pointer) }

// Whole lists what is lost at a pointer and below it as one loss, for a reason of its own.
func Whole(lost []codec.Loss, pointer, reason string) []codec.Loss {
	inside := func(l codec.Loss) bool { return l.Pointer == pointer || strings.HasPrefix(l.Pointer, pointer+"/") }
	if !slices.ContainsFunc(lost, inside) {
		return lost
	}
	rest := slices.DeleteFunc(slices.Clone(lost), inside)
	return sorted(append(rest, codec.Loss{Pointer: pointer, Reason: reason + requirement(pointer, "")}))
}
