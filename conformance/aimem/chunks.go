package aimemsuite

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// longChecks come after those that export again and again: what they import is long.
func longChecks() []check {
	return []check{
		{"AIMEM-2.2-6", variants(accepted(chunks, `content="`+strings.Repeat("🤖", 65_536)+`"`))},
		{"AIMEM-2.2-7", func(r *run) error {
			_, err := r.mayTake(r.single(`content="` + strings.Repeat("a", 65_537) + `"`))
			return err
		}},
	}
}

func chunkChecks() []check {
	return []check{
		{"AIMEM-2.2-1", func(r *run) error {
			s := r.blank()
			return r.post(sample{s.With(chunks, canon.Array(r.junk()))}.sealed()).Is(422)
		}},
		{"AIMEM-2.2-2", variants(refused(chunks, `id`, `content`, `memory_type`, `created_at`))},
		{"AIMEM-2.2-3", variants(accepted(chunks, `zone && is_pinned && tags`))},
		{"AIMEM-2.2-4", variants(refused(chunks, `id="not-a-urn"`, `id=7`))},
		{"AIMEM-2.2-5", variants(refused(chunks, `content=""`, `content=5`), accepted(chunks, `content=" "`))},
		{"AIMEM-2.2-9", variants(refused(chunks, `content_hash="SHA256:`+zeros+`"`, `content_hash="sha256:`+strings.Repeat("A", 64)+`"`,
			`content_hash="sha256:`+zeros[1:]+`"`, `content_hash="md5:`+zeros+`"`))},
		{"AIMEM-2.2-10", variants(refused(chunks, `content_hash="sha256:`+zeros+`"`))},
		{"AIMEM-2.2-11", mismatchLeavesNothing},
		{"AIMEM-2.2-12", variants(
			accepted(chunks, `content="e\u0301 $A" && content_hash=null`),
			refused(chunks, `content="e\u0301" && content_hash="`+hashed([]byte("\u00e9"))+`"`))},
		{"AIMEM-2.2-13", func(r *run) error {
			s := r.single("content_hash")
			return first(r.takes(s.sealed()), r.counts(s, "skipped", 1))
		}},
		{"AIMEM-2.2-14", variants(
			accepted(chunks, `memory_type="fact"`, `memory_type="preference"`, `memory_type="decision"`, `memory_type="identity"`, `memory_type="pitfall"`,
				`memory_type="procedure"`, `memory_type="episodic"`, `memory_type="goal"`),
			refused(chunks, `memory_type="Fact"`, `memory_type="x-foo"`))},
		{"AIMEM-2.2-16", variants(accepted(chunks, `zone="critical"`, `zone`), refused(chunks, `zone="low"`))},
		{"AIMEM-2.2-17", variants(accepted(chunks, `is_pinned=true`), refused(chunks, `is_pinned=1`, `is_pinned="true"`))},
		{"AIMEM-2.2-19", func(r *run) error {
			s := r.single(`is_pinned`)
			if _, err := r.taken(s); err != nil {
				return err
			}
			return r.outside("?scope=DNA_ONLY", s.content(0))
		}},
		{"AIMEM-2.2-20", both(variants(
			accepted(chunks, `created_at="2026-04-01T09:30:00.123Z"`),
			refused(chunks, `created_at="2026-04-01T09:30:00+07:00"`, `created_at="2026-04-01"`, `created_at=1711963800`,
				`created_at="2026-06-12T10:60:00Z"`, `created_at="2026-06-12T10:00:00,5Z"`)), oddTimes)},
		{"AIMEM-2.2-21", variants(
			accepted(chunks, `tags=["`+strings.Repeat("🤖", 64)+`"]`),
			refused(chunks, `tags="a"`, `tags=[""]`, `tags=["`+strings.Repeat("a", 65)+`"]`))},
		{"AIMEM-2.2-22", func(r *run) error { return r.survives(r.single(`tags=["Đà Lạt"]`), "tags") }},
		{"AIMEM-2.2-23", embedding(422, "!!!")},
		{"AIMEM-2.2-24", variants(accepted(chunks, `embedding=null`))},
		{"AIMEM-2.2-25", func(r *run) error { return r.survives(r.single(`x_conformance={"a":[1,"two",null]}`), "x_conformance") }},
		{"AIMEM-2.2-26", func(r *run) error {
			return first(
				r.survives(r.single(`memory_type="goal"`, `zone="critical"`, `is_pinned=true`, `tags=["b","a"]`, `created_at="2026-04-01T09:30:00.500Z"`),
					"memory_type", "zone", "is_pinned", "tags", "created_at"),
				r.survives(r.single(`content="line one`+r.nonce+`\r\nline two "`), "content"))
		}},
		{"AIMEM-2.3-1", variants(refused(chunks, `id="urn:aimem:$P"`, `id="urn:aimem::1"`, `id="urn:aimem:$P:"`, `id="urn:other:$P:1"`, `id="URN:AIMEM:$P:1"`))},
		{"AIMEM-2.3-2", variants(refused(chunks, `id="urn:aimem:BAD:1"`))},
		{"AIMEM-2.3-3", variants(refused(chunks, `id="urn:aimem:another-one:1"`))},
		{"AIMEM-2.3-4", variants(
			accepted(chunks, `id="urn:aimem:$P:`+strings.Repeat("a", 256)+`"`, `id="urn:aimem:$P:!#$%&/()"`),
			refused(chunks, `id="urn:aimem:$P:`+strings.Repeat("a", 257)+`"`, `id="urn:aimem:$P:a b"`, `id="urn:aimem:$P:a:b"`, `id="urn:aimem:$P:a\t"`, `id="urn:aimem:$P:é"`))},
		{"AIMEM-2.3-5", func(r *run) error {
			s := r.single()
			return r.post(s.put(chunks, 1, s.at(chunks, 0)).sealed()).Is(422)
		}},
		{"AIMEM-2.3-7", threeSpellings},
		{"AIMEM-2.3-8", func(r *run) error {
			r.serial++
			return r.survives(r.single(fmt.Sprintf(`id="urn:aimem:%s:preference-%d"`, r.producer, r.serial)), "memory_type")
		}},
		{"AIMEM-2.3-9", func(r *run) error {
			s := r.single()
			return first(r.counts(s, "inserted", 1), r.counts(s, "inserted", 0), r.counts(s, "inserted", 0))
		}},
		{"AIMEM-2.3-10", stableIDs},
	}
}

// zeros are the digits of a hash that no content has.
const zeros = "0000000000000000000000000000000000000000000000000000000000000000"

func mismatchLeavesNothing(r *run) error {
	s := r.sample()
	s = s.put(chunks, 1, edited(s.at(chunks, 1), `content_hash="sha256:`+zeros+`"`))
	return first(r.post(s.sealed()).Is(422), r.outside("", s.content(0)))
}

// outside returns nil if an export lacks a content.
func (r *run) outside(query, content string) error {
	v, err := r.export(query)
	if err == nil && found(v, content).Type() != canon.TypeUndefined {
		err = fmt.Errorf("an export%s holds a chunk that it must not", query)
	}
	return err
}

// survives imports a chunk and checks that the export has its members unchanged.
func (r *run) survives(s sample, members ...string) error {
	v, err := r.taken(s)
	if err != nil {
		return err
	}
	got := found(v, s.content(0))
	for _, m := range members {
		if want := s.at(chunks, 0).Get(m); !canon.Equal(got.Get(m), want) {
			return fmt.Errorf("%s of a chunk comes back as %s, not as %s", m, shortened(string(got.Get(m).Append(nil))), shortened(string(want.Append(nil))))
		}
	}
	return nil
}

// counts imports a bundle and compares a number of the answer.
func (r *run) counts(s sample, member string, want int) error {
	a, err := r.imported(s.sealed())
	if err != nil {
		return err
	}
	if got := a.Value.Get(member); got.Type() != canon.TypeNumber || int(got.Float()) != want {
		return fmt.Errorf("the import says %s %s, not %d", member, got.Append(nil), want)
	}
	return nil
}

// mayTake imports a bundle that the server may refuse, and reports whether the server
// accepted it.
func (r *run) mayTake(s sample) (took bool, err error) {
	b := s.sealed()
	a := r.post(b)
	if err := a.Is(200, 422); err != nil || a.Status == http.StatusUnprocessableEntity {
		return false, err
	}
	err = accounts(a, b)
	return err == nil, err
}

// oddTimes sends chunks with times at the ends of the calendar. The server may refuse them;
// an accepted chunk must be in the export.
func oddTimes(r *run) error {
	for _, at := range []string{"0000-06-01T00:00:00Z", "0001-01-01T00:00:00Z", "2016-12-31T23:59:60Z", "9999-12-31T23:59:60Z"} {
		s := r.single(`created_at="` + at + `"`)
		took, err := r.mayTake(s)
		if took {
			err = r.inside("", s.content(0))
		}
		if err != nil {
			return fmt.Errorf("created_at %s: %w", at, err)
		}
	}
	return nil
}

func threeSpellings(r *run) error {
	s := r.blank()
	for i, local := range []string{"1", "01", "%31"} {
		r.serial++
		s = s.put(chunks, i, r.chunk(fmt.Sprintf("urn:aimem:%s:%d-%s", r.producer, r.serial-i, local)))
	}
	return r.counts(s, "inserted", 3)
}

func stableIDs(r *run) error {
	s := r.sample()
	before, err := r.taken(s)
	if err != nil {
		return err
	}
	after, err := r.export("")
	if err != nil {
		return err
	}
	if a, b := found(before, s.content(0)).Get("id"), found(after, s.content(0)).Get("id"); a.Text() == "" || !canon.Equal(a, b) {
		return fmt.Errorf("a chunk has another id in the next export, or none")
	}
	return nil
}
