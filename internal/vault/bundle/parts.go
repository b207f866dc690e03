package bundle

import (
	"unicode/utf8"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// led follows a URN to a record, or to a part of a long one.
func (m *importMatcher) led(r store.Reader, urn aimem.URN) (match, error) {
	row, found, err := m.named(r, urn)
	if found || err != nil {
		return match{row, 1}, err
	}
	first, n, ok := urn.PartOf()
	if !ok {
		return match{}, nil
	}
	if row, found, err = m.named(r, first); err != nil || !found {
		return match{}, err
	}
	rec, err := m.kernel.Record(r, row)
	if err != nil {
		return match{}, err
	}
	if _, ok = m.mapper.StoredPart(rec, n); !ok {
		return match{}, nil // a name of its own
	}
	return match{row, n}, nil
}

// lead follows a chunk to a record that may be it.
type lead func(store.Reader, aimem.Chunk) (match, error)

// cameFrom follows the stated origin of a chunk.
func (m *importMatcher) cameFrom(r store.Reader, c aimem.Chunk) (match, error) {
	origin := aimem.OriginURN(c.Value)
	if origin == "" {
		return match{}, nil
	}
	return m.led(r, origin)
}

// continuing follows, as by does, the first chunk of the text that a chunk may continue.
func (m *importMatcher) continuing(by lead) lead {
	return func(r store.Reader, c aimem.Chunk) (match, error) {
		first, n, ok := c.ID.PartOf()
		if !ok || !m.bundle.Has(first) {
			return match{}, nil
		}
		head, err := m.bundle.Chunk(first)
		if err != nil {
			return match{}, err
		}
		f, err := by(r, head)
		if f.part == 1 {
			f.part = n
		}
		return f, err
	}
}

// ifSame returns f if its content equals the chunk's, or was deleted here. A record that
// the caller may not know of counts as absent: guesses could reveal it.
func (m *importMatcher) ifSame(r store.Reader, f match, c aimem.Chunk) (match, error) {
	rec, err := m.kernel.Record(r, f.row)
	if err != nil {
		return match{}, err
	}
	if seen, err := m.sees(r, rec); err != nil || !seen {
		return match{}, err
	}
	if rec.Lifecycle.Status == memory.Tombstoned && !m.asked.Restore {
		return f, nil
	}
	if stands, ok := m.mapper.StoredPart(rec, f.part); !ok || stands.Hash != c.Hash {
		return match{}, nil
	}
	return f, nil
}

// known returns a record in the form to compare with a chunk: the whole text for a whole
// chunk, and the matching part for a part.
func (m *importMatcher) known(rec memory.Record, part int, c aimem.Chunk) known {
	k := known{deleted: rec.Lifecycle.Status == memory.Tombstoned}
	standing := m.mapper.StoredChunk(rec)
	if isLong(standing) && !isLong(c) {
		standing, k.part = m.standingPart(rec, part), true
	}
	k.chunk = &standing
	return k
}

func (m *importMatcher) standingPart(rec memory.Record, part int) aimem.Chunk {
	c, _ := m.mapper.StoredPart(rec, part)
	return c
}

// isLong reports whether a chunk has the whole of a text that leaves in parts.
func isLong(c aimem.Chunk) bool {
	return len(c.Content) > aimem.MaxContent && utf8.RuneCountInString(c.Content) > aimem.MaxContent
}

// namesOfChunk lists the names of a chunk on the deny list: its own, and if it may
// continue a text, those it has as a part of that.
func (m *importMatcher) namesOfChunk(c aimem.Chunk, birth memory.ID) ([]string, error) {
	names := m.ownNames(c, birth)
	first, n, ok := c.ID.PartOf()
	if !ok || !m.bundle.Has(first) {
		return names, nil
	}
	head, err := m.bundle.Chunk(first)
	for _, name := range m.ownNames(head, "") {
		names = append(names, string(aimem.URN(name).Part(n)))
	}
	return names, err
}

func (m *importMatcher) ownNames(c aimem.Chunk, birth memory.ID) []string {
	var names []string
	for _, name := range []string{string(c.ID), string(m.mapper.Alias(c.ID)), birthName(m.mapper, birth), string(aimem.OriginURN(c.Value)), string(c.CarriedID()), string(birth)} {
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

func birthName(m aimem.Mapper, birth memory.ID) string {
	if birth == "" {
		return ""
	}
	return string(m.URN(birth))
}
