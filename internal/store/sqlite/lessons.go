package sqlite

import (
	"database/sql"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// Table lessons: how agents used records that were injected.
//
//	doc                      key of the record
//	followed … contradicted  how often, see [store.Lesson]
//	at                       the last time
var lessonsTable = tableOf("lessons")

// lessons reads the table.
type lessons struct{ *ownerTx }

// Lessons looks up the lessons of rows, many in one statement. If the owner has no
// lessons, it runs no statement.
func (l lessons) Lessons(numbers []int64) ([]store.Lesson, error) {
	list := make([]store.Lesson, len(numbers))
	if taught, err := l.isTaught(); err != nil || !taught {
		return list, err
	}
	found := make(map[int64]store.Lesson)
	for args := range inLists(l.owner.keys(numbers), lessonsSize) {
		err := l.each(selectLessons, args, func(rows *sql.Rows) error {
			doc, lesson, err := scanLesson(rows)
			found[number(doc)] = lesson
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	for i, n := range numbers {
		list[i] = found[n]
	}
	return list, nil
}

func scanLesson(rows *sql.Rows) (doc int64, l store.Lesson, err error) {
	var at int64
	err = rows.Scan(&doc, &l.Followed, &l.Overridden, &l.Ignored, &l.Contradicted, &at)
	l.At = stored.Instant(at)
	return doc, l, err
}

// lessonsSize is how many lessons one statement reads.
const lessonsSize = 64

var selectLessons = `SELECT doc, followed, overridden, ignored, contradicted, at FROM lessons WHERE doc IN ` + marks(lessonsSize)

// isTaught reports whether the owner has lessons; a session asks once, until it
// writes some.
func (l lessons) isTaught() (bool, error) {
	if l.taught != nil {
		return *l.taught, l.Ready()
	}
	one := 0
	err := l.first(selectTaught, []any{l.owner.key(0), l.owner.key(1<<40 - 1)}, &one)
	if err != nil && err != store.ErrNotFound {
		return false, err
	}
	taught := err == nil
	l.taught = &taught
	return taught, nil
}

const selectTaught = `SELECT 1 FROM lessons WHERE doc BETWEEN ? AND ? LIMIT 1`

const deleteLesson = `DELETE FROM lessons WHERE doc = ? RETURNING seal`
