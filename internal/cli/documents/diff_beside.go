package documents

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault/bundle"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// entityOut is an entity in which the two sides differ.
type entityOut struct {
	Name     string   `json:"name"`
	In       string   `json:"in"` // a, b or both
	Pointers []string `json:"pointers"`
}

// line prints the entity in the form of diff.
func (e entityOut) line() string {
	mark := map[string]string{"a": "<", "b": ">", "both": "~"}[e.In]
	return mark + " entity  " + cli.OneLine(e.Name, 80)
}

// besideDiff compares the edges, links and entities of two sides. Bundles keep them
// beside their memories, with weights and times that no relation holds. The zero value
// compares nothing.
type besideDiff struct {
	sides    [2]besideSide
	pointers map[int][]string // by the left record of a pair
	entities []entityOut
}

// besideSide is what stands beside the memories of one side.
type besideSide struct {
	edges    map[string][]besideItem // by source, type and target
	links    map[string][]besideItem // by record and name
	entities map[string][]canon.Value
	said     map[memory.ID]map[memory.Relation]bool // the relations that these give
}

// besideItem is an edge or a link of a record.
type besideItem struct {
	record  int // the left one of its pair; -1: it has none
	pointer string
	value   canon.Value // without the ids at its ends
}

// beside compares what stands beside the memories, if a side has a bundle's edges and
// entities. Two sides without any have said all in their relations.
func (c *DiffCmd) beside(a *cli.App, left, right *side, pairs []match) (d besideDiff, err error) {
	stored := left.store != nil && right.brain || left.brain && right.store != nil
	if c.Texts || !left.whole || !right.whole || len(left.notes)+len(right.notes) == 0 && !stored {
		return d, nil
	}
	numbers := [2]map[memory.ID]int{{}, {}}
	for i, id := range left.ids {
		numbers[0][id] = i
	}
	for i, p := range pairs {
		if p.with >= 0 {
			numbers[1][right.ids[p.with]] = i
		}
	}
	for n, s := range []*side{left, right} {
		of, err := s.beside(a)
		_, unfit := errors.AsType[*codec.ParseError](err)
		if unfit || memory.KindOf(err) == memory.Unsupported {
			a.Say("edges, links and entities are not compared: %s", cli.Describe(err))
			return besideDiff{}, nil
		}
		if err != nil {
			return d, err
		}
		d.sides[n] = besideOf(of, numbers[n], pairs)
	}
	d.pointers = map[int][]string{}
	d.compare(d.sides[0].edges, d.sides[1].edges)
	d.compare(d.sides[0].links, d.sides[1].links)
	d.compareEntities()
	d.only(c)
	return d, nil
}

// beside reads what stands beside the memories of a side.
func (s *side) beside(a *cli.App) (of aimem.Beside, err error) {
	if s.store == nil {
		return aimem.BesideOf(ump.Forms(), codec.Options{Now: a.Now, Spool: tempSpool}, s.walk)
	}
	err = s.store.With(cli.Reading, func(o *cli.Session) error {
		return bundle.New(o.Vault).ExportBrain(a.Ctx, o.Caller(), aimem.Export{}, func(b aimem.Brain, _ aimem.ExportReport) (err error) {
			of, err = aimem.BesideIn(b)
			return err
		})
	})
	return of, err
}

// besideOf orders what stands beside the memories of a side by the pairs of records.
func besideOf(of aimem.Beside, numbers map[memory.ID]int, pairs []match) besideSide {
	s := besideSide{edges: map[string][]besideItem{}, links: map[string][]besideItem{}, entities: map[string][]canon.Value{}, said: map[memory.ID]map[memory.Relation]bool{}}
	number := func(id memory.ID) int {
		if n, ok := numbers[id]; ok && pairs[n].with >= 0 {
			return n
		}
		return -1
	}
	says := func(id memory.ID, r memory.Relation) {
		if s.said[id] == nil {
			s.said[id] = map[memory.Relation]bool{}
		}
		s.said[id][r] = true
	}
	for _, e := range of.Edges {
		says(e.From, memory.Relation{Type: e.Edge.Type, Target: string(e.To)})
		to := string(e.To)
		if n := number(e.To); n >= 0 {
			to = fmt.Sprint(n)
		}
		key := fmt.Sprint(number(e.From), " ", to, " ", e.Edge.Type)
		put(s.edges, key, besideItem{number(e.From), canon.Pointer("edges", e.Edge.Type, string(e.To)), e.Edge.Value.Without("source_id").Without("target_id")})
	}
	for _, l := range of.Links {
		says(l.Record, memory.Relation{Target: aimem.EntityTarget(l.Name)})
		key := fmt.Sprint(number(l.Record), " ", l.Name)
		put(s.links, key, besideItem{number(l.Record), canon.Pointer("entities", l.Name), l.Link.Value.Without("chunk_id").Without("entity_id")})
	}
	for _, e := range of.Entities {
		v := e.Value
		for _, name := range []string{"id", "x_origin_id", "x_relay_id"} {
			v = v.Without(name)
		}
		s.entities[e.Name] = append(s.entities[e.Name], v)
	}
	return s
}

func put(all map[string][]besideItem, key string, s besideItem) {
	if s.record >= 0 {
		all[key] = append(all[key], s)
	}
}

// compare notes the differences of edges or links at the records that have them. Two may
// have the same ends: then those that are equal go together first.
func (d *besideDiff) compare(one, other map[string][]besideItem) {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(one)), maps.Keys(other))
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		left, right := unequal(one[key], other[key])
		for i := range max(len(left), len(right)) {
			switch {
			case i >= len(left):
				d.note(right[i])
			case i >= len(right):
				d.note(left[i])
			default:
				for _, pointer := range unlike(left[i].value, right[i].value) {
					s := left[i]
					s.pointer += pointer
					d.note(s)
				}
			}
		}
	}
}

// unequal returns the items of each side without those that both sides have.
func unequal(one, other []besideItem) (left, right []besideItem) {
	right = slices.Clone(other)
	for _, s := range one {
		i := slices.IndexFunc(right, func(o besideItem) bool { return canon.Equal(s.value, o.value) })
		if i < 0 {
			left = append(left, s)
			continue
		}
		right = slices.Delete(right, i, i+1)
	}
	return left, right
}

func (d *besideDiff) note(s besideItem) {
	d.pointers[s.record] = append(d.pointers[s.record], s.pointer)
}

// unlike returns the pointers of the members in which two objects differ.
func unlike(one, other canon.Value) (pointers []string) {
	for _, m := range one.Members() {
		if !canon.Equal(m.Value, other.Get(m.Name)) {
			pointers = append(pointers, canon.Pointer(m.Name))
		}
	}
	for _, m := range other.Members() {
		if !one.Has(m.Name) {
			pointers = append(pointers, canon.Pointer(m.Name))
		}
	}
	slices.Sort(pointers)
	return pointers
}

// compareEntities compares the entities by their names: ids are those of a producer.
func (d *besideDiff) compareEntities() {
	one, other := d.sides[0].entities, d.sides[1].entities
	names := map[string]bool{}
	for _, all := range []map[string][]canon.Value{one, other} {
		for name := range all {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		a, b := one[name], other[name]
		inOrder(a)
		inOrder(b)
		for i := range max(len(a), len(b)) {
			switch {
			case i >= len(b):
				d.entities = append(d.entities, entityOut{name, "a", []string{}})
			case i >= len(a):
				d.entities = append(d.entities, entityOut{name, "b", []string{}})
			default:
				if pointers := unlike(a[i], b[i]); len(pointers) > 0 {
					d.entities = append(d.entities, entityOut{name, "both", pointers})
				}
			}
		}
	}
}

func inOrder(all []canon.Value) {
	slices.SortFunc(all, func(a, b canon.Value) int {
		return cmp.Compare(string(a.AppendCanonical(nil)), string(b.AppendCanonical(nil)))
	})
}

// only orders the differences, and keeps those below the member that --member names.
func (d *besideDiff) only(c *DiffCmd) {
	for n, pointers := range d.pointers {
		slices.Sort(pointers)
		d.pointers[n] = slices.DeleteFunc(pointers, func(p string) bool { return !c.below(p) })
	}
	d.entities = slices.DeleteFunc(d.entities, func(e entityOut) bool { return !c.below(canon.Pointer("entities", e.Name)) })
}

// below reports whether a pointer is of the member that --member names.
func (c *DiffCmd) below(pointer string) bool {
	return c.Member == "" || pointer == c.Member || strings.HasPrefix(pointer, strings.TrimSuffix(c.Member, "/")+"/")
}

// bare returns a record without the relations that its side's edges and links give: those
// are compared by themselves.
func (d *besideDiff) bare(n int, rec memory.Record) memory.Record {
	said := d.sides[n].said[rec.ID]
	if len(said) == 0 {
		return rec
	}
	rec.Relations = slices.DeleteFunc(slices.Clone(rec.Relations), func(r memory.Relation) bool {
		return said[memory.Relation{Target: r.Target}] || said[memory.Relation{Type: aimem.EdgeType(r.Type), Target: r.Target}]
	})
	return rec
}
