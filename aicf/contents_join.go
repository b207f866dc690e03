package aicf

// NameOrdinals gives an id to each insight and decision that another entry names by its
// ordinal, so that the name stays valid in another file. The id is prefix and the
// ordinal; free reports whether the other file has that id left. It returns how many
// entries got an id.
func (c *Contents) NameOrdinals(prefix string, free func(id string) bool) int {
	x := c.Index()
	asked := c.referencedIDs()
	renamed := map[string]string{}
	for _, e := range c.Entries {
		id, has := ownID(e)
		ordinal := x.Name(e)
		if !has || *id != "" || !asked[ordinal] {
			continue
		}
		*id = prefix + ordinal
		for _, taken := x.Resolve(*id); taken || !free(*id); _, taken = x.Resolve(*id) {
			*id += "x"
		}
		renamed[ordinal] = *id
	}
	for _, e := range c.Entries {
		for _, name := range names(e) {
			if id, ok := renamed[*name]; ok {
				*name = id
			}
		}
	}
	return len(renamed)
}

// referencedIDs returns all ids by which entries name others.
func (c *Contents) referencedIDs() map[string]bool {
	ids := map[string]bool{}
	for _, e := range c.Entries {
		for _, name := range names(e) {
			ids[*name] = true
		}
	}
	return ids
}

// names returns pointers to the ids by which an entry names others.
func names(e Entry) []*string {
	switch e := e.(type) {
	case *Link:
		return []*string{&e.From, &e.To}
	case *Embedding:
		return []*string{&e.Entity}
	case *Carried:
		return []*string{&e.Entity}
	case *Consolidation:
		all := make([]*string, len(e.SourceItems))
		for i := range e.SourceItems {
			all[i] = &e.SourceItems[i]
		}
		return all
	}
	return nil
}

// ownID returns a pointer to the id of an entry that may go by its ordinal.
func ownID(e Entry) (id *string, has bool) {
	switch e := e.(type) {
	case *Insight:
		return &e.ID, true
	case *Decision:
		return &e.ID, true
	}
	return nil, false
}
