package sqlite

import (
	"database/sql"
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// Table lessons: what became of records that were injected.
//
//	doc                      key of the record
//	followed … contradicted  how often, see [store.Lesson]
//	at                       the last time
var lessonsTable = newTable("lessons")

// Lessons looks the lessons of rows up, in one statement for many of them, and
// in none where the owner has no lessons at all.
func (s *session) Lessons(numbers []int64) ([]store.Lesson, error) {
	lessons := make([]store.Lesson, len(numbers))
	if taught, err := s.isTaught(); err != nil || !taught {
		return lessons, err
	}
	found := make(map[int64]store.Lesson)
	for chunk := range slices.Chunk(numbers, lessonsSize) {
		args := make([]any, lessonsSize)
		for i := range args {
			args[i] = s.owner.key(chunk[min(i, len(chunk)-1)])
		}
		err := s.each(selectLessons, args, func(rows *sql.Rows) error {
			doc, l, err := scanLesson(rows)
			found[number(doc)] = l
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	for i, n := range numbers {
		lessons[i] = found[n]
	}
	return lessons, nil
}

func scanLesson(rows *sql.Rows) (doc int64, l store.Lesson, err error) {
	var at int64
	err = rows.Scan(&doc, &l.Followed, &l.Overridden, &l.Ignored, &l.Contradicted, &at)
	l.At = stored.Instant(at)
	return doc, l, err
}

// lessonsSize is how many lessons one statement fetches.
const lessonsSize = 64

var selectLessons = `SELECT doc, followed, overridden, ignored, contradicted, at FROM lessons WHERE doc IN ` + marks(lessonsSize)

// isTaught reports whether the owner has lessons; a session asks once, until it
// writes some.
func (s *session) isTaught() (bool, error) {
	if s.taught != nil {
		return *s.taught, s.ready()
	}
	one := 0
	err := s.first(selectTaught, []any{s.owner.key(0), s.owner.key(1<<40 - 1)}, &one)
	if err != nil && err != store.ErrNotFound {
		return false, err
	}
	taught := err == nil
	s.taught = &taught
	return taught, nil
}

const selectTaught = `SELECT 1 FROM lessons WHERE doc BETWEEN ? AND ? LIMIT 1`

// SetLesson files the lesson of a row.
func (w *writer) SetLesson(document int64, l store.Lesson) error {
	doc := w.owner.key(document)
	exists := false
	if err := w.first(`SELECT EXISTS (SELECT 1 FROM records WHERE doc = ?)`, []any{doc}, &exists); err != nil {
		return err
	}
	if !exists {
		return store.ErrNotFound
	}
	w.taught = nil
	return w.set(lessonsTable, document, l.Followed, l.Overridden, l.Ignored, l.Contradicted, stored.Micros(l.At))
}

// unlearn removes the lesson of a record.
func (w *writer) unlearn(doc int64) error {
	return w.drop(`DELETE FROM lessons WHERE doc = ? RETURNING seal`, doc)
}
