package engram

import (
	"slices"

	"github.com/satchel-memory/satchel/memory"
)

// Lineages parts records into beliefs, for those who have no store that knows: a record
// belongs with the one that it supersedes, a proposal with the one that it contradicts.
// Lineages stand in the order of their first records, versions in the order in which
// they replaced one another.
func Lineages(records []memory.Record) []Lineage {
	g := grouping{index: make(map[memory.ID]int, len(records)), root: make([]int, len(records))}
	for i, r := range records {
		g.index[r.ID] = i
		g.root[i] = -1
	}
	lists := map[int]*Lineage{}
	var order []int
	add := func(root int, r memory.Record, proposal bool) {
		if lists[root] == nil {
			lists[root] = &Lineage{}
			order = append(order, root)
		}
		if proposal {
			lists[root].Proposals = append(lists[root].Proposals, r)
			return
		}
		lists[root].Versions = append(lists[root].Versions, r)
	}
	for i, r := range records {
		if about := g.about(records, r); about >= 0 {
			add(g.find(records, about), r, true)
		} else {
			add(g.find(records, i), r, false)
		}
	}
	out := make([]Lineage, len(order))
	for i, root := range order {
		out[i] = *lists[root]
		out[i].Versions = succession(out[i].Versions)
	}
	return out
}

// grouping finds the first version of each record.
type grouping struct {
	index map[memory.ID]int
	root  []int // by record; -1: not yet known
}

// find returns the index of the first version of the belief of record i. Records that
// supersede one another in a circle have the one that was asked first.
func (g grouping) find(records []memory.Record, i int) int {
	var path []int
	for g.root[i] < 0 {
		g.root[i] = i
		path = append(path, i)
		before := g.before(records, i)
		if before < 0 {
			break
		}
		i = before
	}
	for _, p := range path {
		g.root[p] = g.root[i]
	}
	return g.root[i]
}

// before returns the index of the first record that record i supersedes, if it is here
// and no proposal; -1: there is none.
func (g grouping) before(records []memory.Record, i int) int {
	for _, id := range records[i].Supersedes {
		if j, ok := g.index[id]; ok && j != i && g.about(records, records[j]) < 0 {
			return j
		}
	}
	return -1
}

// about returns the index of the record that a proposal contradicts; -1: r is none, or
// what it contradicts is not here.
func (g grouping) about(records []memory.Record, r memory.Record) int {
	if !IsProposal(r) {
		return -1
	}
	for _, rel := range r.Relations {
		if j, ok := g.index[memory.ID(rel.Target)]; ok && rel.Type == memory.Contradicts && !IsProposal(records[j]) {
			return j
		}
	}
	return -1
}

// succession puts versions behind those that they replace, and leaves them as they
// stand otherwise.
func succession(list []memory.Record) []memory.Record {
	out := make([]memory.Record, 0, len(list))
	left := slices.Clone(list)
	for len(left) > 0 {
		n := slices.IndexFunc(left, func(r memory.Record) bool {
			return !slices.ContainsFunc(left, func(other memory.Record) bool {
				return other.ID != r.ID && slices.Contains(r.Supersedes, other.ID)
			})
		})
		n = max(n, 0)
		out = append(out, left[n])
		left = slices.Delete(left, n, n+1)
	}
	return out
}
