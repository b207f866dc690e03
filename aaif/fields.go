package aaif

import (
	"math"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// Each type of this package is a view of an object. The tag of a field holds the name of
// its member, then "!" if the member is required, or "=word" for its default. The field
// Value, without a tag, holds the object as received. A member of another type than its
// field reads as absent; [Validator.Validate] reports it.

// field is a field of a type, and the content of its tag.
type field struct {
	at            int
	name, without string
	must          bool
}

// layout says how to read and write a type.
type layout struct {
	fields []field
	value  int           // the field of the object as received
	absent reflect.Value // the values of an empty object
}

// fieldMapper reads types from objects and writes them.
type fieldMapper struct {
	layouts  map[reflect.Type]*layout
	building bool // layouts is being filled; afterwards it is read-only
}

// fieldMaps is the shared mapper, which knows the types of all documents.
var fieldMaps = sync.OnceValue(func() fieldMapper {
	w := fieldMapper{layouts: map[reflect.Type]*layout{}, building: true}
	for _, t := range []reflect.Type{reflect.TypeFor[Definition](), reflect.TypeFor[State](), reflect.TypeFor[Manifest](), reflect.TypeFor[Report](), reflect.TypeFor[Registry]()} {
		w.layout(t)
	}
	w.building = false
	return w
})

func (w fieldMapper) layout(t reflect.Type) *layout {
	if l := w.layouts[t]; l != nil {
		return l
	}
	l := &layout{}
	for i := range t.NumField() {
		tag, ok := t.Field(i).Tag.Lookup("aaif")
		if !ok {
			l.value = i
			continue
		}
		name, without, _ := strings.Cut(tag, "=")
		short, must := strings.CutSuffix(name, "!")
		l.fields = append(l.fields, field{at: i, name: short, without: without, must: must})
	}
	l.absent = reflect.New(t).Elem()
	for _, f := range l.fields {
		w.readField(canon.Value{}, l.absent.Field(f.at), f.without)
	}
	if w.building {
		w.layouts[t] = l
		for _, f := range l.fields {
			w.addNested(t.Field(f.at).Type)
		}
	}
	return l
}

// addNested adds the element types of lists and pointers.
func (w fieldMapper) addNested(t reflect.Type) {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	plain := t == reflect.TypeFor[canon.Value]() || t == reflect.TypeFor[time.Time]() || reflect.PointerTo(t).Implements(reflect.TypeFor[customField]())
	if t.Kind() == reflect.Struct && !plain {
		w.layout(t)
	}
}

// customField is a type that is not an object and reads and writes itself.
type customField interface {
	read(canon.Value)
	write() canon.Value
}

// view reads an object as a type.
func view[T any](v canon.Value) T {
	var t T
	fieldMaps().readStruct(v, reflect.ValueOf(&t).Elem())
	return t
}

func (w fieldMapper) readStruct(v canon.Value, into reflect.Value) {
	l := w.layout(into.Type())
	if v.Type() != canon.TypeObject {
		into.Set(l.absent)
		return
	}
	into.Field(l.value).Set(reflect.ValueOf(v))
	for _, f := range l.fields {
		w.readField(v.Get(f.name), into.Field(f.at), f.without)
	}
}

func (w fieldMapper) readField(v canon.Value, into reflect.Value, without string) {
	switch x := into.Addr().Interface().(type) {
	case customField:
		x.read(v)
		return
	case *canon.Value:
		*x = v
		return
	case *time.Time:
		*x, _ = memory.ParseInstant(v.Text())
		return
	}
	switch into.Kind() {
	case reflect.Struct:
		w.readStruct(v, into)
	case reflect.Slice:
		w.readSlice(v, into)
	case reflect.Pointer:
		w.readPointer(v, into)
	default:
		readScalar(v, into, without)
	}
}

func (w fieldMapper) readSlice(v canon.Value, into reflect.Value) {
	if v.Type() != canon.TypeArray {
		return
	}
	list := reflect.MakeSlice(into.Type(), v.Len(), v.Len())
	for i, item := range v.Items() {
		w.readField(item, list.Index(i), "")
	}
	into.Set(list)
}

// readPointer reads a member for which absent and zero differ.
func (w fieldMapper) readPointer(v canon.Value, into reflect.Value) {
	elem := into.Type().Elem()
	wanted := canon.TypeNumber
	switch elem.Kind() {
	case reflect.Bool:
		wanted = canon.TypeBool
	case reflect.Struct:
		wanted = canon.TypeObject
	}
	if v.Type() != wanted {
		return
	}
	into.Set(reflect.New(elem))
	w.readField(v, into.Elem(), "")
}

func readScalar(v canon.Value, into reflect.Value, without string) {
	switch into.Kind() {
	case reflect.String:
		if v.Type() == canon.TypeString {
			without = v.Text()
		}
		into.SetString(without)
	case reflect.Bool:
		into.SetBool(v.True())
	case reflect.Float64:
		into.SetFloat(v.Float())
	case reflect.Int:
		if v.Type() != canon.TypeNumber {
			into.SetInt(int64(parseDigits(without)))
		} else if f := v.Float(); f == math.Trunc(f) && math.Abs(f) <= 1<<53 {
			into.SetInt(int64(f))
		}
	}
}
