package exchange

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// mostValues bounds how many values a document is made of.
const mostValues = 200_000

// Options steer what becomes of a document. The zero value is safe for one from a
// stranger.
type Options struct {
	// Allow says of a text at a pointer that it is no secret, though it looks like one;
	// nil: of none. See [aaif.AllowList].
	Allow func(pointer, text string) bool
}

// Source is a document from elsewhere that is being read. Each of its members is taken,
// skipped or lost; what is none of these is lost, too, when it says something.
type Source struct {
	format  string
	options Options
	root    canon.Value
	seen    map[string]bool // pointers of what is settled, with all that it holds
	lost    []codec.Loss
}

// Open begins to read a document, whose secrets are left out and listed. Format is the
// name that errors give. The error is a [codec.ParseError]: the document has too many
// values, or more secrets than can be left out.
func Open(format string, v canon.Value, opt Options) (*Source, error) {
	if n := count(v, mostValues); n > mostValues {
		return nil, Refuse(format, "4-1", "", aaif.TooLarge, "made of more than %d values", mostValues)
	}
	clean, lost, err := withoutSecrets(format, v, opt)
	if err != nil {
		return nil, err
	}
	return &Source{format: format, options: opt, root: clean, seen: map[string]bool{}, lost: lost}, nil
}

// count counts values, up to one more than most.
func count(v canon.Value, most int) int {
	n := 1
	for _, inner := range v.Items() {
		if n += count(inner, most-n); n > most {
			return n
		}
	}
	for _, m := range v.Members() {
		if n += count(m.Value, most-n); n > most {
			return n
		}
	}
	return n
}

// Root returns the whole of the document.
func (s *Source) Root() Place { return Place{source: s, Value: s.root} }

// Lose lists a loss.
func (s *Source) Lose(pointer, reason string) {
	s.lost = append(s.lost, codec.Loss{Pointer: pointer, Reason: reason})
}

// Refuse returns an error about a place of the document.
func (s *Source) Refuse(p Place, rule, text string, args ...any) error {
	return Refuse(s.format, rule, p.Pointer, aaif.UnknownType, text, args...)
}

// Place is a value of a document, and where it stands.
type Place struct {
	source  *Source
	Pointer string // JSON Pointer
	Value   canon.Value
}

// Get returns a member, which may be absent.
func (p Place) Get(name string) Place {
	return Place{p.source, p.Pointer + canon.Pointer(name), p.Value.Get(name)}
}

// Items returns the items of an array.
func (p Place) Items() []Place {
	places := make([]Place, p.Value.Len())
	for i, v := range p.Value.Items() {
		places[i] = Place{p.source, p.Pointer + "/" + strconv.Itoa(i), v}
	}
	return places[:len(p.Value.Items())]
}

// Members returns the members of an object.
func (p Place) Members() []Place {
	var places []Place
	for _, m := range p.Value.Members() {
		places = append(places, Place{p.source, p.Pointer + canon.Pointer(m.Name), m.Value})
	}
	return places
}

// Has reports whether there is a value, and not null.
func (p Place) Has() bool {
	return p.Value.Type() != canon.TypeUndefined && p.Value.Type() != canon.TypeNull
}

// Take takes a value as it is, and returns it; null is nothing.
func (p Place) Take() canon.Value {
	p.Skip()
	if !p.Has() {
		return canon.Value{}
	}
	return p.Value
}

// Of takes a value if it is of a type, and returns nothing otherwise.
func (p Place) Of(t canon.Type) canon.Value {
	if p.Value.Type() != t {
		return canon.Value{}
	}
	return p.Take()
}

// Said takes a string that is not empty, and returns nothing otherwise.
func (p Place) Said() canon.Value {
	if p.Value.Text() == "" {
		return canon.Value{}
	}
	return p.Take()
}

// Text is the text of Said.
func (p Place) Text() string { return p.Said().Text() }

// Peek returns the text of a string, which it does not take.
func (p Place) Peek() string { return p.Value.Text() }

// Skip settles a value: it says nothing that a definition could.
func (p Place) Skip() {
	if p.Value.Type() != canon.TypeUndefined {
		p.source.seen[p.Pointer] = true
	}
}

// Lose settles a value as lost, for a reason. Of nothing, nothing is lost.
func (p Place) Lose(reason string) {
	if says(p.Value) {
		p.source.Lose(p.Pointer, reason)
	}
	p.Skip()
}

// says reports whether a value says anything: null, an empty text and what holds nothing
// else do not.
func says(v canon.Value) bool {
	switch v.Type() {
	case canon.TypeUndefined, canon.TypeNull:
		return false
	case canon.TypeString:
		return v.Text() != ""
	case canon.TypeArray:
		return slices.ContainsFunc(v.Items(), says)
	case canon.TypeObject:
		return slices.ContainsFunc(v.Members(), func(m canon.Member) bool { return says(m.Value) })
	}
	return true
}

// leftover lists what was never settled, as a whole where nothing in it was.
func (s *Source) leftover(p Place) (settled bool, lost []codec.Loss) {
	if s.seen[p.Pointer] {
		return true, nil
	}
	for _, inner := range append(p.Items(), p.Members()...) {
		inside, left := s.leftover(inner)
		settled = settled || inside
		lost = append(lost, left...)
	}
	if !settled && says(p.Value) {
		return false, []codec.Loss{{Pointer: p.Pointer, Reason: codec.NoPlace}}
	}
	return settled, lost
}

// losses returns all that was lost, by pointer.
func (s *Source) losses() []codec.Loss {
	_, left := s.leftover(s.Root())
	return sorted(append(slices.Clone(s.lost), left...))
}

func sorted(lost []codec.Loss) []codec.Loss {
	slices.SortStableFunc(lost, func(a, b codec.Loss) int {
		return cmp.Or(cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Reason, b.Reason))
	})
	return slices.Compact(lost)
}
