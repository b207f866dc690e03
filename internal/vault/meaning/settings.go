package meaning

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/embed"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Settings say which server an owner uses for vectors. They hold no key.
type Settings struct {
	URL     string `json:"url"`
	Model   string `json:"model"`
	KeyFile string `json:"key_file,omitempty"` // the file with the server's key
	Keyring bool   `json:"keyring,omitempty"`  // the system's keyring has the key
	// All lets records go to the server that are not exportable, redacted or masked, or
	// that have a retention.
	All   bool      `json:"all,omitempty"`
	Since time.Time `json:"since"`
	Dim   int       `json:"dim"` // components of a vector
	// Floor is the similarity that texts without a common subject have at most, nearly
	// always. It differs between models.
	Floor float64 `json:"floor"`
}

const (
	// recheck is for how long a process takes an owner without settings to have none.
	recheck = 2 * time.Second
	// probePatience is how long a server may take to load a model.
	probePatience = 2 * time.Minute
	mostModel     = 200  // bytes of a model's name
	mostURL       = 1024 // bytes of an address
	auditReason   = "embed"
)

// space returns the space of the model's vectors.
func (s Settings) space() string { return vault.MeaningSpaceOf(s.Model, s.Dim) }

// current are settings in force.
type current struct {
	Settings
	number int64 // of their attachment, which tells settings apart; 0: none
}

func (c current) on() bool { return c.number != 0 }

// settingsIn reads the settings of a snapshot.
func settingsIn(r store.Reader) (current, error) {
	a, err := r.Attached(vault.MeaningSettingsSpace, "", 0)
	if err != nil {
		return current{}, vault.NotFoundIsNone(err)
	}
	c := current{number: a.Number}
	if err := json.Unmarshal(a.Data, &c.Settings); err != nil {
		return current{}, fmt.Errorf("read the settings of embed: %w", err)
	}
	return c, nil
}

// current returns an owner's settings. It reads the store each time while the owner has
// some, so that they end everywhere at once.
func (s *Service) current(ctx context.Context, owner memory.DID) (current, error) {
	if s.isOff(owner) {
		return current{}, nil
	}
	var c current
	err := s.kernel.Store().View(ctx, owner, func(r store.Reader) (err error) {
		c, err = settingsIn(r)
		return err
	})
	if err != nil {
		return current{}, err
	}
	s.note(owner, c)
	return c, nil
}

// note remembers settings that were read just now.
func (s *Service) note(owner memory.DID, c current) {
	o := s.of(owner)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.settings.number != c.number {
		o.embedder, o.rests = nil, time.Time{}
	}
	o.settings, o.checked = c, s.kernel.Now()
}

// Current returns the owner's settings, and whether there are any.
func (s *Service) Current(ctx context.Context, c memory.Caller) (Settings, bool, error) {
	const op = "embed"
	if err := s.kernel.MayOwn(op, c); err != nil {
		return Settings{}, false, s.kernel.Refusal(c, op, "", err)
	}
	now, err := s.current(ctx, c.Owner)
	return now.Settings, now.on(), s.kernel.Refusal(c, op, "", err)
}

// probe are sentences without a common subject. A server's vectors of them say how long its
// vectors are and how similar unrelated texts look to the model.
func probe() []string {
	return []string{
		"The tide comes in twice a day.", "She tunes the piano before each concert.", "Der Schlüssel liegt unter der Matte.",
		"Photosynthesis turns light into sugar.", "Le train de nuit arrive à six heures.", "Prices rose by three percent.",
		"He keeps bees behind the barn.", "The compiler reports a missing bracket.", "El partido terminó sin goles.",
		"Granite is harder than limestone.", "Her passport expires in March.", "Knead the dough for ten minutes.",
	}
}

// Use makes an owner use a server from now on. It asks the server for the vectors of a few
// fixed sentences first, and fails if it gets none. Vectors of other models are removed.
// Only the owner in person may call it.
func (s *Service) Use(ctx context.Context, c memory.Caller, want Settings) (Settings, error) {
	const op = "embed"
	if err := errors.Join(s.kernel.MayWrite(op, c), s.kernel.MayOwn(op, c)); err != nil {
		return want, s.kernel.Refusal(c, op, "", err)
	}
	if want.Model == "" || len(want.Model) > mostModel || len(want.URL) > mostURL {
		return want, vault.Invalid(op, "", "", "name a server and a model of it")
	}
	e, err := s.dial(c.Owner, want)
	if err != nil {
		return want, err
	}
	ctx, stop := context.WithTimeout(ctx, probePatience)
	defer stop()
	vectors, err := e.Embed(ctx, probe())
	if err != nil {
		return want, err
	}
	want.Dim, want.Floor, want.Since = len(vectors[0].Codes), embed.Background(vectors), vault.Instant(s.kernel.Now())
	data, err := json.Marshal(want)
	if err != nil {
		return want, err
	}
	err = s.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) error {
		if err := store.PutAttachment(w, store.Attachment{Space: vault.MeaningSettingsSpace, Data: data}); err != nil {
			return err
		}
		return s.kernel.Note(w, c, audit.Entry{Act: audit.Consent, Reason: auditReason})
	})
	s.Drop(c.Owner)
	if err == nil {
		err = s.remove(ctx, c.Owner, want.space())
	}
	return want, s.kernel.Refusal(c, op, "", err)
}

// Off ends the use of a server. It removes all vectors, unless keep is set. It fails with
// kind NotFound if no server is used and nothing is left to remove. Only the owner in person
// may call it.
func (s *Service) Off(ctx context.Context, c memory.Caller, keep bool) error {
	const op = "embed"
	if err := errors.Join(s.kernel.MayWrite(op, c), s.kernel.MayOwn(op, c)); err != nil {
		return s.kernel.Refusal(c, op, "", err)
	}
	left := false
	err := s.kernel.Lessen(ctx, c.Owner, func(w store.Writer) error {
		spaces, err := w.Spaces()
		if err != nil {
			return err
		}
		left = false
		for _, space := range spaces {
			left = left || !keep && strings.HasPrefix(space, vault.MeaningSpace)
		}
		err = w.Detach(vault.MeaningSettingsSpace, "")
		if errors.Is(err, store.ErrNotFound) && left {
			return nil
		}
		if err != nil {
			return err
		}
		return s.kernel.Note(w, c, audit.Entry{Act: audit.Withdraw, Reason: auditReason})
	})
	s.Drop(c.Owner)
	if errors.Is(err, store.ErrNotFound) {
		return &memory.Error{Kind: memory.NotFound, Op: op, Message: "no server is used; embed use URL --model NAME chooses one"}
	}
	if err == nil && !keep {
		if err = s.remove(ctx, c.Owner, ""); err == nil {
			_, err = s.kernel.Cleared(ctx)
		}
	}
	return s.kernel.Refusal(c, op, "", err)
}

// removeSize is how many attachments one transaction removes.
const removeSize = 1000

// remove removes vectors of all models but one, and how far the work has come.
func (s *Service) remove(ctx context.Context, owner memory.DID, but string) error {
	for more := true; more; {
		err := s.kernel.Lessen(ctx, owner, func(w store.Writer) error {
			more = false
			spaces, err := w.Spaces()
			for _, space := range spaces {
				if err != nil || space == but || space != vault.MeaningPlaceSpace && !strings.HasPrefix(space, vault.MeaningSpace) {
					continue
				}
				var some []store.Attachment
				if some, err = w.Attachments(store.AttachmentFilter{Space: space}, 0, removeSize); err != nil {
					return err
				}
				for _, a := range some {
					if err := w.Detach(a.Space, a.Key); err != nil {
						return err
					}
				}
				more = more || len(some) > 0
			}
			return err
		})
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

// open returns the embedder for an owner's settings.
func (s *Service) open(owner memory.DID, c current) (Embedder, error) {
	o := s.of(owner)
	o.mu.Lock()
	e := o.embedder
	o.mu.Unlock()
	if e != nil {
		return e, nil
	}
	e, err := s.dial(owner, c.Settings)
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.settings.number == c.number {
		o.embedder = e
	}
	return e, nil
}

// close forgets an embedder that failed, so that the next use reads the key anew.
func (s *Service) close(owner memory.DID) {
	o := s.of(owner)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.embedder = nil
}
