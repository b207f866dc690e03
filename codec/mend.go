package codec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// What is lost of a document whose JSON is not strict, after how many; [Options.Mend].
const (
	LostHalves  = "texts in which half a character, or what is none, became U+FFFD"
	LostNumbers = "numbers that are too large to be counted with are kept as texts"
	LostDoubles = "members of the same name as a later one of the same object"
)

// MendedReasons returns those losses as they are declared.
func MendedReasons() []string {
	return []string{"… " + LostHalves, "… " + LostNumbers, "… " + LostDoubles}
}

// MendedLosses says what was mended in a value at a place, and where the first of it stands.
func MendedLosses(pointer string, m canon.Mended) (losses []Loss) {
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

// MendedLossesIn is MendedLosses of a value that is a file, or what at makes a place of.
func MendedLossesIn(at func(pointer string) string, m canon.Mended) []Loss {
	losses := MendedLosses("", m)
	for i := range losses {
		losses[i].Pointer = at(losses[i].Pointer)
	}
	return losses
}

// JSON reads JSON of at most so many bytes, and mends what it may. Limits are filled in.
func (o Options) JSON(raw []byte, most int64) (canon.Value, canon.Mended, error) {
	opt := o.json()
	if opt.Bytes = most; o.Mend {
		return canon.Mend(raw, opt)
	}
	v, err := canon.Parse(raw, opt)
	return v, canon.Mended{}, err
}

// IsMended reports whether a loss is one of a document whose JSON is not strict.
func IsMended(l Loss) bool {
	return slices.ContainsFunc(MendedReasons(), func(words string) bool { return matches(words, l.Reason) })
}

// LostUnit is the loss of a part of a document that breaks a rule while the rest is read:
// its name, what is wrong, and the rule.
const LostUnit = "…" + leftOut + "… […]"

const leftOut = " cannot be read, and is left out: "

// LeftOut says that a part of a document, which is called so, is left out for what is
// wrong with it.
func LeftOut(what string, p *ParseError) Loss {
	return Loss{
		Pointer: strings.TrimSpace(p.File + " " + p.Path),
		Reason:  fmt.Sprintf("%s%s%v [%s]", what, leftOut, p.Err, p.Rule),
	}
}

// IsLeftOut reports whether a loss is that of a part which breaks a rule.
func IsLeftOut(l Loss) bool { return matches(LostUnit, l.Reason) }
