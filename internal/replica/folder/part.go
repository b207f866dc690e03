package folder

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/memory"
)

// maxFiles is how many files of an owner a remote may hold.
const maxFiles = 1 << 17

// part is what the remote holds of one machine.
type part struct {
	tag     string
	machine memory.DID      // empty: not known here
	files   map[string]File // by their last name, in lower case
}

// tag names something in the remote, so that nobody without the owner's key knows what.
func (m *meeting) tag(did memory.DID) string {
	mac := hmac.New(sha256.New, m.Secret)
	mac.Write([]byte(did))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// list reads which files there are. It passes over whatever is named like nothing of ours.
func (m *meeting) list(ctx context.Context) error {
	files, err := m.Storage.List(ctx, m.tag(m.Owner))
	if err != nil {
		return err
	}
	if len(files) > maxFiles {
		return fmt.Errorf("the remote holds %d files; %d are the most: tidy it up", len(files), maxFiles)
	}
	m.parts = map[string]*part{}
	for _, machine := range m.machines {
		m.partOf(machine.ID)
	}
	for _, f := range files {
		dir, name := path.Split(f.Name)
		above, tag := path.Split(strings.ToLower(strings.TrimSuffix(dir, "/")))
		if strings.TrimSuffix(above, "/") != m.tag(m.Owner) || !isRandom(tag) {
			continue
		}
		p := m.parts[tag]
		if p == nil {
			p = &part{tag: tag, files: map[string]File{}}
			m.parts[tag] = p
		}
		p.files[strings.ToLower(name)] = f
	}
	return nil
}

// partOf returns the part of a machine, which may be empty.
func (m *meeting) partOf(machine memory.DID) *part {
	tag := m.tag(machine)
	p := m.parts[tag]
	if p == nil {
		p = &part{tag: tag, files: map[string]File{}}
		m.parts[tag] = p
	}
	p.machine = machine
	return p
}

// path returns where a file of the part lies.
func (m *meeting) path(p *part, name string) string {
	if f, ok := p.files[name]; ok {
		return f.Name // perhaps in capitals
	}
	return path.Join(m.tag(m.Owner), p.tag, name)
}

// copiesOf returns the files named kind.age, or like a copy of it.
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

// cmpName orders files by name, a certain one first.
func cmpName(a, b File, first string) int {
	switch {
	case strings.EqualFold(a.Name, first):
		return -1
	case strings.EqualFold(b.Name, first):
		return 1
	}
	return strings.Compare(a.Name, b.Name)
}

// packs returns the names of the files that are packs, copies of packs, or such to be.
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

// get reads a file, and counts it. It does not ask for one that is listed as larger than most.
func (m *meeting) get(ctx context.Context, f File, most int64) ([]byte, error) {
	if f.Size > most {
		return nil, replica.ErrTooLarge
	}
	data, err := m.Storage.Get(ctx, f.Name, most)
	m.result.BytesRead += int64(len(data))
	if isAbsent(err) {
		return nil, fmt.Errorf("%w: %s", replica.ErrWithheld, path.Base(f.Name))
	}
	return data, err
}

// put writes a file into this machine's part, and counts it.
func (m *meeting) put(ctx context.Context, name string, data []byte) error {
	own := m.partOf(m.self.ID)
	if err := m.Storage.Put(ctx, m.path(own, name), data); err != nil {
		return err
	}
	m.result.BytesWritten += int64(len(data))
	own.files[name] = File{Name: m.path(own, name), Size: int64(len(data))}
	return nil
}
