package codec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// The losses of a document whose JSON is not strict; their number precedes them. See
// [Options.Mend].
const (
	LostHalves  = "texts in which half a character, or what is none, became U+FFFD"
	LostNumbers = "numbers that are too large to be counted with are kept as texts"
	LostDoubles = "members of the same name as a later one of the same object"
)

// MendedReasons returns those losses as formats declare them.
func MendedReasons() []string {
	return []string{"… " + LostHalves, "… " + LostNumbers, "… " + LostDoubles}
}

// MendedLosses returns the losses of a mended value at a place. Each names the place of the
// first repair.
func MendedLosses(pointer string, m canon.Repairs) (losses []Loss) {
	for _, of := range []struct {
		n             int
		reason, first string
	}{{m.Strings, LostHalves, m.First.Strings}, {m.Numbers, LostNumbers, m.First.Numbers}, {m.Members, LostDoubles, m.First.Members}} {
		if of.n > 0 {
			losses = append(losses, Loss{Pointer: pointer + of.first, Reason: fmt.Sprintf("%d %s", of.n, of.reason)})
		}
	}
	return losses
}

// MendedLossesIn is MendedLosses for a value whose place at computes, such as a file.
func MendedLossesIn(at func(pointer string) string, m canon.Repairs) []Loss {
	losses := MendedLosses("", m)
	for i := range losses {
		losses[i].Pointer = at(losses[i].Pointer)
	}
	return losses
}

// JSON reads JSON of at most most bytes and, with Options.Mend, mends it. Limits must be
// filled in.
func (o Options) JSON(raw []byte, most int64) (canon.Value, canon.Repairs, error) {
	opt := o.json()
	if opt.Bytes = most; o.Mend {
		return canon.Mend(raw, opt)
	}
	v, err := canon.Parse(raw, opt)
	return v, canon.Repairs{}, err
}

// IsMended reports whether a loss comes from JSON that is not strict.
func IsMended(l Loss) bool {
	return slices.ContainsFunc(MendedReasons(), func(words string) bool { return matches(words, l.Reason) })
}

// LostUnit is the loss of a part that breaks a rule while the reader continues with the
// rest. It gives the part's name, the fault and the rule.
const LostUnit = "…" + leftOut + "… […]"

const leftOut = " cannot be read, and is left out: "

// LeftOut returns the loss of a part of a document. what names the part and p is its fault.
func LeftOut(what string, p *ParseError) Loss {
	return Loss{
		Pointer: strings.TrimSpace(p.File + " " + p.Path),
		Reason:  fmt.Sprintf("%s%s%v [%s]", what, leftOut, p.Err, p.Rule),
	}
}

// ReadLosses returns, as formats declare them, the losses of a document with faulty JSON or
// unreadable parts.
func ReadLosses() []string { return append(MendedReasons(), LostUnit) }

// IsLeftOut reports whether a loss is that of a part that breaks a rule.
func IsLeftOut(l Loss) bool { return matches(LostUnit, l.Reason) }
