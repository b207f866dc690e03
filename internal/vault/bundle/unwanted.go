package bundle

import "github.com/satchel-memory/satchel/aimem"

// unwanted returns the entities linked only to chunks that stay out because they were
// deleted here, or their retention is over (AIMEM mapping section 7).
func (m *importMatcher) unwanted() (map[urnMark]bool, error) {
	if m.gone != nil {
		return m.gone, nil
	}
	gone := map[urnMark]bool{}
	some := false
	for _, f := range m.fates {
		some = some || f.isGone()
	}
	if some {
		kept := map[urnMark]bool{}
		err := m.bundle.Links(func(l aimem.Link) error {
			entity := urnMarkOf(l.Entity)
			if m.fates[urnMarkOf(l.Chunk)].isGone() {
				gone[entity] = true
			} else {
				kept[entity] = true
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		for entity := range kept {
			delete(gone, entity)
		}
	}
	m.gone = gone
	return gone, nil
}
