package aimemsuite

import (
	"errors"
	"fmt"

	"github.com/satchel-memory/satchel/canon"
)

func exportChecks() []check {
	return []check{
		{"AIMEM-1.2-1", func(r *run) error {
			v, err := r.export("")
			return first(err, r.sameTenant(v))
		}},
		{"AIMEM-1.2-6", func(r *run) error {
			for _, query := range []string{"", "?scope=DNA_ONLY", "?scope=SINCE&since=2026-01-01T00:00:00Z"} {
				a := r.get(exportPath + query)
				if err := first(a.Is(200), summed(r.send(a.Body, ""))); err != nil {
					return fmt.Errorf("an export%s: %w", query, err)
				}
			}
			return nil
		}},
		{"AIMEM-3.1-1", func(r *run) error {
			v, err := r.export("?scope=SINCE&since=2026-04-01T00:00:00Z")
			return first(err, equal("scope of the export", v.Get("scope"), `"SINCE"`), equal("since of the export", v.Get("since"), `"2026-04-01T00:00:00Z"`))
		}},
		{"AIMEM-3.1-2", func(r *run) error {
			for _, accept := range []string{"application/json", "*/*", "text/html"} {
				a := r.get(exportPath, "Accept: "+accept)
				if _, err := exported(a); err != nil {
					return err
				}
				if got := a.Header.Get("Content-Type"); got != bundleType {
					return fmt.Errorf("an export comes as %q", got)
				}
			}
			return nil
		}},
		{"AIMEM-3.1-5", func(r *run) error {
			v, err := r.export("?since=")
			return first(err, equal("scope of the export", v.Get("scope"), `"FULL"`))
		}},
		{"AIMEM-3.1-6", func(r *run) error {
			return first(r.get(exportPath+"?scope=ALL").Is(422), r.get(exportPath+"?scope=FULL&scope=DNA_ONLY").Is(422), r.get(exportPath+"?scope=SINCE").Is(422), r.get(exportPath+"?scope=SINCE&since=foo").Is(422))
		}},
		{"AIMEM-3.1-7", inclusive},
		{"AIMEM-3.1-8", func(r *run) error {
			fact, pinned, identity := r.single(), r.single(`is_pinned=true`), r.single(`memory_type="identity"`)
			for _, s := range []sample{fact, pinned, identity} {
				if err := r.takes(s.sealed()); err != nil {
					return err
				}
			}
			return first(r.inside("?scope=DNA_ONLY", pinned.content(0)), r.inside("?scope=DNA_ONLY", identity.content(0)), r.outside("?scope=DNA_ONLY", fact.content(0)))
		}},
		{"AIMEM-3.1-9", wholeGraph},
		{"AIMEM-3.1-17", func(r *run) error {
			if err := r.takes(r.sample().sealed()); err != nil {
				return err
			}
			v, err := r.export("?scope=SINCE&since=2999-01-01T00:00:00Z")
			if err == nil && len(v.Get(chunks).Items()) > 0 {
				err = errors.New("an export of the far future has chunks")
			}
			return err
		}},
	}
}

// sameTenant compares the tenant of an export with the tenant of the first export.
func (r *run) sameTenant(v canon.Value) error {
	if v.Get("tenant_id").Text() == "" {
		return errors.New("an export names no tenant_id")
	}
	return equal("tenant_id of the export", v.Get("tenant_id"), string(r.first.Get("tenant_id").Append(nil)))
}

// inside returns nil if an export has a content.
func (r *run) inside(query, content string) error {
	v, err := r.export(query)
	if err == nil && found(v, content).Type() == canon.TypeUndefined {
		err = fmt.Errorf("an export%s lacks a chunk that it must have", query)
	}
	return err
}

func inclusive(r *run) error {
	before, at, after := r.single(`created_at="2031-05-01T11:59:59Z"`), r.single(`created_at="2031-05-01T12:00:00Z"`), r.single(`created_at="2031-05-01T12:00:01Z"`)
	for _, s := range []sample{before, at, after} {
		if err := r.takes(s.sealed()); err != nil {
			return err
		}
	}
	const query = "?scope=SINCE&since=2031-05-01T12:00:00Z"
	return first(r.outside(query, before.content(0)), r.inside(query, at.content(0)), r.inside(query, after.content(0)))
}

func wholeGraph(r *run) error {
	s := r.sample()
	v, err := r.taken(s)
	if err != nil {
		return err
	}
	a, z := found(v, s.content(0)).Get("id"), found(v, s.content(1)).Get("id")
	edge, link := false, false
	for _, e := range v.Get(edges).Items() {
		edge = edge || canon.Equal(e.Get("source_id"), a) && canon.Equal(e.Get("target_id"), z)
	}
	for _, l := range v.Get(links).Items() {
		link = link || canon.Equal(l.Get("chunk_id"), a)
	}
	if a.Text() == "" || z.Text() == "" || !edge || !link {
		return errors.New("a whole export lacks a chunk, an edge or a link that was imported")
	}
	return nil
}
