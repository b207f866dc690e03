package aicf

// allDemanded gives the entries of a dialect that is not made of sections what the format
// demands of them, as a migration does, since they have no lines of their own that could
// be written again.
func allDemanded(c *Contents) {
	m := newMigration(c, &Report{})
	for i, e := range c.Entries {
		c.Entries[i] = m.filling(e)
	}
}

func (m *migration) filling(e Entry) Entry {
	switch e := e.(type) {
	case *Session:
		m.session(e)
	case *Conversation:
		m.demanded(e)
	case *Insight:
		if e.Text != "" {
			m.insight(e)
		}
	case *Decision:
		if e.Text != "" {
			m.decision(e)
		}
	case *Link:
		return m.link(e)[0]
	}
	return e
}
