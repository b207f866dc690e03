package codectest

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// testFields changes and removes one field of the sample record at a time, and checks that
// the record comes back.
func (s Suite) testFields(t *testing.T) {
	if !s.writes() {
		t.Skip("the format is only read")
	}
	known := samples()
	pointers := leaves(reflect.TypeFor[memory.Record](), "")
	for _, pointer := range pointers {
		if _, ok := known[pointer]; !ok {
			t.Errorf("field %s has no sample: add one", pointer)
		}
	}
	for pointer, value := range known {
		if !slices.Contains(pointers, pointer) {
			t.Errorf("sample %s has no field", pointer)
			continue
		}
		if strings.HasPrefix(pointer, "/integrity/") && s.Sign != nil {
			continue
		}
		t.Run("other"+pointer, func(t *testing.T) { s.survives(t, varied(t, pointer, value.two)) })
		if !value.needed {
			t.Run("without"+pointer, func(t *testing.T) { s.survives(t, varied(t, pointer, nil)) })
		}
	}
	for _, pointer := range groups(reflect.TypeFor[memory.Record](), "") {
		t.Run("without"+pointer, func(t *testing.T) { s.survives(t, varied(t, pointer, nil)) })
	}
	for _, text := range texts() {
		t.Run("text", func(t *testing.T) { s.survives(t, varied(t, "/body/text", text)) })
	}
	t.Run("everything", func(t *testing.T) { s.survives(t, full(t)) })
	if s.Sign != nil {
		t.Run("signed", func(t *testing.T) {
			r, err := s.Sign(full(t))
			if err != nil {
				t.Fatal(err)
			}
			s.survives(t, r)
		})
	}
}

// varied returns the sample record with another value in one field; nil removes the field.
// Integrity is present only if it is the field.
func varied(t *testing.T, pointer string, value any) memory.Record {
	t.Helper()
	r := full(t)
	if strings.HasPrefix(pointer, "/integrity/") {
		r = everything(t)
	}
	set(t, &r, pointer, value)
	return r
}

// survives encodes and decodes a record, and requires a Loss for every field that changed.
func (s Suite) survives(t *testing.T, want memory.Record) {
	t.Helper()
	data, losses := s.encode(t, want)
	got, further := s.decode(t, data)
	losses = append(losses, further...)
	if len(got) != 1 {
		if len(got) == 0 && excused(losses, want.ID, "") {
			return
		}
		t.Fatalf("one record became %d without a loss that says so; losses: %v", len(got), losses)
	}
	before, after := flatten(want), flatten(got[0])
	for pointer := range maps.Keys(merged(before, after)) {
		if before[pointer] != after[pointer] && !excused(losses, want.ID, pointer) {
			t.Errorf("%s was %q, is %q, and no loss says so; losses: %v", pointer, before[pointer], after[pointer], losses)
		}
	}
	for _, loss := range losses {
		if loss.Reason == "" {
			t.Errorf("a loss without a reason: %v", loss)
		}
	}
}

func merged(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// excused reports whether a loss names the field, a field around it or a field in it.
func excused(losses []codec.Loss, id memory.ID, pointer string) bool {
	return slices.ContainsFunc(losses, func(l codec.Loss) bool {
		return (l.ID == id || l.ID == "") && (within(pointer, l.Pointer) || within(l.Pointer, pointer))
	})
}

func within(inner, outer string) bool {
	return inner == outer || strings.HasPrefix(inner, outer+"/")
}

// leaves lists the pointers of all fields of a type that hold a value.
func leaves(typ reflect.Type, base string) []string {
	var list []string
	visit(typ, base, func(pointer string, leaf bool) {
		if leaf {
			list = append(list, pointer)
		}
	})
	return list
}

// groups lists the pointers of all optional objects and lists of objects.
func groups(typ reflect.Type, base string) []string {
	var list []string
	visit(typ, base, func(pointer string, leaf bool) {
		if !leaf && pointer != "/integrity" {
			list = append(list, pointer)
		}
	})
	return list
}

// visit walks a type. It skips documents, which have their own tests.
func visit(typ reflect.Type, pointer string, found func(pointer string, leaf bool)) {
	switch {
	case isValue(typ):
		found(pointer, true)
	case typ.Kind() == reflect.Struct:
		for field := range typ.Fields() {
			if field.Name != "Origin" && field.Name != "Current" {
				visit(field.Type, pointer+"/"+codec.MemberName(field.Name), found)
			}
		}
	case typ.Kind() == reflect.Pointer && isValue(typ.Elem()):
		found(pointer, true)
	case typ.Kind() == reflect.Pointer:
		found(pointer, false)
		visit(typ.Elem(), pointer, found)
	case typ.Kind() == reflect.Slice && isValue(typ.Elem()):
		found(pointer+"/*", true)
	case typ.Kind() == reflect.Slice:
		found(pointer, false)
		visit(typ.Elem(), pointer+"/*", found)
	default:
		panic("codectest: no rule for a field of type " + typ.String())
	}
}

// isValue reports whether a type is a value and not made of fields.
func isValue(typ reflect.Type) bool {
	if typ == reflect.TypeFor[time.Time]() || typ == reflect.TypeFor[json.RawMessage]() {
		return true
	}
	switch typ.Kind() {
	case reflect.String, reflect.Bool, reflect.Float64, reflect.Int:
		return true
	}
	return false
}

// set puts a value into the field at pointer and creates the objects around it. nil removes
// the field, the optional object or the list.
func set(t *testing.T, r *memory.Record, pointer string, value any) {
	t.Helper()
	v := reflect.ValueOf(r).Elem()
	for part := range strings.SplitSeq(pointer[1:], "/") {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		if part == "*" {
			if value == nil && strings.HasSuffix(pointer, "/*") {
				break
			}
			if v.Len() == 0 {
				v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			}
			v = v.Index(0)
			continue
		}
		v = v.FieldByNameFunc(func(name string) bool { return codec.MemberName(name) == part })
	}
	if value == nil {
		v.SetZero()
		return
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	v.Set(reflect.ValueOf(value).Convert(v.Type()))
}

// flatten lists the values of a record by pointer. Times are instants, JSON is canonical,
// and empty values are not listed.
func flatten(r memory.Record) map[string]string {
	out := map[string]string{}
	flattenValue(out, "", reflect.ValueOf(r))
	return out
}

func flattenValue(out map[string]string, pointer string, v reflect.Value) {
	switch typ := v.Type(); {
	case typ == reflect.TypeFor[time.Time]():
		if at := v.Interface().(time.Time); !at.IsZero() {
			out[pointer] = at.UTC().Format(time.RFC3339Nano)
		}
	case typ == reflect.TypeFor[json.RawMessage]():
		if v.Len() > 0 {
			out[pointer] = canonical(v.Bytes())
		}
	case isValue(typ):
		if text, _ := json.Marshal(v.Interface()); string(text) != `""` {
			out[pointer] = string(text)
		}
	case v.Kind() == reflect.Struct:
		for field, inner := range v.Fields() {
			if field.Name != "Origin" && field.Name != "Current" {
				flattenValue(out, pointer+"/"+codec.MemberName(field.Name), inner)
			}
		}
	case v.Kind() == reflect.Pointer:
		if !v.IsNil() {
			if !isValue(typ.Elem()) {
				out[pointer] = "present"
			}
			flattenValue(out, pointer, v.Elem())
		}
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			flattenValue(out, pointer+"/"+strconv.Itoa(i), v.Index(i))
		}
	}
}

func canonical(raw []byte) string {
	text, err := canon.Canonical(raw, canon.Options{Inexact: true})
	if err != nil {
		return "not JSON: " + err.Error()
	}
	return string(text)
}
