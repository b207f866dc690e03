package stored

// RowCache are rows that were read in one snapshot, with their seals, so that these can be
// checked without reading the rows again. The zero Seen is empty.
type RowCache struct {
	rows map[int64]seenRow
}

type seenRow struct {
	values []any
	seal   []byte
}

// mostSeen is how many rows are kept: some pages of those that are read one after the
// other.
const mostSeen = 1000

// Keep keeps the row of a document, and forgets all others where there are too many.
func (s *RowCache) Keep(document int64, values []any, seal []byte) {
	if s.rows == nil || len(s.rows) >= mostSeen {
		s.rows = make(map[int64]seenRow)
	}
	s.rows[document] = seenRow{values, seal}
}

// Altered returns those of some documents of a table whose rows have a seal that does
// not fit, and those whose rows are not kept.
func (s *RowCache) Altered(table string, seals *Sealer, documents []int64) (altered, unread []int64) {
	for _, n := range documents {
		switch r, kept := s.rows[n]; {
		case !kept:
			unread = append(unread, n)
		case !seals.Fits(table, r.values, r.seal):
			altered = append(altered, n)
		}
	}
	return altered, unread
}
