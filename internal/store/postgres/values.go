package postgres

import (
	"crypto/sha256"
	"encoding/binary"
	"reflect"
	"strings"

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

// An entry of an index holds 2,700 bytes at most, and a foreign string may be longer.
// Where rows are found by such a string, the server fills in an extra column with the
// result of short, named by_ and the string's column. The inverted index has no other
// column for its terms, so it keeps the result of short itself.
const (
	shortSize = 256 // bytes: a shorter string stays as it is
	shortHead = shortSize - sha256.Size
)

// short returns the index key of a string: the string itself, or its beginning and
// its hash. Index keys keep the order of strings with different beginnings.
func short[S ~string](s S) string {
	if len(s) < shortSize {
		return string(s)
	}
	hash := sha256.Sum256([]byte(s))
	return string(s[:shortHead]) + string(hash[:])
}

// isWhole reports whether an index key is the whole string.
func isWhole(short string) bool { return len(short) < shortSize }

// beyond returns a value that sorts after every index key with this prefix, and before any
// other key that sorts after prefix.
func beyond(prefix string) string { return prefix + strings.Repeat("\xff", shortSize+1) }

func shortAll[S ~string](list []S) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = short(s)
	}
	return out
}
