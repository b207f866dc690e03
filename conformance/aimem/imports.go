package aimemsuite

import (
	"fmt"
	"net/http"

	"github.com/satchel-memory/satchel/canon"
)

func importChecks() []check {
	return []check{
		{"AIMEM-3.2-1", func(r *run) error {
			return first(r.send([]byte(`{}`), "").Is(422), r.send([]byte(`hello`), "").Is(422), r.send([]byte{}, "").Is(422))
		}},
		{"AIMEM-3.2-2", func(r *run) error {
			b := r.single().sealed().Append(nil)
			return first(summed(r.send(b, "", "Content-Type: "+bundleType)), summed(r.send(b, "", "Content-Type: application/json")),
				r.send(b, "", "Content-Type: text/plain").Is(415))
		}},
		{"AIMEM-3.2-3", summaryOfImport},
		{"AIMEM-3.2-4", func(r *run) error {
			s := r.single()
			if err := r.counts(s, "inserted", 1); err != nil {
				return err
			}
			_, err := r.imported(s.edit(chunks, `content="Clash `+r.nonce+`"`).sealed())
			return err
		}},
		{"AIMEM-3.2-5", both(
			variants(refused("", `exported_at`), refused(chunks, `id="not-a-urn"`), refused(edges, `target_id="urn:aimem:$P:nowhere"`)),
			func(r *run) error {
				return first(r.post(r.sample().edit("", `scope="EVERYTHING"`).sealed()).Is(422), r.post(r.sample().edit("", `tenant_id`).sealed()).Is(422))
			})},
		{"AIMEM-3.2-6", func(r *run) error {
			s := r.blank()
			for i := range 200 {
				s = s.put(chunks, i, r.chunk(r.urn("m")))
			}
			s = s.put(chunks, 199, edited(s.at(chunks, 199), `zone="low"`))
			return first(r.post(s.sealed()).Is(422), r.outside("", s.content(0)))
		}},
		{"AIMEM-3.2-7", func(r *run) error {
			b := r.single().sealed().Append(nil)
			err := r.call("", http.MethodPost, importPath, b).Is(401)
			if err == nil && r.Reader != "" {
				err = r.call(r.Reader, http.MethodPost, importPath, b).Is(403)
			}
			return err
		}},
		{"AIMEM-3.2-8", func(r *run) error {
			s := r.single().edit("", `tenant_id="22222222-2222-4222-8222-222222222222"`)
			v, err := r.taken(s)
			if err == nil && found(v, s.content(0)).Type() == canon.TypeUndefined {
				err = fmt.Errorf("a chunk of another tenant_id is not with whoever imported it")
			}
			return first(err, r.sameTenant(v))
		}},
		{"AIMEM-3.2-9", func(r *run) error {
			s := r.sample()
			a := r.post(s.put(chunks, 1, edited(s.at(chunks, 1), `content_hash="sha256:`+zeros+`"`)).sealed())
			return first(a.Is(422), equal("pointer of the problem", a.Value.Get("pointer"), `"/chunks/1/content_hash"`))
		}},
		{"AIMEM-6.1-1", func(r *run) error {
			b := r.single().sealed().Append(nil)
			return first(summed(r.send(b, "", "Content-Type: "+bundleType+`;version="1"`)), summed(r.send(b, "", "Content-Type: "+bundleType+`; version=1`)),
				r.send(b, "", "Content-Type: "+bundleType+`;version="2"`).Is(415, 422))
		}},
		{"AIMEM-6.1-3", func(r *run) error {
			b := r.single().sealed().Append(nil)
			return first(summed(r.send(b, "", "Content-Type: "+bundleType+"; charset=utf-8")), r.send(b, "", "Content-Type: "+bundleType+"; charset=latin1").Is(415))
		}},
		{"AIMEM-7-1", variants(refused("", `version=1`))},
		{"AIMEM-7-2", func(r *run) error {
			v, err := r.export("")
			return first(err, equal("version of the export", v.Get("version"), `"1"`), r.takes(r.single(`x_later=true`).sealed()))
		}},
		{"AIMEM-7-4", func(r *run) error {
			s := r.single().edit("", `version="2"`)
			a := r.post(s.sealed())
			if a.Err == nil && a.Status < 300 {
				return fmt.Errorf("a bundle of version 2 is taken")
			}
			return first(a.Err, r.outside("", s.content(0)))
		}},
		{"AIMEM-7-5", func(r *run) error {
			s := r.single().edit("", `version="2"`)
			return first(r.post(s.sealed()).Is(422), r.post(s.With("checksum", canon.String("sha256:"+zeros))).Is(422))
		}},
	}
}

func summaryOfImport(r *run) error {
	s := r.sample()
	for range 2 {
		a := r.post(s.sealed())
		if err := a.Is(200); err != nil {
			return err
		}
		sum := len(a.Value.Get("rejected").Items())
		for _, m := range []string{"inserted", "updated", "skipped"} {
			if a.Value.Get(m).Type() != canon.TypeNumber {
				return fmt.Errorf("the answer to an import does not count %s", m)
			}
			sum += int(a.Value.Get(m).Float())
		}
		if a.Value.Get("rejected").Type() != canon.TypeArray || a.Value.Get("warnings").Type() != canon.TypeArray {
			return fmt.Errorf("the answer to an import has no lists of rejected chunks and warnings")
		}
		if sum != 2 {
			return fmt.Errorf("an import of 2 chunks accounts for %d", sum)
		}
	}
	return nil
}
