package operate

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/machines"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/keys"
)

// copyStore makes the store's file of a machine that joins others from a copy of the other
// machine's. If it fails, the folder may hold a part of it.
func copyStore(a *cli.App, h cli.Home, conf cli.Config, owner keys.Private, j *machines.JoinedMachine) (err error) {
	room, err := freeSpace(h.Dir)
	if errors.Is(err, errors.ErrUnsupported) {
		room, err = math.MaxUint64, nil
	}
	if err != nil {
		return err
	}
	f, err := os.OpenFile(h.Database(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	err = j.Copy(a, f, int64(min(room, maxDatabase)))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	o := &cli.Session{Home: h, Config: conf, Key: owner, Past: cli.FormerKeys{App: a, Home: h}}
	s, err := h.OpenStore(a, o.Seal)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	found, err := s.Check(a.Ctx)
	if err == nil && len(found) > 0 {
		err = cli.Invalidf("the copy of the store is damaged: %s", strings.Join(found, "; "))
	}
	if err != nil {
		return err
	}
	owners, err := s.Owners(a.Ctx)
	if err != nil {
		return err
	}
	rooted, ok := s.(store.Rooted)
	if !ok || len(owners) != 1 || owners[0] != conf.Owner {
		return cli.Invalidf("the copy of the store belongs to others")
	}
	if err = j.Part(a, rooted); err == nil {
		a.Detail("the store begins with a copy of the other machine's")
	}
	return err
}

// dropStore removes what copyStore left.
func dropStore(h cli.Home) error {
	entries, err := os.ReadDir(h.Dir)
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), cli.DatabaseName) {
			err = errors.Join(err, os.Remove(filepath.Join(h.Dir, entry.Name())))
		}
	}
	return err
}
