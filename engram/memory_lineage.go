package engram

import "github.com/satchel-memory/satchel/memory"

// Lineages groups records into beliefs, without a store. A record belongs with the record
// that it supersedes, a proposal with the record that it contradicts. Lineages come in the
// order of their first records, versions in the order of [memory.Succession].
func Lineages(records []memory.Record) []Lineage {
	g := newBeliefSets(records)
	lists := map[int]*Lineage{}
	var order []int
	for i, r := range records {
		about := g.about[i]
		root := g.find(max(about, 0))
		if about < 0 {
			root = g.find(i)
		}
		if lists[root] == nil {
			lists[root] = &Lineage{}
			order = append(order, root)
		}
		if l := lists[root]; about >= 0 {
			l.Proposals = append(l.Proposals, r)
		} else {
			l.Versions = append(l.Versions, r)
		}
	}
	out := make([]Lineage, len(order))
	for i, root := range order {
		out[i] = *lists[root]
		out[i].Versions = succession(out[i].Versions)
	}
	return out
}

// beliefSets groups the records of each belief.
type beliefSets struct {
	index map[memory.ID]int
	root  []int // for each record, an earlier record of its belief, or itself
	about []int // for each record, the one that it contradicts; -1: it is no proposal, or the list lacks that record
}

func newBeliefSets(records []memory.Record) beliefSets {
	g := beliefSets{index: make(map[memory.ID]int, len(records)), root: make([]int, len(records)), about: make([]int, len(records))}
	ids, proposed := make([]string, len(records)), make([]bool, len(records))
	for i, r := range records {
		g.index[r.ID] = i
		g.root[i] = i
		residue := residueOf(r)
		ids[i], proposed[i] = residue.Get(residueID).Text(), isProposalWith(r, residue)
	}
	for i, r := range records {
		g.about[i] = -1
		if proposed[i] {
			g.about[i] = g.contradicted(r, proposed)
		}
	}
	stated := map[string]int{}
	for i := range records {
		if g.about[i] >= 0 {
			continue
		}
		if j := g.before(records, i); j >= 0 {
			g.join(i, j)
		}
		if id := ids[i]; id != "" {
			if j, ok := stated[id]; ok {
				g.join(i, j)
			}
			stated[id] = i
		}
	}
	return g
}

// find returns the first record of record i's belief.
func (g beliefSets) find(i int) int {
	for g.root[i] != i {
		g.root[i] = g.root[g.root[i]]
		i = g.root[i]
	}
	return i
}

func (g beliefSets) join(i, j int) {
	i, j = g.find(i), g.find(j)
	g.root[max(i, j)] = min(i, j)
}

// before returns the index of the first record that record i supersedes, if the list has it
// and it is no proposal; -1: none.
func (g beliefSets) before(records []memory.Record, i int) int {
	for _, id := range records[i].Supersedes {
		if j, ok := g.index[id]; ok && j != i && g.about[j] < 0 {
			return j
		}
	}
	return -1
}

// contradicted returns the index of the record that a proposal contradicts; -1: the list
// lacks that record.
func (g beliefSets) contradicted(r memory.Record, proposed []bool) int {
	for _, rel := range r.Relations {
		if j, ok := g.index[memory.ID(rel.Target)]; ok && rel.Type == memory.Contradicts && !proposed[j] {
			return j
		}
	}
	return -1
}

// succession sorts versions in the order of [memory.Succession].
func succession(list []memory.Record) []memory.Record {
	versions := make([]memory.Version, len(list))
	for i, r := range list {
		versions[i] = memory.Version{ID: r.ID, Supersedes: r.Supersedes, From: r.Time.From()}
	}
	out := make([]memory.Record, len(list))
	for i, at := range memory.Succession(versions) {
		out[i] = list[at]
	}
	return out
}
