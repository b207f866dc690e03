package folder

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/memory"
)

// maxFiles is the most files of an owner in a remote.
const maxFiles = 1 << 17

// part holds the files of one machine in the remote.
type part struct {
	tag     string
	machine memory.DID      // empty: this machine does not know it
	files   map[string]File // by their names in the part, in lower case
}

// tag returns the name of a folder in the remote: a keyed hash, which reveals the DID only to
// machines with the owner's key.
func (s *syncRun) tag(did memory.DID) string {
	mac := hmac.New(sha256.New, s.Secret)
	mac.Write([]byte(did))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// list lists the files in the remote by their parts. It ignores files outside of parts.
func (s *syncRun) list(ctx context.Context) error {
	files, err := s.Storage.List(ctx, s.tag(s.Owner))
	if err != nil {
		return err
	}
	if len(files) > maxFiles {
		return fmt.Errorf("the remote holds %d files; %d are the most: tidy it up", len(files), maxFiles)
	}
	s.parts = map[string]*part{}
	for _, machine := range s.machines {
		s.partOf(machine.ID)
	}
	for _, f := range files {
		dir, name := path.Split(f.Name)
		above, tag := path.Split(strings.ToLower(strings.TrimSuffix(dir, "/")))
		if strings.TrimSuffix(above, "/") != s.tag(s.Owner) || !isRandom(tag) {
			continue
		}
		p := s.parts[tag]
		if p == nil {
			p = &part{tag: tag, files: map[string]File{}}
			s.parts[tag] = p
		}
		p.files[strings.ToLower(name)] = f
	}
	return nil
}

// partOf returns the part of a machine. A part without files is made.
func (s *syncRun) partOf(machine memory.DID) *part {
	tag := s.tag(machine)
	p := s.parts[tag]
	if p == nil {
		p = &part{tag: tag, files: map[string]File{}}
		s.parts[tag] = p
	}
	p.machine = machine
	return p
}

// path returns the name of a part's file in the storage.
func (s *syncRun) path(p *part, name string) string {
	if f, ok := p.files[name]; ok {
		return f.Name // as the storage spells it
	}
	return path.Join(s.tag(s.Owner), p.tag, name)
}

// copiesOf returns the file kind.age and its conflict copies, at most maxCopies in all.
func (p *part) copiesOf(kind string) []File {
	var copies []File
	for name, f := range p.files {
		if strings.HasPrefix(name, kind) && strings.HasSuffix(name, ".age") {
			copies = append(copies, f)
		}
	}
	slices.SortFunc(copies, func(a, b File) int {
		return cmpName(a, b, path.Join(path.Dir(a.Name), kind+".age"))
	})
	return copies[:min(len(copies), maxCopies)]
}

// cmpName orders files by name, the file named first before all others.
func cmpName(a, b File, first string) int {
	switch {
	case strings.EqualFold(a.Name, first):
		return -1
	case strings.EqualFold(b.Name, first):
		return 1
	}
	return strings.Compare(a.Name, b.Name)
}

// packs returns the names of packs, of copies of packs and of unfinished packs.
func (p *part) packs() []string {
	var names []string
	for name := range p.files {
		if isPack(name) || isCopy(name) || isTemporary(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// get reads a file and counts its bytes. It does not read a file that is listed with more
// than most bytes.
func (s *syncRun) get(ctx context.Context, f File, most int64) ([]byte, error) {
	if f.Size > most {
		return nil, replica.ErrTooLarge
	}
	data, err := s.Storage.Get(ctx, f.Name, most)
	s.result.BytesRead += int64(len(data))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", replica.ErrWithheld, path.Base(f.Name))
	}
	return data, err
}

// put writes a file into this machine's part, and counts its bytes.
func (s *syncRun) put(ctx context.Context, name string, data []byte) error {
	own := s.partOf(s.self.ID)
	if err := s.Storage.Put(ctx, s.path(own, name), data); err != nil {
		return err
	}
	s.result.BytesWritten += int64(len(data))
	own.files[name] = File{Name: s.path(own, name), Size: int64(len(data))}
	return nil
}
