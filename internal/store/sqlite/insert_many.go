package sqlite

import (
	"iter"
	"slices"
	"strings"
)

// multi is a statement that writes many rows.
type multi struct{ head, row, tail string }

// sizes are the row counts of one statement: few shapes to prepare, few calls.
var sizes = [...]int{64, 16, 4, 1}

func (m multi) sql(rows int) string {
	return m.head + m.row + strings.Repeat(", "+m.row, rows-1) + m.tail
}

// insertMany runs m over n rows, whose arguments row appends.
func (w *writeTx) insertMany(m multi, n int, row func(i int, args []any) []any) error {
	var args []any
	for i := 0; i < n; {
		size := 1
		for _, size = range sizes {
			if size <= n-i {
				break
			}
		}
		args = args[:0]
		for end := i + size; i < end; i++ {
			args = row(i, args)
		}
		if _, err := w.exec(m.sql(size), args...); err != nil {
			return err
		}
	}
	return nil
}

// inLists cuts values into the arguments of statements that take size of them. It
// repeats the last value to fill the last list.
func inLists[T any](values []T, size int) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		for chunk := range slices.Chunk(values, size) {
			args := make([]any, size)
			for i := range args {
				args[i] = chunk[min(i, len(chunk)-1)]
			}
			if !yield(args) {
				return
			}
		}
	}
}
