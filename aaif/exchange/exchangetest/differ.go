package exchangetest

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// testingT is the part of a test that checks need.
type testingT interface {
	Helper()
	Errorf(format string, args ...any)
}

// Check converts a definition there and back, and fails for a difference that no loss
// lists. It ignores invalid definitions.
func (p Pair) Check(t testingT, v canon.Value) {
	t.Helper()
	foreign, lost, err := p.To(aaif.ReadDefinition(v))
	if err != nil {
		if code := aaif.CodeOf(err); code != aaif.SchemaViolation && code != aaif.Unregistered && code != aaif.InlineSecret {
			t.Errorf("to: %v: %s", err, v.Append(nil))
		}
		return
	}
	back, _, err := p.From(foreign)
	if err != nil {
		t.Errorf("from: %v: %s", err, foreign.Append(nil))
		return
	}
	for _, at := range differences(v, back.Document(), "") {
		if p.Said != nil && p.Said(at) {
			continue
		}
		if !slices.ContainsFunc(lost, func(l codec.Loss) bool { return covers(l.Pointer, at) }) {
			t.Errorf("%s is lost, and nothing says so: %v\n%s\n%s", at, lost, v.Append(nil), back.Document().Append(nil))
		}
	}
}

// checkGuarded checks that each leaf of constraints and compliance comes back, or is
// listed by its own pointer with the requirement.
func (p Pair) checkGuarded(t testingT, v canon.Value) {
	t.Helper()
	foreign, lost, err := p.To(aaif.ReadDefinition(v))
	if err != nil {
		return
	}
	back, _, err := p.From(foreign)
	if err != nil {
		t.Errorf("from: %v", err)
		return
	}
	for _, at := range leaves(v, "") {
		was, _ := v.At(at)
		is, ok := back.Document().At(at)
		if !guarded(at) || ok && canon.Equal(was, is) {
			continue
		}
		if !slices.ContainsFunc(lost, func(l codec.Loss) bool {
			return (l.Pointer == at || p.Whole && covers(l.Pointer, at)) && (strings.Contains(l.Reason, "AAIF-12-6") || strings.Contains(l.Reason, "AAIF-3-4"))
		}) {
			t.Errorf("%s is gone, and no loss names the requirement: %v", at, lost)
		}
	}
}

func guarded(at string) bool {
	return strings.HasPrefix(at, "/agent/constraints") || strings.HasPrefix(at, "/agent/compliance")
}

// covers reports whether a pointer is equal to another or above it. The pointer of the
// whole document covers nothing else.
func covers(pointer, at string) bool {
	return pointer == at || pointer != "" && strings.HasPrefix(at, pointer+"/")
}

// differences returns the pointers of leaves that differ or exist in one tree only. Items
// with names are matched by name.
func differences(a, b canon.Value, at string) (all []string) {
	switch {
	case a.Type() == canon.TypeObject && (b.Type() == canon.TypeObject || b.Type() == canon.TypeUndefined) && a.Len()+b.Len() > 0:
		for _, m := range a.Members() {
			all = append(all, differences(m.Value, b.Get(m.Name), at+canon.Pointer(m.Name))...)
		}
		for _, m := range b.Members() {
			if !a.Has(m.Name) {
				all = append(all, at+canon.Pointer(m.Name))
			}
		}
		return all
	case a.Type() == canon.TypeArray && (b.Type() == canon.TypeArray || b.Type() == canon.TypeUndefined) && a.Len()+b.Len() > 0:
		for i, v := range a.Items() {
			all = append(all, differences(v, twin(v, i, b), at+"/"+strconv.Itoa(i))...)
		}
		if b.Len() > a.Len() {
			all = append(all, at)
		}
		return all
	case a.Type() != b.Type() || !canon.Identical(a, b):
		return []string{at}
	}
	return nil
}

// twin returns the item with the same name, or at the same place.
func twin(v canon.Value, i int, list canon.Value) canon.Value {
	if name := v.Get("name").Text(); name != "" {
		for _, other := range list.Items() {
			if other.Get("name").Text() == name {
				return other
			}
		}
		return canon.Value{}
	}
	if i < list.Len() {
		return list.Items()[i]
	}
	return canon.Value{}
}

// Same compares a definition with the wanted content, in any order.
func Same(t testing.TB, d aaif.Definition, want string) {
	t.Helper()
	if got, want := string(d.Document().AppendCanonical(nil)), string(Tree(t, want).AppendCanonical(nil)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
