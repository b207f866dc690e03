package postgres

import (
	"encoding/binary"
	"reflect"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/satchel-memory/satchel/internal/store/stored"
)

// Strings go to the server as bytes, which bytea and text columns both take, and come
// back from either as a string. A bytea column would parse a value sent as a string
// like a literal in a statement, with its backslashes.

// outgoing returns arguments in the form in which they are sent.
func outgoing(args []any) []any {
	for i, arg := range args {
		args[i] = asBytes(arg)
	}
	return args
}

func asBytes(arg any) any {
	switch arg := arg.(type) {
	case nil, []byte, int64, int, []int64, [][]byte:
		return arg
	case string:
		return []byte(arg)
	case []string:
		return listOfBytes(len(arg), func(i int) string { return arg[i] })
	}
	v := reflect.ValueOf(arg)
	switch {
	case v.Kind() == reflect.String:
		return []byte(v.String())
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.String:
		return listOfBytes(v.Len(), func(i int) string { return v.Index(i).String() })
	}
	return arg
}

func listOfBytes(n int, at func(int) string) [][]byte {
	list := make([][]byte, n)
	for i := range list {
		list[i] = []byte(at(i))
	}
	return list
}

// textRows are rows whose Scan takes pointers to strings of any type for columns of
// text and of bytea; NULL is the empty string.
type textRows struct{ pgx.Rows }

// Scan reads the columns of a row.
func (r textRows) Scan(into ...any) error { return r.Rows.Scan(incoming(into)...) }

// incoming returns the scan targets to use in place of into.
func incoming(into []any) []any {
	var wrapped []any
	for i, p := range into {
		v := reflect.ValueOf(p)
		if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.String {
			continue
		}
		if wrapped == nil {
			wrapped = append([]any(nil), into...)
		}
		wrapped[i] = textInto{v.Elem()}
	}
	if wrapped == nil {
		return into
	}
	return wrapped
}

// textInto sets a string.
type textInto struct{ v reflect.Value }

var _ pgtype.BytesScanner = textInto{}

// ScanBytes sets the string to a column's bytes.
func (t textInto) ScanBytes(b []byte) error {
	t.v.SetString(string(b))
	return nil
}

// neutral returns the value of a column in the types of package stored: nil, an
// int64, a string or bytes. raw is in PostgreSQL's binary form. A number of another
// length, which none of our columns holds, comes back as bytes.
func neutral(c stored.Column, raw []byte) any {
	switch {
	case raw == nil:
		return nil
	case c.Type == stored.Number && len(raw) == 8:
		return int64(binary.BigEndian.Uint64(raw))
	case c.Type == stored.Text || c.Type == stored.Word:
		return string(raw)
	}
	return append([]byte{}, raw...)
}
