package stored

// RowCache holds rows of one snapshot with their seals, so that the store can check these
// without a second read. The zero RowCache is empty.
type RowCache struct {
	rows map[int64]seenRow
}

type seenRow struct {
	values []any
	seal   []byte
}

// mostSeen is how many rows a cache keeps: a few pages.
const mostSeen = 1000

// Keep adds the row of a document, and drops all others if there are too many.
func (s *RowCache) Keep(document int64, values []any, seal []byte) {
	if s.rows == nil || len(s.rows) >= mostSeen {
		s.rows = make(map[int64]seenRow)
	}
	s.rows[document] = seenRow{values, seal}
}

// Altered returns those of some documents whose rows do not match their seals, and those
// whose rows the cache lacks.
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
