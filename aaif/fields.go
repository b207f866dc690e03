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

// A type of this package is a view of an object. The tag of a field is the name of its
// member, "!" where it has to be there, and "=word" for what is meant without it. The
// field called Value holds the object as received, and has no tag. Members of another
// type than their field read as if they were absent: [Validator.Validate] tells.

// field is a field of a type, and what its tag says.
type field struct {
	at            int
	name, without string
	must          bool
}

// layout is how a type is read and written.
type layout struct {
	fields []field
	value  int           // the field of the object as received
	absent reflect.Value // what is read where there is nothing
}

// viewer reads types from objects, and writes them.
type viewer struct {
	known    map[reflect.Type]*layout
	learning bool // known takes what is found out; otherwise nobody writes to it
}

// views is what everybody reads and writes with: it knows the types that make up
// documents.
var views = sync.OnceValue(func() viewer {
	w := viewer{known: map[reflect.Type]*layout{}, learning: true}
	for _, t := range []reflect.Type{reflect.TypeFor[Definition](), reflect.TypeFor[State](), reflect.TypeFor[Manifest](), reflect.TypeFor[Report](), reflect.TypeFor[Registry]()} {
		w.layout(t)
	}
	w.learning = false
	return w
})

func (w viewer) layout(t reflect.Type) *layout {
	if l := w.known[t]; l != nil {
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
	if w.learning {
		w.known[t] = l
		for _, f := range l.fields {
			w.learn(t.Field(f.at).Type)
		}
	}
	return l
}

// learn looks at what lists of a type, and pointers to one, are of.
func (w viewer) learn(t reflect.Type) {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	plain := t == reflect.TypeFor[canon.Value]() || t == reflect.TypeFor[time.Time]() || reflect.PointerTo(t).Implements(reflect.TypeFor[own]())
	if t.Kind() == reflect.Struct && !plain {
		w.layout(t)
	}
}

// own is what types implement that are no objects.
type own interface {
	read(canon.Value)
	write() canon.Value
}

// view reads an object into a type.
func view[T any](v canon.Value) T {
	var t T
	views().readStruct(v, reflect.ValueOf(&t).Elem())
	return t
}

func (w viewer) readStruct(v canon.Value, into reflect.Value) {
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

func (w viewer) readField(v canon.Value, into reflect.Value, without string) {
	switch x := into.Addr().Interface().(type) {
	case own:
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

func (w viewer) readSlice(v canon.Value, into reflect.Value) {
	if v.Type() != canon.TypeArray {
		return
	}
	list := reflect.MakeSlice(into.Type(), v.Len(), v.Len())
	for i, item := range v.Items() {
		w.readField(item, list.Index(i), "")
	}
	into.Set(list)
}

// readPointer reads what may be absent, or zero, which is something else.
func (w viewer) readPointer(v canon.Value, into reflect.Value) {
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
			into.SetInt(int64(whole(without)))
		} else if f := v.Float(); f == math.Trunc(f) && math.Abs(f) <= 1<<53 {
			into.SetInt(int64(f))
		}
	}
}
