package exchange

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// lossCarried is the reason for members that come back, but have no effect in the other
// format.
const lossCarried = "carried, not in force: it comes back, but nothing acts on it there"

// Carried lists the members of a definition that another format only keeps for the way
// back, and does not act on. seen is the definition without them. Members in lost, and
// those that only describe an agent, are not listed.
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

// acts reports whether the operator of an agent has to act on a member.
func acts(pointer string, v canon.Value) bool {
	for _, words := range []string{"/agent/version", "/agent/skills"} {
		if pointer == words || strings.HasPrefix(pointer, words+"/") {
			return false
		}
	}
	meant := strings.HasSuffix(pointer, "/protocol") && v.Text() == string(aaif.FunctionTool) // the default, too
	return strings.HasPrefix(pointer, "/agent/") && !meant
}

// IsCarried reports whether [Carried] listed a loss.
func IsCarried(l codec.Loss) bool { return strings.HasPrefix(l.Reason, lossCarried) }

// Matters reports whether a loss counts under strict conversion: everything lost, and
// constraints and compliance that nobody enforces (AAIF-3-4, AAIF-12-6). Other carried
// members come back and bind nobody.
func Matters(l codec.Loss) bool { return !IsCarried(l) || isGuarded(l.Pointer) }

// Whole lists the losses at a pointer and below as one, with a reason of its own.
func Whole(lost []codec.Loss, pointer, reason string) []codec.Loss {
	inside := func(l codec.Loss) bool { return l.Pointer == pointer || strings.HasPrefix(l.Pointer, pointer+"/") }
	if !slices.ContainsFunc(lost, inside) {
		return lost
	}
	rest := slices.DeleteFunc(slices.Clone(lost), inside)
	return sorted(append(rest, codec.Loss{Pointer: pointer, Reason: reason + requirement(pointer, "")}))
}
