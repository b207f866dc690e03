package paste

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// noDate stands in place of a missing date.
const noDate = "unknown"

// Sections that give the kind of their entries.
const (
	identity     = "Identity"
	instructions = "Instructions"
)

// writer writes a list. Entries lie in a spool until the sections, and the length of the
// fence, are known.
type writer struct {
	out      io.Writer
	spool    codec.Spool
	now      time.Time
	owner    memory.DID
	sections []string          // in the order of first use; the one without a name first
	lying    map[string][]span // by section
	at       int64
	longest  int // run of backticks that begins a line
	losses   []codec.Loss
}

// span is where an entry lies in the spool.
type span struct{ at, size int64 }

var _ codec.Writer = (*writer)(nil)

func create(out io.Writer, opt codec.Options) (codec.Writer, error) {
	spool, err := opt.NewSpool()
	if err != nil {
		return nil, fmt.Errorf("make room for the list: %w", err)
	}
	w := &writer{out: out, spool: spool, owner: opt.Owner, sections: []string{""}, lying: map[string][]span{}, longest: len("``")}
	if opt.Now != nil {
		w.now = opt.Now()
	}
	return w, nil
}

// Write adds the entry of a record.
func (w *writer) Write(r memory.Record) error {
	w.owner = cmp.Or(w.owner, r.Scope.Owner)
	switch {
	case !codec.Holds(r, w.now):
		w.lose(r, codec.NotHeld)
		return nil
	case strings.TrimSpace(r.Body.Text) == "":
		w.lose(r, lossBlank)
		return nil
	}
	section, text := sectionOf(r), entryOf(r)
	again, ok := w.reread(section, text)
	if !ok {
		w.lose(r, lossUnread)
		return nil
	}
	w.losses = append(w.losses, codec.RoundTripLossesWith(r, again, map[string]string{"/body/text": lossText, "/kind": lossKind, "/time/created": lossUndated})...)
	if _, err := io.WriteString(w.spool, text); err != nil {
		return fmt.Errorf("write the list: %w", err)
	}
	if len(w.lying[section]) == 0 && section != "" {
		w.sections = append(w.sections, section)
	}
	w.lying[section] = append(w.lying[section], span{w.at, int64(len(text))})
	w.at += int64(len(text))
	w.longest = max(w.longest, longestFence(text))
	return nil
}

func (w *writer) lose(r memory.Record, reason string) {
	w.losses = append(w.losses, codec.Loss{ID: r.ID, Reason: reason})
}

// reread reads a written entry.
func (w *writer) reread(section, text string) (memory.Record, bool) {
	around := strings.Repeat("`", longestFence(text)+3)
	list := around + "\n" + headingOf(section) + text + around + "\n"
	src := codec.Source{Name: "list", File: strings.NewReader(list), Size: int64(len(list)), Modified: time.Unix(0, 0)}
	r, err := open(src, codec.Options{Owner: cmp.Or(w.owner, "owner")})
	if err != nil {
		return memory.Record{}, false
	}
	again, err := r.Next()
	if err != nil {
		return memory.Record{}, false
	}
	again.Scope.Owner = w.owner
	_, err = r.Next()
	return again, err == io.EOF
}

// Close writes the list.
func (w *writer) Close() error {
	fence := strings.Repeat("`", w.longest+1)
	err := w.list(fence)
	if closed := w.spool.Close(); err == nil {
		err = closed
	}
	return err
}

func (w *writer) list(fence string) error {
	if _, err := io.WriteString(w.out, fence+"\n"); err != nil {
		return err
	}
	for _, section := range w.sections {
		if len(w.lying[section]) == 0 {
			continue
		}
		if _, err := io.WriteString(w.out, headingOf(section)); err != nil {
			return err
		}
		for _, s := range w.lying[section] {
			if _, err := io.Copy(w.out, io.NewSectionReader(w.spool, s.at, s.size)); err != nil {
				return err
			}
		}
	}
	_, err := io.WriteString(w.out, fence+"\n")
	return err
}

// Losses returns the data that the list does not hold.
func (w *writer) Losses() []codec.Loss { return w.losses }
