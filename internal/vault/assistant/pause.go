package assistant

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Pause says that a program gets nothing and stores nothing, by the names that it goes by.
type Pause struct {
	Name  string // folded, as the owner knows it
	Also  []string
	Since time.Time
}

// pauseSpace holds the pauses. A key is a folded name, the data the name as the owner knows
// it, a space, and since when (RFC 3339).
const pauseSpace = "paused"

// AdmitHost refuses a program that the owner has paused, with kind ForbiddenScope. It asks
// the store each time whether the owner's rows have changed, so that a pause holds at once, in
// every process.
func (s *Service) AdmitHost(ctx context.Context, c memory.Caller) error {
	name := Fold(c.Agent)
	if name == "" || c.Owner == "" || c.Role == memory.Owner {
		return nil
	}
	const op = "admit"
	var paused store.Attachment
	err := s.kernel.Store().View(ctx, c.Owner, func(r store.Reader) error {
		state, err := r.Sum()
		if err != nil {
			return err
		}
		if s.admitted.has(program{c.Owner, name}, state) {
			return store.ErrNotFound
		}
		if paused, err = r.Attached(pauseSpace, name, 0); errors.Is(err, store.ErrNotFound) {
			s.admitted.add(program{c.Owner, name}, state)
		}
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return s.kernel.Refusal(c, op, "", err)
	}
	known, _, _ := strings.Cut(string(paused.Data), " ")
	return &memory.Error{Kind: memory.ForbiddenScope, Op: op, Message: "the owner has paused " + known +
		": it is given no memory and stores none until the owner says satchel resume " + known}
}

// program is a program as one owner knows it.
type program struct {
	owner memory.DID
	name  string // folded
}

// admitted remembers programs that nobody had paused, and the state of their owner's rows
// that says so. Every pause changes the state, whichever process writes it.
type admitted struct {
	mu   sync.Mutex
	when map[program]store.Sum
}

// mostAdmitted is how many programs are remembered.
const mostAdmitted = 256

func (a *admitted) has(p program, state store.Sum) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	last, ok := a.when[p]
	return ok && last == state
}

func (a *admitted) add(p program, state store.Sum) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.when == nil || len(a.when) >= mostAdmitted {
		a.when = make(map[program]store.Sum)
	}
	a.when[p] = state
}

// entry is an entry of the log about a program. The log names programs by words of ASCII
// alone; of others it keeps a mark that only the owner can tell apart.
func (s *Service) entry(c memory.Caller, act audit.Act, name string) audit.Entry {
	if strings.ContainsFunc(name, func(r rune) bool { return r > unicode.MaxASCII }) {
		return audit.Entry{Act: act, Reason: "another-script", Agent: s.kernel.AuditMark(c, name)}
	}
	return audit.Entry{Act: act, Reason: name}
}

// Pause keeps a program out until Resume. also are other names that it goes by. Only the
// owner in person may call it. A second call changes nothing.
func (s *Service) Pause(ctx context.Context, c memory.Caller, name string, also ...string) error {
	const op = "pause"
	known := Fold(name)
	if err := s.mayChange(op, c, known); err != nil {
		return err
	}
	err := s.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) error {
		data := []byte(known + " " + vault.Instant(s.kernel.Now()).Format(time.RFC3339Nano))
		changed := false
		for _, key := range foldAll(known, also) {
			_, err := store.Attach(w, store.Attachment{Space: pauseSpace, Key: key, Data: data})
			if errors.Is(err, store.ErrExists) {
				continue
			}
			if err != nil {
				return err
			}
			changed = true
		}
		if !changed {
			return nil
		}
		return s.kernel.Note(w, c, s.entry(c, audit.Pause, known))
	})
	return s.kernel.Refusal(c, op, "", err)
}

// Resume lets a paused program in again. It fails with kind NotFound if it is not paused.
// Only the owner in person may call it.
func (s *Service) Resume(ctx context.Context, c memory.Caller, name string) error {
	const op = "resume"
	known := Fold(name)
	if err := s.mayChange(op, c, known); err != nil {
		return err
	}
	err := s.kernel.Lessen(ctx, c.Owner, func(w store.Writer) error {
		all, err := pauses(w)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(p Pause) bool { return p.Name == known || slices.Contains(p.Also, known) })
		if i < 0 {
			return store.ErrNotFound
		}
		for _, key := range append(all[i].Also, all[i].Name) {
			if err := vault.NotFoundIsNone(w.Detach(pauseSpace, key)); err != nil {
				return err
			}
		}
		return s.kernel.Note(w, c, s.entry(c, audit.Resume, all[i].Name))
	})
	if errors.Is(err, store.ErrNotFound) {
		return &memory.Error{Kind: memory.NotFound, Op: op, Message: known + " is not paused; satchel connect lists the hosts"}
	}
	return s.kernel.Refusal(c, op, "", err)
}

func (s *Service) mayChange(op string, c memory.Caller, name string) error {
	err := errors.Join(s.kernel.MayWrite(op, c), s.kernel.MayOwn(op, c))
	if err == nil && name == "" {
		err = vault.Invalid(op, "/host", "", "name the assistant by the letters and digits of its name")
	}
	return err
}

// foldAll returns the folded names, each once.
func foldAll(known string, also []string) []string {
	names := []string{known}
	for _, name := range also {
		if name = Fold(name); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Paused lists the paused programs by name. Only the owner in person may call it.
func (s *Service) Paused(ctx context.Context, c memory.Caller) (all []Pause, err error) {
	const op = "paused"
	if err := s.kernel.MayOwn(op, c); err != nil {
		return nil, err
	}
	err = s.kernel.Store().View(ctx, c.Owner, func(r store.Reader) (err error) {
		all, err = pauses(r)
		return err
	})
	return all, s.kernel.Refusal(c, op, "", err)
}

// pauses reads the pauses, sorted by name.
func pauses(r store.Reader) (all []Pause, err error) {
	err = vault.EachBeside(r, store.AttachmentFilter{Space: pauseSpace}, func(a store.Attachment) error {
		name, since, _ := strings.Cut(string(a.Data), " ")
		i := slices.IndexFunc(all, func(p Pause) bool { return p.Name == name })
		if i < 0 {
			at, err := time.Parse(time.RFC3339Nano, since)
			if err != nil {
				return err
			}
			i, all = len(all), append(all, Pause{Name: name, Since: at})
		}
		if a.Key != name {
			all[i].Also = append(all[i].Also, a.Key)
		}
		return nil
	})
	slices.SortFunc(all, func(a, b Pause) int { return cmp.Compare(a.Name, b.Name) })
	return all, err
}
