package engram

import (
	"errors"

	"github.com/satchel-memory/satchel/canon"
)

// Violation is a rule that a document breaks.
type Violation struct {
	Pointer string // JSON Pointer
	Rule    string // requirement, such as "ENGRAM-3.2-1"
	Message string // for people; never repeats what the memory says
	// Warning: the document may be used all the same.
	Warning bool
}

// Validate says what is wrong with an export, apart from its signature: strict by the
// rules for what is written, else by those for what is read, of which the others
// remain as warnings.
func Validate(raw []byte, strict bool) []Violation {
	v, err := canon.Parse(raw, ReadOptions{}.canon())
	if err != nil {
		return []Violation{broken(err)}
	}
	return check(v, strict)
}

// broken is the violation of a text that is no JSON.
func broken(err error) Violation {
	out := Violation{Rule: "ENGRAM-3.8-3", Message: err.Error()}
	var c *canon.Error
	if errors.As(err, &c) {
		out.Pointer = c.Pointer
		if c.Kind == canon.DuplicateMember {
			out.Rule, out.Message = "ENGRAM-3.2-24", "duplicate key: "+out.Message
		}
	}
	return out
}
