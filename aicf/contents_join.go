package aicf

// NameOrdinals gives insights and decisions that something in the file names by their
// place among their like an id of their own, so that it names the same once the
// entries stand in another file. The id is prefix and the ordinal, and free says which
// ids that file has left. It returns how many got one.
func (c *Contents) NameOrdinals(prefix string, free func(id string) bool) int {
	x := c.Index()
	asked := c.asked()
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

// asked returns all ids by which entries name others.
func (c *Contents) asked() map[string]bool {
	ids := map[string]bool{}
	for _, e := range c.Entries {
		for _, name := range names(e) {
			ids[*name] = true
		}
	}
	return ids
}

// names returns where an entry names others.
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

// ownID returns where an entry that may be called by its place has its id.
func ownID(e Entry) (id *string, has bool) {
	switch e := e.(type) {
	case *Insight:
		return &e.ID, true
	case *Decision:
		return &e.ID, true
	}
	return nil, false
}
