package recall

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// digest is what the ranking needs of a record besides its terms. Packed it is a string of
// varints:
//
//	facts       see textFacts
//	observed    only with isObserved: seconds since 1970, nanoseconds
//	salience    only with isSalient: the bits of a float64
//	meaningful  words that are not stop words
//	speakers    how many; the length and the bytes of each
//	marks       how many terms have some; of each the step from the place of the one before
//	            in the list of terms, and its marks
//	places      of words whose term is in the list, to the end; of each four times the step
//	            from the position of the one before, plus 1 in a sentence that asks, plus 2 in
//	            one that says I, and the place of the term
type digest struct {
	facts      textFacts
	observed   time.Time
	salience   *float64
	meaningful int
	speakers   []string
	marks      []markedTerm // in order of place
	places     []termPlace  // in order of position; terms by their place in the list
}

// textFacts are facts of a record.
type textFacts uint64

const (
	asksSomething   textFacts = 1 << iota // its text ends in a question
	saysWhen                              // it tells when something was
	isAssistants                          // an assistant says it
	deniesSomething                       // it says what is not so
	isObserved
	isSalient
	saysChanged // it says that something has changed
	instructs   // it tells an assistant what to do always, or never

	askingFrom = iota // the bit from which on they have what its questions ask for
)

func (f textFacts) is(one textFacts) bool { return f&one != 0 }

// factsOf returns the facts of a record whose text has these tokens.
func (s *stemmer) factsOf(rec memory.Record, text []token) textFacts {
	var f textFacts
	for _, fact := range []struct {
		holds bool
		fact  textFacts
	}{
		{strings.HasSuffix(strings.TrimRight(rec.Body.Text, " \n\t\"')]"), "?"), asksSomething},
		{slices.ContainsFunc(text, token.isTime), saysWhen},
		{isAssistant(rec), isAssistants},
		{slices.ContainsFunc(text, token.denies), deniesSomething},
		{slices.ContainsFunc(text, token.changes), saysChanged},
		{s.isInstruction(rec.Body.Text, text), instructs},
		{!rec.Time.Observed.IsZero(), isObserved},
		{rec.Lifecycle.Salience != nil, isSalient},
	} {
		if fact.holds {
			f |= fact.fact
		}
	}
	return f | textFacts(askingIn(text))<<askingFrom
}

// marks are facts of words with one term.
type marks uint8

const (
	markName marks = 1 << iota
	markNumber
)

// markedTerm is the place of a term in the list of terms, and its marks.
type markedTerm struct {
	place int
	marks marks
}

// isName reports whether a token begins with a capital letter that no sentence asks for.
func (t token) isName() bool { return t.is(capital) && !t.is(ends|stop|beside) }

// marks returns what a token of a text is.
func (t token) marks() marks {
	var m marks
	if t.isName() {
		m |= markName
	}
	if t.is(number) {
		m |= markNumber
	}
	return m
}

// digest returns the digest of a record; terms are those of its document.
func (s *stemmer) digest(rec memory.Record, t recordText, terms []Count) digest {
	d := digest{facts: s.factsOf(rec, t.text), observed: rec.Time.Observed, salience: rec.Lifecycle.Salience,
		meaningful: t.meaningful(), speakers: s.speakers(rec.Body.Text)}
	found := make([]marks, len(terms))
	for _, token := range t.text {
		if t.counts(token) {
			place, _ := slices.BinarySearchFunc(terms, token.term, func(c Count, term string) int { return strings.Compare(c.Term, term) })
			found[place] |= token.marks()
			d.places = append(d.places, termPlace{token.position, place, token.is(questioned), token.is(personal)})
		}
	}
	for place, m := range found {
		if m != 0 {
			d.marks = append(d.marks, markedTerm{place, m})
		}
	}
	return d
}

// pack returns the digest in bytes.
func (d digest) pack() []byte {
	packed := binary.AppendUvarint(make([]byte, 0, 16+3*len(d.places)), uint64(d.facts))
	if d.facts.is(isObserved) {
		packed = binary.AppendVarint(packed, d.observed.Unix())
		packed = binary.AppendUvarint(packed, uint64(d.observed.Nanosecond()))
	}
	if d.facts.is(isSalient) {
		packed = binary.AppendUvarint(packed, math.Float64bits(*d.salience))
	}
	packed = binary.AppendUvarint(packed, uint64(d.meaningful))
	packed = binary.AppendUvarint(packed, uint64(len(d.speakers)))
	for _, s := range d.speakers {
		packed = append(binary.AppendUvarint(packed, uint64(len(s))), s...)
	}
	packed = binary.AppendUvarint(packed, uint64(len(d.marks)))
	last := 0
	for _, m := range d.marks {
		packed = binary.AppendUvarint(packed, uint64(m.place-last))
		packed, last = append(packed, byte(m.marks)), m.place
	}
	last = 0
	for _, p := range d.places {
		step := uint64(p.position-last) << 2
		if p.asked {
			step |= 1
		}
		if p.personal {
			step |= 2
		}
		packed = binary.AppendUvarint(packed, step)
		packed, last = binary.AppendUvarint(packed, uint64(p.term)), p.position
	}
	return packed
}

// readEntries reads candidates by their index entries, as [stemmer.read] does by their texts.
// It returns the documents that it could not read: a digest may be damaged, and does not
// know the order of stop words in a phrase.
func (s *search) readEntries(found []Candidate) (unread []Doc) {
	readings := make([]reading, len(found))
	width := len(s.question.terms)
	frequencies := make([]float64, width*len(found))
	for i, c := range found {
		r := &readings[i]
		*r = reading{Candidate: c, place: c.Doc, frequency: frequencies[i*width : (i+1)*width : (i+1)*width]}
		r.seen = r.Record
		if s.readEntry(r) {
			s.add(r)
		} else {
			unread = append(unread, c.Doc)
		}
	}
	return unread
}

// readEntry reads a candidate by its index entry, and reports whether it could.
func (s *search) readEntry(r *reading) bool {
	q := &s.question
	if len(q.phrases) > 0 || r.Entry.Length < 0 {
		return false
	}
	r.length = float64(r.Entry.Length)
	s.termPlaces = s.termPlaces[:0]
	next := 0 // the entry's terms and those of the question are both in order
	for term, frequency := range r.Entry.Terms {
		place, by := -1, 1
		for ; next < len(s.inOrder); next++ {
			if by = compare(s.inOrder[next].term, term); by >= 0 {
				break
			}
		}
		if by == 0 {
			place = s.inOrder[next].place
			r.countAt(q, place, frequency)
		}
		s.termPlaces = append(s.termPlaces, place)
	}
	if !r.unpack(r.Entry.Digest, q, s.termPlaces) {
		return false
	}
	s.stem.readProject(r, s.question)
	return true
}

// compare compares two terms. Most differ in their first byte.
func compare(a string, b []byte) int {
	if len(a) > 0 && len(b) > 0 && a[0] != b[0] {
		return int(a[0]) - int(b[0])
	}
	switch {
	case a == string(b):
		return 0
	case a < string(b):
		return -1
	}
	return 1
}

// placedTerm is a term of the question and its place there.
type placedTerm struct {
	term  string
	place int
}

// inOrder returns the question's terms in ascending order.
func (q *question) inOrder() []placedTerm {
	terms := make([]placedTerm, len(q.terms))
	for i, t := range q.terms {
		terms[i] = placedTerm{t.term, i}
	}
	slices.SortFunc(terms, func(a, b placedTerm) int { return strings.Compare(a.term, b.term) })
	return terms
}

// unpack adds what a digest says to a reading, and reports whether the digest is sound. places
// has for each of its terms the place in the question, or -1.
func (r *reading) unpack(packed []byte, q *question, places []int) bool {
	d := digestReader{left: packed}
	facts := textFacts(d.number())
	r.note(facts, *q)
	d.own(facts)
	r.meaningful = float64(d.number())
	for range d.count() {
		r.speakers = append(r.speakers, string(d.bytes(d.number())))
	}
	place := uint64(0)
	for range d.count() {
		var m []byte
		if few := d.left; len(few) > 1 && few[0] < 0x80 { // a varint of a byte, as most are
			place, m, d.left = place+uint64(few[0]), few[1:2], few[2:]
		} else {
			place += d.number()
			m = d.bytes(1)
		}
		switch {
		case d.damaged || place >= uint64(len(places)):
			return false
		case places[place] < 0 || q.terms[places[place]].owners:
			r.mark(marks(m[0]))
		}
	}
	if !r.found {
		return !d.damaged // no word of the question has a place
	}
	if r.places == nil {
		r.places = make([]termPlace, 0, min(len(d.left)/2, fewPlaces))
	}
	for position := uint64(0); len(d.left) > 0; {
		var step, place uint64
		if few := d.left; len(few) > 1 && few[0]|few[1] < 0x80 { // two varints of a byte, as most are
			step, place, d.left = uint64(few[0]), uint64(few[1]), few[2:]
		} else {
			step, place = d.number(), d.number()
		}
		position += step >> 2
		if d.damaged || place >= uint64(len(places)) || position > math.MaxInt32 {
			return false
		}
		if places[place] >= 0 {
			r.placed(termPlace{int(position), places[place], step&1 != 0, step&2 != 0})
		}
	}
	return !d.damaged
}

// fewPlaces is how many matches most texts have at most.
const fewPlaces = 8

// Tell adds to a record what its digest says of it: when it was observed, and its salience.
func (e *Entry) Tell(rec *memory.Record) {
	d := digestReader{left: e.Digest}
	rec.Time.Observed, rec.Lifecycle.Salience = d.own(textFacts(d.number()))
}

// digestReader reads a packed digest.
type digestReader struct {
	left    []byte
	damaged bool
}

// own reads what the digest says of the record itself.
func (d *digestReader) own(facts textFacts) (observed time.Time, salience *float64) {
	if facts.is(isObserved) {
		observed = time.Unix(d.signed(), int64(d.number())).UTC()
	}
	if facts.is(isSalient) {
		s := math.Float64frombits(d.number())
		salience = &s
	}
	return observed, salience
}

func (d *digestReader) number() uint64 {
	v, n := binary.Uvarint(d.left)
	return read(d, v, n)
}

func (d *digestReader) signed() int64 {
	v, n := binary.Varint(d.left)
	return read(d, v, n)
}

// read returns a number that takes n bytes, and 0 if there is none.
func read[N uint64 | int64](d *digestReader, v N, n int) N {
	if n <= 0 {
		d.left, d.damaged = nil, true
		return 0
	}
	d.left = d.left[n:]
	return v
}

// count returns a number of things that follow, which take a byte each at least.
func (d *digestReader) count() uint64 { return min(d.number(), uint64(len(d.left))) }

func (d *digestReader) bytes(n uint64) []byte {
	if n > uint64(len(d.left)) {
		d.left, d.damaged = nil, true
		return nil
	}
	b := d.left[:n]
	d.left = d.left[n:]
	return b
}
