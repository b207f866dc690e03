package exchangetest

import (
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/privacy"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// Reader is a converter from a foreign format to definitions.
type Reader struct {
	From func(canon.Value) (aaif.Definition, []codec.Loss, error)
	// Silent reports whether the value at a pointer may vanish without a loss, since it
	// only names parts of the document or its format; nil: no value may.
	Silent func(pointer string) bool
	// Packed reports whether the text at a pointer is a piece of another document, in
	// which losses have pointers of their own; nil: none is.
	Packed func(pointer string) bool
}

// Reading tests that foreign documents become definitions without silent losses.
func Reading(t *testing.T, r Reader, samples map[string]canon.Value) {
	if len(samples) == 0 {
		t.Fatal("no samples")
	}
	for name, v := range samples {
		t.Run("AAIF-11-5 AAIF-3-4 "+name+" lints, and each leaf shows or is listed", func(t *testing.T) {
			r.leaf(t, v)
		})
		t.Run("AAIF-12-3 AAIF-12-4 "+name+" with a secret anywhere", func(t *testing.T) {
			for _, at := range leaves(v, "") {
				if old, _ := v.At(at); old.Type() == canon.TypeString {
					r.secret(t, set(v, at, canon.String(secretText())), at)
					r.secret(t, set(v, at, canon.String(old.Text()+" with "+secretText()+" inside")), at)
				}
				parent := at[:strings.LastIndexByte(at, '/')]
				if around, _ := v.At(parent); around.Type() == canon.TypeObject {
					r.secret(t, set(v, parent+"/"+secretText(), canon.Object(canon.Member{Name: "a", Value: canon.Int(1)})), parent)
				}
			}
		})
		t.Run("AAIF-4-1 "+name+" with another type anywhere", func(t *testing.T) {
			for _, at := range nodes(v, "") {
				for _, other := range []canon.Value{{}, canon.Null(), canon.Int(-7), canon.String("\x00 – text"), canon.Bool(true), canon.Array(canon.Int(1)), canon.Object()} {
					r.checkSound(t, set(v, at, other))
				}
			}
		})
	}
	t.Run("AAIF-4-1 a document of too many values is refused", func(t *testing.T) {
		_, _, err := r.From(canon.Array(make([]canon.Value, 200_001)...))
		if aaif.CodeOf(err) != aaif.TooLarge {
			t.Errorf("got %v", err)
		}
	})
	for _, v := range []canon.Value{{}, canon.Null(), canon.String(""), canon.Array(), canon.Object()} {
		if _, _, err := r.From(v); aaif.CodeOf(err) == "" {
			t.Errorf("%s: got %v", v.Append(nil), err)
		}
	}
}

// nodes returns the pointers of all values below the root.
func nodes(v canon.Value, at string) (all []string) {
	for _, leaf := range leaves(v, at) {
		for ; leaf != ""; leaf = leaf[:strings.LastIndexByte(leaf, '/')] {
			if !slices.Contains(all, leaf) {
				all = append(all, leaf)
			}
		}
	}
	return all
}

// checkSound checks the definition that a document becomes, if it becomes one.
func (r Reader) checkSound(t testingT, v canon.Value) (aaif.Definition, []codec.Loss, bool) {
	t.Helper()
	d, lost, err := r.From(v)
	if err != nil {
		if aaif.CodeOf(err) == "" {
			t.Errorf("an error without a code: %v", err)
		}
		return d, lost, false
	}
	doc := aaif.Document{Kind: aaif.AgentKind, Value: d.Document()}
	validator, err := aaif.NewValidator(nil)
	if err != nil {
		t.Errorf("%v", err)
		return d, lost, false
	}
	for _, f := range append(validator.Lint(doc), privacy.Secrets(doc, privacy.SecretOptions{})...) {
		if !f.Warning {
			t.Errorf("%v: %s", f, doc.Value.Append(nil))
		}
	}
	return d, lost, true
}

// leaf changes each leaf: either the definition changes, or a loss lists it.
func (r Reader) leaf(t *testing.T, v canon.Value) {
	whole, _, ok := r.checkSound(t, v)
	if !ok {
		_, _, err := r.From(v)
		t.Fatalf("refused: %v", err)
	}
	for _, at := range leaves(v, "") {
		old, _ := v.At(at)
		var other canon.Value
		switch old.Type() {
		case canon.TypeString:
			other = canon.String(old.Text() + "x")
		case canon.TypeNumber:
			other = canon.Number(old.Float() + 1)
		case canon.TypeBool:
			other = canon.Bool(!old.True())
		default:
			continue
		}
		d, lost, ok := r.checkSound(t, set(v, at, other))
		if !ok || !canon.Equal(d.Document(), whole.Document()) || r.Silent != nil && r.Silent(at) {
			continue
		}
		if !slices.ContainsFunc(lost, func(l codec.Loss) bool { return covers(l.Pointer, at) }) {
			t.Errorf("%s vanishes, and nothing says so: %v", at, lost)
		}
	}
}

// secret plants a secret, and expects it only among the losses.
func (r Reader) secret(t *testing.T, v canon.Value, at string) {
	d, lost, ok := r.checkSound(t, v)
	if strings.Contains(string(d.Document().Append(nil)), secretText()) {
		t.Errorf("%s: the secret was carried", at)
	}
	if r.Packed != nil && r.Packed(at) {
		return
	}
	told := func(l codec.Loss) bool {
		return (at == "" || covers(at, l.Pointer)) && strings.Contains(l.Reason, "AAIF-12-3")
	}
	if ok && !slices.ContainsFunc(lost, told) {
		t.Errorf("%s: nothing says that there was a secret: %v", at, lost)
	}
	for _, l := range lost {
		if strings.Contains(l.Reason+l.Pointer, secretText()) {
			t.Errorf("%s: a loss repeats the secret", at)
		}
	}
}

// Fuzz tests that all bytes are refused with a code, or become a sound definition.
func Fuzz(f *testing.F, read func([]byte) (canon.Value, error), from func(canon.Value) (aaif.Definition, []codec.Loss, error), seeds ...[]byte) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		v, err := read(raw)
		if err != nil {
			if aaif.CodeOf(err) == "" {
				t.Fatalf("an error without a code: %v", err)
			}
			return
		}
		Reader{From: from}.checkSound(t, v)
	})
}

// JSON reads bytes for Fuzz.
func JSON(raw []byte) (canon.Value, error) { return aaif.FromJSON(raw, aaif.ReadOptions{}) }
