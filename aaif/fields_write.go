package aaif

import (
	"reflect"
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// document writes a view over the object that it was read from: members that say the
// same stay as they are spelled, and so do those that no field knows. What is meant
// without a member is never written (decision R3).
func document[T any](t T) canon.Value { return views().writeStruct(reflect.ValueOf(&t).Elem()) }

func (w viewer) writeStruct(from reflect.Value) canon.Value {
	l := w.layout(from.Type())
	base := from.Field(l.value).Interface().(canon.Value)
	was := reflect.New(from.Type()).Elem()
	w.readStruct(base, was)
	out := canon.Object()
	if base.Type() == canon.TypeObject {
		out = base
	}
	for _, f := range l.fields {
		// What has to be there is added to a new object only.
		f.must = f.must && base.Type() == canon.TypeUndefined
		out = w.writeMember(out, f, from.Field(f.at), was.Field(f.at))
	}
	return out
}

func (w viewer) writeMember(out canon.Value, f field, now, was reflect.Value) canon.Value {
	there := out.Has(f.name)
	switch {
	case same(now, was) && !f.must:
		return out
	case now.IsZero() && !there && !f.must:
		return out
	case now.IsZero() && !f.must && removable(now):
		return out.Without(f.name)
	}
	v := w.written(now)
	if !there && !f.must && now.Kind() == reflect.Struct && v.Type() == canon.TypeObject && v.Len() == 0 {
		return out
	}
	return out.With(f.name, v)
}

// removable reports whether a zero value says nothing. Of numbers and booleans it does.
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

func (w viewer) written(v reflect.Value) canon.Value {
	switch x := v.Addr().Interface().(type) {
	case own:
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
			items[i] = w.written(v.Index(i))
		}
		return canon.Array(items...)
	case reflect.Pointer:
		return w.written(v.Elem())
	case reflect.String:
		return canon.String(v.String())
	case reflect.Bool:
		return canon.Bool(v.Bool())
	case reflect.Int:
		return canon.Int(v.Int())
	}
	return canon.Number(v.Float())
}
