package vault

import (
	"context"
	"errors"
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
		if spoken, err := hasVoice(w, c, id); err != nil || spoken {
			return err
		}
		lessons, err := w.Lessons([]int64{row.Number})
		if err != nil {
			return err
		}
		if _, ok := noted(lessons[0], outcome); !ok {
			return Invalid(op, "/outcome", "UMP-3.8-1", "use one of followed, overridden, ignored, contradicted")
		}
		l, err := learnOn(w, id, lessons[0], outcome, now)
		if err != nil {
			return err
		}
		return w.SetLesson(row.Number, l)
	})
	return v.refusal(c, op, id, err)
}

// hasVoice reports whether a token's bearer has already rated a record, and notes the
// rating if not. One vote each, so that nobody buries a record by repeating a rating.
func hasVoice(w store.Writer, c memory.Caller, id memory.ID) (bool, error) {
	if c.Role != memory.Peer {
		return false, nil
	}
	space := "voice of " + c.Session
	_, err := w.Alias(space, string(id))
	if err == nil || !errors.Is(err, store.ErrNotFound) {
		return err == nil, err
	}
	return false, w.SetAlias(space, string(id), id)
}

// full refuses features of level 3 where that level is not in force (UMP-3.7-4).
func (k *keyring) full(op string, c memory.Caller) error {
	if k.level(c.Owner) == "L3" || k.level("") == "L3" {
		return nil
	}
	return &memory.Error{Kind: memory.Unsupported, Op: op, Rule: "UMP-3.7-4",
		Message: op + " belongs to level 3, which is not in force here; see capabilities"}
}

// learnOn adds an outcome to a record's lesson. Where the owner has several machines, each
// counts its own outcomes, and the lesson is what they say together.
func learnOn(w store.Writer, id memory.ID, was store.Lesson, outcome string, now time.Time) (store.Lesson, error) {
	self, err := w.Attached(MachineStateSpace, SelfKey, 0)
	if errors.Is(err, store.ErrNotFound) {
		l, _ := noted(was, outcome)
		l.At = now
		return l, nil
	}
	if err != nil {
		return was, err
	}
	parts, err := LessonParts(w, id)
	if err != nil {
		return was, err
	}
	machine := memory.DID(self.Data)
	own, ok := parts[machine]
	if !ok && len(parts) == 0 {
		own = was
	}
	own = count(own, outcome)
	own.At = now
	parts[machine] = own
	return LessonOf(parts), SetLessonPart(w, id, machine, own)
}

// noted adds an outcome to a record's lesson. Old outcomes fade: at the limit all counts
// are halved, so that a record can recover.
func noted(l store.Lesson, outcome string) (store.Lesson, bool) {
	next := count(l, outcome)
	return faded(next), next != l
}

// faded halves all counts until they are few enough.
func faded(l store.Lesson) store.Lesson {
	for l.Followed+l.Overridden+l.Ignored+l.Contradicted > lessonsKept {
		l.Followed, l.Overridden, l.Ignored, l.Contradicted = l.Followed/2, l.Overridden/2, l.Ignored/2, l.Contradicted/2
	}
	return l
}

func count(l store.Lesson, outcome string) store.Lesson {
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

// learnt weighs outcomes between -1 and 1 for the ranking. A contradiction weighs most
// and being ignored little; a few outcomes weigh less than many.
func learnt(l store.Lesson) float64 {
	n := l.Followed + l.Overridden + l.Ignored + l.Contradicted
	if n == 0 {
		return 0
	}
	sum := float64(l.Followed) - .7*float64(l.Overridden) - .2*float64(l.Ignored) - float64(l.Contradicted)
	return sum / (float64(n) + caution)
}

// caution is how many outcomes it takes for half of their weight.
const caution = 2
