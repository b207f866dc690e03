package exchange

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// mostValues is the most values of a document.
const mostValues = 200_000

// Options steer a conversion. The zero value suits documents from strangers.
type Options struct {
	// Allow reports whether the text at a pointer is no secret, although it looks like
	// one; nil: no text is allowed. See [privacy.AllowList].
	Allow func(pointer, text string) bool
}

// Source is a foreign document being read. Each member is taken, skipped or lost. A
// member that is none of these counts as lost if it says something.
type Source struct {
	format  string
	options Options
	root    canon.Value
	seen    map[string]bool // pointers of values that are settled, with everything inside
	lost    []codec.Loss
}

// Open begins to read a document. It leaves secrets out and lists them. format is the
// name for errors. The error is a [codec.ParseError]: the document has too many values or
// too many secrets.
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

// count counts values, and stops one above most.
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

// Place is a value of a document, and its pointer.
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

// Has reports whether the value exists and is not null.
func (p Place) Has() bool {
	return p.Value.Type() != canon.TypeUndefined && p.Value.Type() != canon.TypeNull
}

// Take takes the value as it is, and returns it. Null counts as undefined.
func (p Place) Take() canon.Value {
	p.Skip()
	if !p.Has() {
		return canon.Value{}
	}
	return p.Value
}

// Of takes a value of a type. Otherwise it returns an undefined value.
func (p Place) Of(t canon.Type) canon.Value {
	if p.Value.Type() != t {
		return canon.Value{}
	}
	return p.Take()
}

// NonEmpty takes a string that is not empty. Otherwise it returns an undefined value.
func (p Place) NonEmpty() canon.Value {
	if p.Value.Text() == "" {
		return canon.Value{}
	}
	return p.Take()
}

// Text takes a string that is not empty, and returns its text.
func (p Place) Text() string { return p.NonEmpty().Text() }

// Peek returns the text of a string without taking it.
func (p Place) Peek() string { return p.Value.Text() }

// Skip settles a value that has no meaning for a definition.
func (p Place) Skip() {
	if p.Value.Type() != canon.TypeUndefined {
		p.source.seen[p.Pointer] = true
	}
}

// Lose settles a value as lost, with a reason. An undefined value loses nothing.
func (p Place) Lose(reason string) {
	if says(p.Value) {
		p.source.Lose(p.Pointer, reason)
	}
	p.Skip()
}

// says reports whether a value says anything: null, empty texts and empty containers do
// not.
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

// loseRest lists everything that was not settled. A value without any settled part is
// listed as a whole.
func (s *Source) loseRest(p Place) (settled bool, lost []codec.Loss) {
	if s.seen[p.Pointer] {
		return true, nil
	}
	for _, inner := range append(p.Items(), p.Members()...) {
		inside, left := s.loseRest(inner)
		settled = settled || inside
		lost = append(lost, left...)
	}
	if !settled && says(p.Value) {
		return false, []codec.Loss{{Pointer: p.Pointer, Reason: codec.NoPlace}}
	}
	return settled, lost
}

// losses returns all losses by pointer.
func (s *Source) losses() []codec.Loss {
	_, left := s.loseRest(s.Root())
	return sorted(append(slices.Clone(s.lost), left...))
}

func sorted(lost []codec.Loss) []codec.Loss {
	slices.SortStableFunc(lost, func(a, b codec.Loss) int {
		return cmp.Or(cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Reason, b.Reason))
	})
	return slices.Compact(lost)
}
