package codec

import (
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// Salvage reads on after a part of a document that breaks a rule: it reports the part as a
// loss. A document of which no part can be read is refused as a whole. The zero value has
// read nothing.
type Salvage struct {
	taken int
	first error // the fault of the first part that was left out
}

// Take counts a part that was read.
func (s *Salvage) Take() { s.taken++ }

// GiveBack takes back a Take: the part has a fault after all.
func (s *Salvage) GiveBack() { s.taken-- }

// Any reports whether a part was read, or none was left out.
func (s *Salvage) Any() bool { return s.taken > 0 || s.first == nil }

// Refusal returns the fault of the first part if none could be read, and nil otherwise.
func (s *Salvage) Refusal() error {
	if s.Any() {
		return nil
	}
	return s.first
}

// Leave leaves out a part: what names it and p is its fault. tell gets the loss at once,
// unless it is nil.
func (s *Salvage) Leave(what string, p *ParseError, tell func(Loss)) Loss {
	if s.first == nil {
		s.first = p
	}
	loss := LeftOut(what, p)
	if tell != nil {
		tell(loss)
	}
	return loss
}

// mostPartName bounds an id that a loss repeats.
const mostPartName = 200

// PartName names a part of a document by its id, if it has a short one: what says what kind
// of part it is.
func PartName(what string, v canon.Value) string {
	for _, member := range [...]string{"conversation_id", "uuid", "uuid_", "id", "content_hash", "name", "label"} {
		id := v.Get(member)
		said := id.Text()
		if id.Type() == canon.TypeNumber {
			said = id.Spelling()
		}
		if said == "" || len(said) > mostPartName {
			continue
		}
		if member != "name" && member != "label" {
			member = "id"
		}
		return what + " with the " + member + " " + strconv.Quote(said)
	}
	return what
}

// LeftOutParts returns how many parts of a document losses report as left out.
func LeftOutParts(losses []Loss) (parts int) {
	for _, l := range losses {
		if !IsLeftOut(l) {
			continue
		}
		n, rest := Counts(l.Reason)
		if !strings.HasPrefix(rest, moreLeftOut) {
			n = 1
		}
		parts += n
	}
	return parts
}
