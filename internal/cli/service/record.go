package service

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/satchel-memory/satchel/internal/access"
	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/cli"
)

// record is what service.json says about a service. It holds no secret.
type record struct {
	Program   string    `json:"program"` // the path of the program that the system starts
	Release   string    `json:"release"`
	Sum       string    `json:"sha256"` // of the program
	Store     string    `json:"store"`  // a folder, or a database without a password
	Home      string    `json:"home,omitempty"`
	Flags     []string  `json:"flags"` // of satchel serve
	Env       []string  `json:"env,omitempty"`
	Installed time.Time `json:"installed"`
	Upgrade   *upgrade  `json:"upgrade,omitempty"` // under way, or cut off
}

// args are the arguments of the program.
func (r record) args() []string {
	args := []string{"serve", "--store", r.Store}
	if r.Home != "" {
		args = append(args, "--home", r.Home)
	}
	return append(args, r.Flags...)
}

// upgrade is the journal of an upgrade. It is written before each step.
type upgrade struct {
	Next   record    `json:"next"`
	Began  time.Time `json:"began"`
	Kept   string    `json:"kept"`             // the copy of the earlier program
	Backup string    `json:"backup,omitempty"` // empty: there is none yet, or the store is in a database
	Schema int       `json:"schema,omitempty"` // of the store before the upgrade
	Back   bool      `json:"back,omitempty"`   // the new release failed: everything goes back
	Why    string    `json:"why,omitempty"`    // the error of the new release
	Aside  string    `json:"aside,omitempty"`  // the folder for the store that the new release changed
}

func (s *service) recordFile() string { return s.in("service.json") }

// read reads the record, if there is one.
func (s *service) read() error {
	err := cli.ReadJSON(s.recordFile(), &s.rec)
	if err == nil && !(isSum(s.rec.Sum) && (s.rec.Upgrade == nil || isSum(s.rec.Upgrade.Next.Sum))) {
		err = fmt.Errorf("%s %w", cli.Clean(s.recordFile()), cli.ErrDamaged)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, cli.ErrDamaged):
		return fmt.Errorf("%w; remove the file, and run satchel service install again", err)
	}
	s.known = err == nil
	return err
}

func (s *service) save() error {
	if err := errors.Join(os.MkdirAll(s.dir, 0o700), access.Enclose(s.dir)); err != nil {
		return err
	}
	return cli.WriteJSON(s.recordFile(), s.rec)
}

// sumOf returns the SHA-256 of a file.
func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// isSum reports whether a text is the SHA-256 of a file, as sumOf spells it.
func isSum(text string) bool {
	sum, err := hex.DecodeString(text)
	return err == nil && len(sum) == sha256.Size
}

// copyName is the path for the copy of the program with this SHA-256.
func (s *service) copyName(sum string) string {
	name := "satchel-" + sum[:12]
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return s.in(name)
}

// keep copies a program into the folder of the service.
func (s *service) keep(r record) error {
	to := s.copyName(r.Sum)
	if have, err := sumOf(to); err == nil && have == r.Sum {
		return nil
	}
	f, err := os.Open(r.Program)
	if err != nil {
		return err
	}
	defer f.Close()
	return atomicfile.ReplaceBy(to, 0o700, nil, func(w io.Writer) error {
		_, err := io.Copy(w, f)
		return err
	})
}

// tidy removes the files of the folder that match a pattern, except one.
func (s *service) tidy(pattern, but string) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		path := filepath.Join(s.dir, entry.Name())
		if matches, err := filepath.Match(pattern, entry.Name()); err == nil && matches && path != but {
			_ = os.Remove(path) // Windows refuses this for a file in use; the next upgrade removes it
		}
	}
}
