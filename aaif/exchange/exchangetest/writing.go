package exchangetest

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// Pair converts both ways.
type Pair struct {
	To   func(aaif.Definition) (canon.Value, []codec.Loss, error)
	From func(canon.Value) (aaif.Definition, []codec.Loss, error)
	// Whole says that the other format binds nobody, and that constraints and compliance
	// are listed as two wholes.
	Whole bool
	// Said reports whether the other format holds the value at a pointer, although the
	// way back does not take it; nil: it holds none.
	Said func(pointer string) bool
}

// Writing tests that a definition loses nothing silently on the way to another format and
// back.
func Writing(t *testing.T, p Pair) {
	full := Sample(t)
	signed := set(full, "/provenance/signature", canon.String(strings.Repeat("A", 86)+"=="))
	t.Run("AAIF-3-4 AAIF-12-6 a definition with every member", func(t *testing.T) {
		p.Check(t, full)
		p.Check(t, signed)
	})
	t.Run("AAIF-3-4 AAIF-12-6 each member by itself", func(t *testing.T) {
		for _, at := range fields(t, full) {
			p.Check(t, only(full, at))
		}
		p.Check(t, only(signed, "/provenance/signature"))
	})
	t.Run("AAIF-3-4 AAIF-12-6 without each leaf", func(t *testing.T) {
		for _, at := range leaves(full, "") {
			p.Check(t, set(full, at, canon.Value{}))
		}
	})
	t.Run("AAIF-12-6 constraints and compliance are carried or listed with the requirement", func(t *testing.T) {
		for _, at := range leaves(full, "") {
			if guarded(at) {
				p.checkGuarded(t, only(full, at))
			}
		}
		p.checkGuarded(t, full)
	})
	t.Run("AAIF-3-4 random parts with random texts", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) { p.Check(t, random(t, full)) })
	})
	t.Run("AAIF-12-4 a definition with a secret does not leave", func(t *testing.T) {
		for _, at := range []string{"/agent/goal", "/agent/tools/0/description", "/agent/constraints/0"} {
			v := set(full, at, canon.String("call it with "+secretText()))
			if _, _, err := p.To(aaif.ReadDefinition(v)); aaif.CodeOf(err) != aaif.InlineSecret {
				t.Errorf("%s: got %v", at, err)
			}
		}
	})
	t.Run("AAIF-4-1 an invalid definition does not leave", func(t *testing.T) {
		v := set(full, "/agent/compliance/safety_level", canon.String("maximum"))
		if _, _, err := p.To(aaif.ReadDefinition(v)); aaif.CodeOf(err) != aaif.SchemaViolation {
			t.Errorf("got %v", err)
		}
	})
}

// secretText returns a text with the shape of a secret.
func secretText() string { return "ghp" + "_" + "k3Jx9QmZ7LpW2vRtY8bNcD4fGhS6aE1uT5oI" }

// only returns the smallest definition with the value at a pointer: of lists on the way
// only that item, with the members that an object needs.
func only(full canon.Value, pointer string) canon.Value {
	least := canon.Object(
		canon.Member{Name: "sc_standard", Value: canon.String(aaif.StandardID)},
		canon.Member{Name: "agent", Value: canon.Object(
			canon.Member{Name: "name", Value: canon.String("N")}, canon.Member{Name: "goal", Value: canon.String("G")})})
	return graft(least, full, strings.Split(pointer, "/")[1:])
}

func graft(into, full canon.Value, names []string) canon.Value {
	if len(names) == 0 {
		return full
	}
	if full.Type() == canon.TypeArray {
		i, err := strconv.Atoi(names[0])
		if err != nil {
			panic(err)
		}
		return canon.Array(graft(canon.Value{}, full.Items()[i], names[1:]))
	}
	if into.Type() == canon.TypeUndefined {
		for _, m := range full.Members() {
			if slices.Contains([]string{"name", "description", "provider", "provider_id", "model", "path", "scope", "content", "type", "value", "ref",
				"condition", "target_agent", "lang", "expr", "id", "input"}, m.Name) {
				into = into.With(m.Name, m.Value)
			}
		}
	}
	return into.With(names[0], graft(into.Get(names[0]), full.Get(names[0]), names[1:]))
}

// random returns a definition with some of another's leaves, and random texts where any
// text is allowed.
func random(t *rapid.T, full canon.Value) canon.Value {
	free := []string{"/agent/name", "/agent/goal", "/agent/description", "/agent/instructions", "/agent/constraints/0", "/agent/tools/2/description",
		"/agent/model/preferred", "/provenance/authored_by", "/tags/0", "/agent/skills/0", "/agent/memory/0/content"}
	all := leaves(full, "")
	for i := len(all) - 1; i >= 0; i-- {
		switch {
		case slices.Contains(free, all[i]) && rapid.IntRange(0, 3).Draw(t, all[i]) == 0:
			full = set(full, all[i], canon.String(rapid.StringN(1, -1, 700).Draw(t, "text")))
		case rapid.IntRange(0, 9).Draw(t, all[i]) == 0:
			full = set(full, all[i], canon.Value{})
		}
	}
	return full
}
