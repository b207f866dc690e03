package aaif

import (
	"reflect"
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// document writes a view over the object it was read from. Unchanged members keep their
// spelling, and so do members without a field. Defaults are never written (decision R3).
func document[T any](t T) canon.Value { return fieldMaps().writeStruct(reflect.ValueOf(&t).Elem()) }

func (w fieldMapper) writeStruct(from reflect.Value) canon.Value {
	l := w.layout(from.Type())
	base := from.Field(l.value).Interface().(canon.Value)
	was := reflect.New(from.Type()).Elem()
	w.readStruct(base, was)
	out := canon.Object()
	if base.Type() == canon.TypeObject {
		out = base
	}
	for _, f := range l.fields {
		// Required members are added to new objects only.
		f.must = f.must && base.Type() == canon.TypeUndefined
		out = w.writeMember(out, f, from.Field(f.at), was.Field(f.at))
	}
	return out
}

func (w fieldMapper) writeMember(out canon.Value, f field, now, was reflect.Value) canon.Value {
	there := out.Has(f.name)
	switch {
	case same(now, was) && !f.must:
		return out
	case now.IsZero() && !there && !f.must:
		return out
	case now.IsZero() && !f.must && removable(now):
		return out.Without(f.name)
	}
	v := w.writeField(now)
	if !there && !f.must && now.Kind() == reflect.Struct && v.Type() == canon.TypeObject && v.Len() == 0 {
		return out
	}
	return out.With(f.name, v)
}

// removable reports whether a zero value means absent. Zero numbers and booleans are
// values.
func removable(v reflect.Value) bool {
	k := v.Kind()
	return k != reflect.Bool && k != reflect.Int && k != reflect.Float64
}

func same(a, b reflect.Value) bool {
	switch x := a.Interface().(type) {
	case canon.Value:
		return canon.Identical(x, b.Interface().(canon.Value))
	case time.Time:
		return x.Equal(b.Interface().(time.Time))
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

func (w fieldMapper) writeField(v reflect.Value) canon.Value {
	switch x := v.Addr().Interface().(type) {
	case customField:
		return x.write()
	case *canon.Value:
		return *x
	case *time.Time:
		return canon.String(x.UTC().Format(time.RFC3339Nano))
	}
	switch v.Kind() {
	case reflect.Struct:
		return w.writeStruct(v)
	case reflect.Slice:
		items := make([]canon.Value, v.Len())
		for i := range items {
			items[i] = w.writeField(v.Index(i))
		}
		return canon.Array(items...)
	case reflect.Pointer:
		return w.writeField(v.Elem())
	case reflect.String:
		return canon.String(v.String())
	case reflect.Bool:
		return canon.Bool(v.Bool())
	case reflect.Int:
		return canon.Int(v.Int())
	}
	return canon.Number(v.Float())
}
