package vault

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

var _ ump.Learner = (*Vault)(nil)

// Feedback records the outcome of a memory that a model was given (UMP 3.8, decision
// UD-26). It changes the record's ranking, never the record.
func (v *Vault) Feedback(ctx context.Context, c memory.Caller, id memory.ID, outcome, _ string) error {
	const op = "feedback"
	if v.readOnly {
		return &memory.Error{Kind: memory.Unsupported, Op: op, Rule: "UMP-3.1-7", Message: "this server is read-only"}
	}
	if err := v.full(op, c); err != nil {
		return err
	}
	verb := memory.DeriveVerb
	if c.Grant.Allows(memory.WriteVerb) {
		verb = memory.WriteVerb
	}
	if err := v.may(op, c, verb); err != nil {
		return err
	}
	now := Instant(v.now())
	err := v.store.Update(ctx, c.Owner, func(w store.Writer) error {
		g, row, rec, err := v.reached(w, c, id)
		if err != nil {
			return err
		}
		if g.status(rec) == memory.Tombstoned {
			return store.ErrNotFound // a forgotten record learns nothing
		}
		if first, err := noteRating(w, c, id); err != nil || !first {
			return err
		}
		lessons, err := w.Lessons([]int64{row.Number})
		if err != nil {
			return err
		}
		if withOutcome(lessons[0], outcome) == lessons[0] {
			return Invalid(op, "/outcome", "UMP-3.8-1", "use one of followed, overridden, ignored, contradicted")
		}
		l, err := addOutcome(w, id, lessons[0], outcome, now)
		if err != nil {
			return err
		}
		return w.SetLesson(row.Number, l)
	})
	return v.refusal(c, op, id, err)
}

// noteRating notes that a token's bearer has rated a record, and reports whether it is the
// bearer's first rating. Later ones do not count, so that nobody buries a record by repeating a
// rating. All ratings of other callers count.
func noteRating(w store.Writer, c memory.Caller, id memory.ID) (first bool, err error) {
	if c.Role != memory.Peer {
		return true, nil
	}
	space := "voice of " + c.Session
	_, err = w.Alias(space, string(id))
	if errors.Is(err, store.ErrNotFound) {
		return true, w.SetAlias(space, string(id), id)
	}
	return false, err
}

// full refuses features of level 3 where that level is not in force (UMP-3.7-4).
func (k *keyring) full(op string, c memory.Caller) error {
	if k.level(c.Owner) == "L3" || k.level("") == "L3" {
		return nil
	}
	return &memory.Error{Kind: memory.Unsupported, Op: op, Rule: "UMP-3.7-4",
		Message: op + " belongs to level 3, which is not in force here; see capabilities"}
}

// addOutcome returns a record's lesson with another outcome. If the owner has several machines,
// each counts its own outcomes, and the lesson is the sum, see [LessonOf].
func addOutcome(w store.Writer, id memory.ID, was store.Lesson, outcome string, now time.Time) (store.Lesson, error) {
	machine, err := selfOf(w)
	if err != nil {
		return was, err
	}
	if machine == "" {
		l := halved(withOutcome(was, outcome))
		l.At = now
		return l, nil
	}
	parts, err := LessonParts(w, id)
	if err != nil {
		return was, err
	}
	own, ok := parts[machine]
	if !ok && len(parts) == 0 {
		own = was
	}
	own = withOutcome(own, outcome)
	own.At = now
	parts[machine] = own
	return LessonOf(parts), SetLessonPart(w, id, machine, own)
}

// halved halves all counts until they are at most lessonsKept. Old outcomes so count less and
// less, and the rank of a record can recover.
func halved(l store.Lesson) store.Lesson {
	for l.Followed+l.Overridden+l.Ignored+l.Contradicted > lessonsKept {
		l.Followed, l.Overridden, l.Ignored, l.Contradicted = l.Followed/2, l.Overridden/2, l.Ignored/2, l.Contradicted/2
	}
	return l
}

// withOutcome adds an outcome to a lesson; an unknown one adds nothing.
func withOutcome(l store.Lesson, outcome string) store.Lesson {
	switch outcome {
	case "followed":
		l.Followed++
	case "overridden":
		l.Overridden++
	case "ignored":
		l.Ignored++
	case "contradicted":
		l.Contradicted++
	}
	return l
}

// lessonsKept is how many outcomes of a record are counted before they are halved.
const lessonsKept = 64

// feedbackWeight returns the weight of a lesson in the ranking, between -1 and 1. Of the negative
// outcomes a contradiction weighs most, and ignored least. Few outcomes weigh less than many.
func feedbackWeight(l store.Lesson) float64 {
	n := l.Followed + l.Overridden + l.Ignored + l.Contradicted
	if n == 0 {
		return 0
	}
	sum := float64(l.Followed) - .7*float64(l.Overridden) - .2*float64(l.Ignored) - float64(l.Contradicted)
	return sum / (float64(n) + halfWeight)
}

// halfWeight is how many outcomes have half of the weight of many.
const halfWeight = 2

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
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return store.PutAttachment(w, store.Attachment{Space: LessonSpace, Key: string(id) + "\x00" + string(machine), From: id, Data: data})
}

// LessonOf returns the sum of the outcomes that the machines counted, see [LessonParts].
func LessonOf(parts map[memory.DID]store.Lesson) (sum store.Lesson) {
	for _, machine := range slices.Sorted(maps.Keys(parts)) {
		l := parts[machine]
		sum.Followed, sum.Overridden = sum.Followed+l.Followed, sum.Overridden+l.Overridden
		sum.Ignored, sum.Contradicted = sum.Ignored+l.Ignored, sum.Contradicted+l.Contradicted
		if l.At.After(sum.At) {
			sum.At = l.At
		}
	}
	return halved(sum)
}
