package trigger

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// The bounds of a folder.
const (
	mostFiles = 10_000
	mostDepth = 16
	mostRead  = 64 << 20 // of a file; of a longer one the size and the time count
)

// errManyFiles: a folder has more files than are looked at.
var errManyFiles = errors.New("the folder has more than 10,000 files")

// Folder sees which files of a folder change. Where nothing else says so, a change is reported
// once the file rests: when two looks, one after the other, find it the same.
type Folder struct {
	Path string
	Seen map[string]string // the digest of each file, by its path below the folder; nil: nobody has looked yet

	found   map[string]mark   // by the last look
	waiting map[string]string // what changed while a run of the folder was under way, see [Folder.Look]
}

// mark tells a file from a later state of it without reading it.
type mark struct {
	size   int64
	time   time.Time
	digest string // empty: it was not read yet
}

// Change is a file that was created, modified or removed.
type Change struct{ Path, What string }

// Look looks at the folder and returns what has changed since it was looked at last. While own,
// a run that the folder has started is under way: changes start nothing then. The next event
// tells of them, since other programs may have made some of them.
func (f *Folder) Look(own bool) ([]Change, error) {
	now, err := f.scan()
	if err != nil {
		return nil, err
	}
	before := f.found
	f.found = now
	if f.Seen == nil {
		f.Seen = map[string]string{}
		for path, m := range now {
			f.Seen[path] = m.digest
		}
		return nil, nil
	}
	changed := map[string]string{}
	for path, m := range now {
		last, known := before[path]
		if known && last.size == m.size && last.time.Equal(m.time) && f.Seen[path] != m.digest {
			_, was := f.Seen[path]
			changed[path] = map[bool]string{true: "modified", false: "created"}[was]
			f.Seen[path] = m.digest
		}
	}
	for path := range f.Seen {
		if _, there := now[path]; !there {
			changed[path] = "removed"
			delete(f.Seen, path)
		}
	}
	if own {
		if f.waiting == nil {
			f.waiting = map[string]string{}
		}
		maps.Copy(f.waiting, changed)
		return nil, nil
	}
	return listed(changed), nil
}

// listed returns changes in the order of their paths.
func listed(changed map[string]string) (all []Change) {
	for _, path := range slices.Sorted(maps.Keys(changed)) {
		all = append(all, Change{path, changed[path]})
	}
	return all
}

// scan lists the files. It reads those that are not as they were.
func (f *Folder) scan() (map[string]mark, error) {
	root, err := os.OpenRoot(f.Path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	found := map[string]mark{}
	err = fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path == ".":
			return err
		case err != nil:
			return nil // it has gone meanwhile, or is not for us
		case d.IsDir() && strings.Count(path, "/") >= mostDepth:
			return fs.SkipDir
		case !d.Type().IsRegular(): // a link may lead out of the folder
			return nil
		case len(found) == mostFiles:
			return errManyFiles
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		m := mark{size: info.Size(), time: info.ModTime()}
		if last, known := f.found[path]; known && last.size == m.size && last.time.Equal(m.time) {
			m.digest = last.digest
		} else if m.digest, err = digestOf(root, path, m); err != nil {
			return nil
		}
		found[path] = m
		return nil
	})
	return found, err
}

// digestOf returns the SHA-256 of a file, or of what is known of a long one.
func digestOf(root *os.Root, path string, m mark) (string, error) {
	sum := sha256.New()
	if m.size > mostRead {
		return hex.EncodeToString(sum.Sum([]byte(m.time.String()))), nil
	}
	in, err := root.Open(path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	if _, err := io.Copy(sum, io.LimitReader(in, mostRead+1)); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// Event returns the event of changes, of which there are some.
func (f *Folder) Event(changes []Change, now time.Time) Event {
	values := func(list []Change) canon.Value {
		var items []canon.Value
		for _, c := range list {
			items = append(items, canon.Object(member("path", c.Path), member("change", c.What)))
		}
		return canon.Array(items...)
	}
	sum := sha256.New()
	for _, c := range changes {
		_, _ = io.WriteString(sum, c.Path+"\x00"+c.What+"\x00"+f.Seen[c.Path]+"\x00") // a hash takes everything
	}
	payload := canon.Object(member("trigger", FileChange), member("folder", filepath.ToSlash(f.Path)), canon.Member{Name: "changes", Value: values(changes)},
		member("path", changes[0].Path), member("change", changes[0].What))
	if len(f.waiting) > 0 {
		payload = payload.With("earlier", values(listed(f.waiting)))
		f.waiting = nil
	}
	return Event{Type: FileChange, Payload: payload, Input: payload, Key: f.Path + "\x00" + hex.EncodeToString(sum.Sum(nil)), Until: now.Add(time.Minute)}
}
