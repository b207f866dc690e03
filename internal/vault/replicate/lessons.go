package replicate

import (
	"bytes"
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// assignLessons stores the lessons of all rows as this machine's. It runs once, in the first scan.
func (t *tx) assignLessons() error {
	return vault.EachPage(context.Background(), t.w, store.Filter{}, func(rows []store.Row) error {
		numbers := make([]int64, len(rows))
		for i, row := range rows {
			numbers[i] = row.Number
		}
		lessons, err := t.w.Lessons(numbers)
		for i, l := range lessons {
			if err != nil {
				return err
			}
			if l != (store.Lesson{}) {
				err = vault.SetLessonPart(t.w, rows[i].ID, t.self, l)
			}
		}
		return err
	})
}

// lessonItem returns the item of an attachment; ok is false if it is no lesson.
func lessonItem(a store.Attachment) (i replica.Item, ok bool) {
	_, _, l, ok := vault.LessonPart(a)
	return replica.NewItem(replica.KindLesson, a.Key, lessonOf(l)), ok
}

func lessonOf(l store.Lesson) replica.Lesson {
	return replica.Lesson{Followed: l.Followed, Overridden: l.Overridden, Ignored: l.Ignored, Contradicted: l.Contradicted, At: utc(l.At)}
}

// joinLesson joins the outcomes that a machine counted for a record. The row gets the sum of all
// machines.
func (t *tx) joinLesson(i replica.Item) (out outcome, err error) {
	id, machine := memory.ID(before(i.Key)), memory.DID(after(i.Key))
	said, err := replica.Decode[replica.Lesson](i.Data)
	if err != nil {
		return out, err
	}
	row, err := t.w.Row(id)
	if errors.Is(err, store.ErrNotFound) {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	parts, err := vault.LessonParts(t.w, id)
	if err != nil {
		return out, err
	}
	was := lessonOf(parts[machine])
	both := was.Join(said)
	data := replica.Encode(both)
	out.differs = !bytes.Equal(data, i.Data)
	if out.changed = !bytes.Equal(data, replica.Encode(was)); !out.changed {
		return out, nil
	}
	parts[machine] = store.Lesson{Followed: both.Followed, Overridden: both.Overridden, Ignored: both.Ignored, Contradicted: both.Contradicted, At: both.At}
	if err := vault.SetLessonPart(t.w, id, machine, parts[machine]); err != nil {
		return out, err
	}
	return out, t.w.SetLesson(row.Number, vault.LessonOf(parts))
}
