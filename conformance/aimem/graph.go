package aimemsuite

import (
	"errors"

	"github.com/satchel-memory/satchel/canon"
)

func graphChecks() []check {
	return []check{
		{"AIMEM-2.4-1", first2(variants(refused(edges, `source_id`, `target_id`, `edge_type`, `weight`, `created_at`)), alien(edges))},
		{"AIMEM-2.4-2", variants(accepted(edges, `edge_type="hebbian"`, `edge_type="temporal"`, `edge_type="causal"`, `edge_type="x-custom-rel"`),
			refused(edges, `edge_type="related"`, `edge_type="x-"`))},
		{"AIMEM-2.4-3", variants(accepted(edges, `weight=0`, `weight=1`, `weight=0.42`), refused(edges, `weight=1.5`, `weight=-0.1`, `weight="0.5"`, `weight=null`))},
		{"AIMEM-2.4-4", variants(refused(edges, `target_id="urn:aimem:$P:nowhere"`, `source_id="urn:aimem:$P:nowhere"`))},
		{"AIMEM-2.4-5", func(r *run) error {
			s := r.sample().edit(edges, `target_id="urn:aimem:`+r.producer+`:nowhere"`)
			return first(r.post(s.sealed()).Is(422), r.outside("", s.content(0)), r.outside("", s.content(1)))
		}},
		{"AIMEM-2.4-6", variants(refused(edges, `target_id="$E"`))},
		{"AIMEM-2.4-7", variants(refused(edges, `created_at="now"`))},
		{"AIMEM-2.4-8", closedGraph},
		{"AIMEM-2.4-9", func(r *run) error {
			s := r.sample()
			if err := r.takes(s.sealed()); err != nil {
				return err
			}
			again, err := r.imported(s.sealed())
			return first(err, equal("number of edges inserted again", again.Value.Get(edges).Get("inserted"), "0"))
		}},
		{"AIMEM-2.4-10", func(r *run) error {
			s := r.sample().edit(edges, `edge_type="x-custom-rel"`, `weight=0.25`)
			v, err := r.taken(s)
			if err != nil {
				return err
			}
			from := found(v, s.content(0)).Get("id").Text()
			for _, e := range v.Get(edges).Items() {
				if e.Get("source_id").Text() == from && e.Get("edge_type").Text() == "x-custom-rel" && e.Get("weight").Float() == 0.25 {
					return nil
				}
			}
			return errors.New("an edge of a type of one's own does not come back")
		}},
		{"AIMEM-2.5-1", first2(variants(refused(entities, `id`, `name`, `kind`, `created_at`)), alien(entities))},
		{"AIMEM-2.5-2", variants(orphaned(422, `id="entity-7"`))},
		{"AIMEM-2.5-3", variants(refused(entities, `name=""`))},
		{"AIMEM-2.5-4", variants(accepted(entities, `kind="person"`, `kind="x-animal"`), refused(entities, `kind="animal"`, `kind="Person"`))},
		{"AIMEM-2.5-5", variants(refused(entities, `created_at=""`))},
		{"AIMEM-2.5-6", func(r *run) error {
			s := r.sample()
			return r.post(s.put(entities, 1, s.at(entities, 0)).sealed()).Is(422)
		}},
		{"AIMEM-2.5-7", orphanKept},
		{"AIMEM-2.6-1", first2(variants(refused(links, `entity_id`, `chunk_id`)), alien(links))},
		{"AIMEM-2.6-2", variants(refused(links, `chunk_id="urn:aimem:$P:nowhere"`))},
		{"AIMEM-2.6-3", variants(refused(links, `entity_id="urn:aimem:$P:nowhere"`, `chunk_id="$E" && entity_id="$A"`))},
		{"AIMEM-2.6-4", func(r *run) error {
			s := r.sample()
			a, err := r.imported(s.put(links, 1, s.at(links, 0)).sealed())
			return first(err, equal("number of links inserted", a.Value.Get(links).Get("inserted"), "1"))
		}},
	}
}

// first2 runs both checks and returns the first error.
func first2(a, b func(*run) error) func(*run) error {
	return func(r *run) error { return first(a(r), b(r)) }
}

// alien puts a value that is no object into an array.
func alien(array string) func(*run) error {
	return func(r *run) error {
		s := r.sample()
		return r.post(s.put(array, 1, r.junk()).sealed()).Is(422)
	}
}

// orphaned returns variants of a bundle with one changed entity and no links.
func orphaned(status int, edit string) []variant {
	return []variant{{status, "", []string{`chunk_entities=[]`, `entities=[{"name":"N","kind":"concept","created_at":"2026-04-02T09:30:00Z",` + member(edit) + `}]`}}}
}

// member turns an edit into a JSON member.
func member(edit string) string {
	for i := range edit {
		if edit[i] == '=' {
			return `"` + edit[:i] + `":` + edit[i+1:]
		}
	}
	return ""
}

// closedGraph checks that the edges of every scope lead to chunks of that scope.
func closedGraph(r *run) error {
	s := r.sample().edit(chunks, `memory_type="identity"`) // its other end is a fact
	if _, err := r.taken(s); err != nil {
		return err
	}
	for _, query := range []string{"", "?scope=DNA_ONLY"} {
		v, err := r.export(query)
		if err != nil {
			return err
		}
		here := map[string]bool{}
		for _, c := range v.Get(chunks).Items() {
			here[c.Get("id").Text()] = true
		}
		for _, e := range v.Get(edges).Items() {
			if !here[e.Get("source_id").Text()] || !here[e.Get("target_id").Text()] {
				return errors.New("an export" + query + " has an edge with a loose end")
			}
		}
	}
	return nil
}

func orphanKept(r *run) error {
	s := r.sample()
	s = sample{s.With(links, emptyArray())}
	v, err := r.taken(s)
	if err != nil {
		return err
	}
	for _, e := range v.Get(entities).Items() {
		if canon.Equal(e.Get("name"), s.at(entities, 0).Get("name")) {
			return nil
		}
	}
	return errors.New("an entity without links does not come back")
}
