package aimemsuite

import (
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

func emptyArray() canon.Value { return canon.Array() }

func envelopeChecks() []check {
	return []check{
		{"AIMEM-1.2-2", variants(accepted("", `tenant_id="did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK"`, `tenant_id="11111111-1111-4111-8111-111111111112"`))},
		{"AIMEM-1.2-3", func(r *run) error { return r.takes(r.blank().sealed()) }},
		{"AIMEM-1.2-5", variants(
			refused("", `producer=""`, `producer="A"`, `producer="a_b"`, `producer="a.b"`, `producer="`+strings.Repeat("a", 64)+`"`),
			bare(`producer="a"`, `producer="a-1"`, `producer="-x"`, `producer="`+strings.Repeat("a", 63)+`"`))},
		{"AIMEM-2-1", func(r *run) error { return r.damaged("conformance run", "conformance \xff run") }},
		{"AIMEM-2-2", func(r *run) error {
			return first(r.send([]byte(`[]`), "").Is(422), r.send([]byte(`"x"`), "").Is(422))
		}},
		{"AIMEM-2-3", func(r *run) error {
			a := r.get(exportPath)
			if a.Err == nil && (len(a.Body) == 0 || a.Body[0] != '{') {
				return errors.New("an export does not begin with {")
			}
			_, err := exported(a)
			return err
		}},
		{"AIMEM-2-4", func(r *run) error {
			return first(r.damaged(`"version":"1"`, `"version":"1","version":"1"`), r.damaged("conformance run", `conformance \ud800 run`))
		}},
		{"AIMEM-2.1-1", elevenMembers},
		{"AIMEM-2.1-2", variants(refused("", `format="vendor-bundle"`, `format=1`, `format`))},
		{"AIMEM-2.1-3", variants(accepted("", `format="memoryai-bundle"`))},
		{"AIMEM-2.1-4", func(r *run) error {
			v, err := r.taken(r.sample().edit("", `format="memoryai-bundle"`))
			return first(err, equal("format of the export", v.Get("format"), `"aimem-bundle"`))
		}},
		{"AIMEM-2.1-5", variants(refused("", `version="2"`, `version=1`, `version="1.1"`), accepted("", `version="1"`))},
		{"AIMEM-2.1-6", variants(refused("", `producer="Upper"`, `producer=7`, `producer`))},
		{"AIMEM-2.1-7", ownNamespace},
		{"AIMEM-2.1-8", variants(refused("", `tenant_id="x"`, `tenant_id=""`, `tenant_id=42`), accepted("", `tenant_id="https://example.com/y"`))},
		{"AIMEM-2.1-9", variants(refused("", `exported_at="2026-06-12T10:00:00+02:00"`, `exported_at="2026-06-12"`, `exported_at=1718186400`, `exported_at="2026-06-12T10:60:00Z"`),
			accepted("", `exported_at="2026-06-12T10:00:00Z"`))},
		{"AIMEM-2.1-10", variants(refused("", `scope="EVERYTHING"`, `scope="full"`), accepted("", `scope="FULL"`, `scope="DNA_ONLY"`))},
		{"AIMEM-2.1-11", variants(refused("", `scope="SINCE"`, `scope="SINCE" && since="yesterday"`), accepted("", `scope="SINCE" && since="2026-04-01T00:00:00Z"`))},
		{"AIMEM-2.1-12", variants(accepted("", `since="2026-04-01T00:00:00Z"`))},
		{"AIMEM-2.1-13", func(r *run) error {
			v, err := r.export("")
			return first(err, equal("checksum of the export", v.Get("checksum"), `"`+checksumOf(v)+`"`))
		}},
		{"AIMEM-2.1-16", variants(refused("", `edges=null`, `chunks={}`, `entities="x"`, `chunk_entities=null`))},
		{"AIMEM-2.1-17", func(r *run) error {
			s := r.sample()
			late := r.sample().sealed().With("x_note", canon.String("hi"))
			return first(r.takes(s.edit("", `x_note="hi"`).sealed()), r.post(late).Is(409))
		}},
	}
}

// bare returns variants of a bundle with another namespace. They have no chunks, because the
// chunks' ids would lie in the old namespace.
func bare(edits ...string) []variant {
	var all []variant
	for _, e := range edits {
		all = append(all, variant{200, "", []string{e, `chunks=[]`, `edges=[]`, `entities=[]`, `chunk_entities=[]`}})
	}
	return all
}

// damaged sends a sample after replacing some of its bytes.
func (r *run) damaged(from, to string) error {
	body := strings.Replace(string(r.sample().sealed().Append(nil)), from, to, 1)
	return r.send([]byte(body), "").Is(422)
}

// elevenMembers checks that every export has all members, and that imports without a member
// that cannot be empty are refused.
func elevenMembers(r *run) error {
	v, err := r.export("")
	if err != nil {
		return err
	}
	for _, name := range []string{"format", "version", "producer", "tenant_id", "exported_at", "scope", "checksum", chunks, edges, entities, links} {
		if !v.Has(name) {
			return fmt.Errorf("an export has no %s", name)
		}
	}
	for _, name := range []string{"format", "version", "producer", "tenant_id", "exported_at", "scope", chunks} {
		if err := r.tryVariant(variant{422, "", []string{name, `edges=[]`, `chunk_entities=[]`}}); err != nil {
			return err
		}
	}
	return r.post(r.sample().Value).Is(422)
}

func ownNamespace(r *run) error {
	v, err := r.taken(r.sample())
	if err != nil {
		return err
	}
	prefix := "urn:aimem:" + v.Get("producer").Text() + ":"
	for _, c := range v.Get(chunks).Items() {
		if !strings.HasPrefix(c.Get("id").Text(), prefix) {
			return fmt.Errorf("an export of %s has an id of another namespace", v.Get("producer").Text())
		}
	}
	return nil
}

// equal returns nil if a value equals the given JSON.
func equal(what string, got canon.Value, want string) error {
	if canon.Equal(got, object("%s", want)) {
		return nil
	}
	return fmt.Errorf("the %s is %s, not %s", what, shortened(string(got.Append(nil))), shortened(want))
}
