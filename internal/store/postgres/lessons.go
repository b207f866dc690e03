package postgres

import (
	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// Table lessons: how agents used records that were injected.
//
//	owner, doc               key; doc is the record
//	followed … contradicted  how often, see [store.Lesson]
//	at                       the last time
var lessonsTable = tableOf("lessons")

// lessons reads the table.
type lessons struct{ *ownerTx }

// Lessons looks up the lessons of rows. The first call also asks whether the owner
// has any lessons; if not, later calls skip the query.
func (s lessons) Lessons(numbers []int64) ([]store.Lesson, error) {
	list := make([]store.Lesson, len(numbers))
	if len(numbers) == 0 || s.taught != nil && !*s.taught {
		return list, s.Ready()
	}
	found := make(map[int64]store.Lesson)
	asked := []statement{{query: selectLessons, args: []any{numbers}, scan: func(rows pgx.Rows) error {
		number, l, err := scanLesson(rows)
		found[number] = l
		return err
	}}}
	taught := false
	if s.taught == nil {
		asked = append(asked, statement{query: selectTaught, scan: func(pgx.Rows) error { taught = true; return nil }})
	}
	if err := s.all(asked...); err != nil {
		return nil, err
	}
	if s.taught == nil {
		s.taught = &taught
	}
	for i, n := range numbers {
		list[i] = found[n]
	}
	return list, nil
}

func scanLesson(rows pgx.Rows) (number int64, l store.Lesson, err error) {
	var at int64
	err = rows.Scan(&number, &l.Followed, &l.Overridden, &l.Ignored, &l.Contradicted, &at)
	l.At = stored.Instant(at)
	return number, l, err
}

const (
	selectLessons = `SELECT doc, followed, overridden, ignored, contradicted, at FROM lessons
		WHERE owner = $1 AND doc = ANY ($2)`
	selectTaught = `SELECT 1 FROM lessons WHERE owner = $1 LIMIT 1`
)
