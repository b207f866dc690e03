package aimemsuite

import (
	"errors"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/pattern"
)

var checksumForm = pattern.New(`^sha256:[0-9a-f]{64}$`)

func checksumChecks() []check {
	return []check{
		{"AIMEM-2.8-1", func(r *run) error {
			s := r.single(`checksum="one"`)
			b := s.sealed()
			changed := s.edit(chunks, `checksum="two"`).With("checksum", b.Get("checksum"))
			return first(r.post(changed).Is(409), r.takes(b))
		}},
		{"AIMEM-2.8-2", func(r *run) error {
			return r.takes(r.single(`x_n=[0.0001,0.00001,5e-7,1.0,-0.0,1e21,"\u20ac",{"\ud83d\ude00":1,"\ufb33":2}]`).sealed())
		}},
		{"AIMEM-2.8-3", func(r *run) error {
			v, err := r.export("")
			return first(err, equal("checksum of the export", v.Get("checksum"), `"`+checksumOf(v)+`"`))
		}},
		{"AIMEM-2.8-4", func(r *run) error {
			v, err := r.export("")
			if err == nil && !checksumForm.MatchString(v.Get("checksum").Text()) {
				err = errors.New("the checksum of an export is not sha256: and lower-case hex")
			}
			return err
		}},
		{"AIMEM-2.8-5", func(r *run) error { return r.takes(r.single(`x_nested={"b":{"z":[{}],"a":1}}`).sealed()) }},
		{"AIMEM-2.8-6", func(r *run) error {
			b := r.single().sealed()
			return first(summed(r.send(b.AppendIndent(nil, "  "), "")), summed(r.send(b.AppendCanonical(nil), "")))
		}},
		{"AIMEM-2.8-7", func(r *run) error {
			s := r.single()
			return first(r.post(s.With("checksum", canon.String("sha256:"+zeros))).Is(409), r.outside("", s.content(0)))
		}},
		{"AIMEM-2.8-8", func(r *run) error {
			return r.post(r.single().With("checksum", canon.String("sha256:"+zeros))).Is(409)
		}},
		{"AIMEM-2.8-10", func(r *run) error {
			s := r.single()
			return first(r.post(s.Value).Is(422), r.post(s.With("checksum", canon.String("md5:"+zeros))).Is(422),
				r.post(s.With("checksum", canon.Int(1))).Is(422), r.post(s.With("checksum", canon.String("sha256:"+strings.Repeat("F", 64)))).Is(409))
		}},
	}
}
