package vault

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// MachineStateSpace holds what this machine knows of itself among the owner's machines.
const MachineStateSpace = "count.state"

// SelfKey is the key in MachineStateSpace of the id of this machine. It is there once the
// owner has machines.
const SelfKey = "self"

// HarvestedKey is the key in MachineStateSpace of how far the change feed was read for
// other machines.
const HarvestedKey = "harvested"

// LessonSpace holds, for each record and machine, the outcomes that the machine counted: a
// store.Lesson as JSON. From is the record; the key is its id, NUL and the machine's id.
const LessonSpace = "replica.lesson"

// LessonPart returns the record and the machine whose outcomes an attachment counts; ok is
// false for other attachments.
func LessonPart(a store.Attachment) (id memory.ID, machine memory.DID, l store.Lesson, ok bool) {
	if a.Space != LessonSpace || json.Unmarshal(a.Data, &l) != nil {
		return "", "", l, false
	}
	record, of, _ := strings.Cut(a.Key, "\x00")
	return memory.ID(record), memory.DID(of), l, true
}

// LessonParts returns the outcomes of a record by machine.
func LessonParts(r store.Reader, id memory.ID) (map[memory.DID]store.Lesson, error) {
	parts := map[memory.DID]store.Lesson{}
	return parts, EachBeside(r, store.AttachmentFilter{Space: LessonSpace, From: id}, func(a store.Attachment) error {
		if _, machine, l, ok := LessonPart(a); ok {
			parts[machine] = l
		}
		return nil
	})
}

// SetLessonPart stores the outcomes of a record that one machine counted.
func SetLessonPart(w store.Writer, id memory.ID, machine memory.DID, l store.Lesson) error {
	a := store.Attachment{Space: LessonSpace, Key: string(id) + "\x00" + string(machine), From: id}
	var err error
	if a.Data, err = json.Marshal(l); err != nil {
		return err
	}
	if err := NotFoundIsNone(w.Detach(a.Space, a.Key)); err != nil {
		return err
	}
	_, err = store.Attach(w, a)
	return err
}

// LessonOf returns what the machines say together.
func LessonOf(parts map[memory.DID]store.Lesson) (sum store.Lesson) {
	for _, machine := range slices.Sorted(maps.Keys(parts)) {
		l := parts[machine]
		sum.Followed, sum.Overridden = sum.Followed+l.Followed, sum.Overridden+l.Overridden
		sum.Ignored, sum.Contradicted = sum.Ignored+l.Ignored, sum.Contradicted+l.Contradicted
		if l.At.After(sum.At) {
			sum.At = l.At
		}
	}
	return faded(sum)
}
