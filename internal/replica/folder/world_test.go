package folder_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/folder"
	"github.com/satchel-memory/satchel/internal/replica/pack"
	"github.com/satchel-memory/satchel/keys"
)

// shelf is a storage in memory. before and after are asked at each change or look.
type shelf struct {
	files         map[string][]byte
	before, after func(act, name string) error
	acts          int
}

func newShelf() *shelf { return &shelf{files: map[string][]byte{}} }

func (s *shelf) act(act, name string, do func() error) error {
	s.acts++
	if s.before != nil {
		if err := s.before(act, name); err != nil {
			return err
		}
	}
	err := do()
	if s.after != nil && err == nil {
		err = s.after(act, name)
	}
	return err
}

func (s *shelf) List(_ context.Context, dir string) ([]folder.File, error) {
	var all []folder.File
	err := s.act("list", dir, func() error {
		for name, data := range s.files {
			if strings.HasPrefix(name, dir+"/") {
				all = append(all, folder.File{Name: name, Size: int64(len(data))})
			}
		}
		return nil
	})
	return all, err
}

func (s *shelf) Get(_ context.Context, name string, most int64) ([]byte, error) {
	var data []byte
	err := s.act("get", name, func() error {
		found, ok := s.files[name]
		if !ok {
			return fs.ErrNotExist
		}
		if int64(len(found)) > most {
			return replica.ErrTooLarge
		}
		data = bytes.Clone(found)
		return nil
	})
	return data, err
}

func (s *shelf) Put(_ context.Context, name string, data []byte) error {
	return s.act("put", name, func() error { s.files[name] = bytes.Clone(data); return nil })
}

func (s *shelf) Delete(_ context.Context, name string) error {
	return s.act("delete", name, func() error { delete(s.files, name); return nil })
}

// copy returns the shelf as it is now.
func (s *shelf) copy() map[string][]byte { return maps.Clone(s.files) }

// machine is one machine with all that it keeps.
type machine struct {
	*notes
	remotes  remotes
	key      keys.Private
	identity string
	owner    keys.Private
}

// key makes a key of a name, the same each time.
func key(t testing.TB, name string) keys.Private {
	t.Helper()
	seed := sha256.Sum256([]byte(name))
	made, err := keys.FromSeed(seed[:])
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// newMachine makes a machine of an owner that knows no other.
func newMachine(t testing.TB, owner keys.Private, name string) *machine {
	t.Helper()
	identity, recipient, err := pack.NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{key: key(t, "machine "+name), identity: identity, owner: owner, remotes: remotes{}}
	self := replica.Machine{ID: m.key.DID(), Name: name, Recipient: recipient, Added: added()}.Proven(m.key).Signed(owner)
	m.notes = &notes{Owner: owner.DID(), Me: self, Items: map[string]*held{}, secret: owner.Secret("marks")}
	m.learn(self)
	return m
}

// pair lets machines know each other.
func pair(all ...*machine) {
	for _, m := range all {
		for _, other := range all {
			if m != other {
				m.learn(other.Me)
			}
		}
	}
}

// family makes machines that know each other, with small packs.
func family(t testing.TB, names ...string) []*machine {
	t.Helper()
	ada := key(t, "ada")
	var all []*machine
	for _, name := range names {
		all = append(all, newMachine(t, ada, name))
	}
	pair(all...)
	return all
}

func (m *machine) note(key, text string) { m.remember(m.owner, key, text) }

// backup copies a machine with all that it keeps.
func (m *machine) backup(t testing.TB) *machine {
	t.Helper()
	text, err := json.Marshal(m.notes)
	if err != nil {
		t.Fatal(err)
	}
	c := *m
	c.notes = &notes{secret: m.secret}
	if err := json.Unmarshal(text, c.notes); err != nil {
		t.Fatal(err)
	}
	c.remotes = maps.Clone(m.remotes)
	return &c
}

func (m *machine) options(s folder.Storage) folder.Options {
	return folder.Options{Name: "stick", Storage: s, Memory: m.notes, Remotes: m.remotes, Owner: m.owner.DID(),
		Secret: m.owner.Secret(folder.SecretPurpose), Key: m.key, Identity: m.identity, Random: rand.Reader, Now: added, PackSize: 500}
}

func (m *machine) sync(t testing.TB, s folder.Storage) folder.Result {
	t.Helper()
	r, err := folder.Sync(context.Background(), m.options(s))
	if err != nil {
		t.Fatalf("%s: %v", m.Me.Name, err)
	}
	return r
}

// quiet syncs, and expects no trouble.
func (m *machine) quiet(t testing.TB, s folder.Storage) folder.Result {
	t.Helper()
	r := m.sync(t, s)
	if len(r.Troubles) > 0 {
		t.Errorf("%s is told %v", m.Me.Name, r.Troubles)
	}
	return r
}

// settle lets machines meet until all have heard of all.
func settle(t testing.TB, s folder.Storage, all ...*machine) {
	t.Helper()
	for range 3 {
		for _, m := range all {
			m.sync(t, s)
		}
	}
}

// alike expects that all machines say the same.
func alike(t testing.TB, all ...*machine) {
	t.Helper()
	for _, m := range all[1:] {
		if m.says() != all[0].says() {
			t.Errorf("%s says\n%s\n%s says\n%s", all[0].Me.Name, all[0].says(), m.Me.Name, m.says())
		}
	}
}

// has expects that a machine holds a text.
func (m *machine) has(t testing.TB, text string) {
	t.Helper()
	if !strings.Contains(m.says(), text) {
		t.Errorf("%s has forgotten %q", m.Me.Name, text)
	}
}

// told expects troubles of certain kinds, each at least once, and no other.
func told(t testing.TB, r folder.Result, faults ...replica.Fault) {
	t.Helper()
	var got []replica.Fault
	for _, trouble := range r.Troubles {
		got = append(got, trouble.Fault)
	}
	slices.Sort(got)
	got = slices.Compact(got)
	slices.Sort(faults)
	if !slices.Equal(got, faults) {
		t.Errorf("told %q, want %q: %v", got, faults, r.Troubles)
	}
}

// partsOf returns the files of a machine by their kind: head, packs.
func (s *shelf) partOf(t testing.TB, m *machine) (head string, packs []string) {
	t.Helper()
	before := s.files
	defer func() { s.files = before }()
	mine := newShelf()
	// A part is named by its machine's key: that of an empty copy on an empty shelf shows it.
	blank := newMachine(t, m.owner, m.Me.Name)
	blank.sync(t, mine)
	var tag string
	for name := range mine.files {
		tag = path.Dir(name)
	}
	for name := range before {
		switch {
		case path.Dir(name) != tag:
		case path.Base(name) == "head.age":
			head = name
		default:
			packs = append(packs, name)
		}
	}
	slices.Sort(packs)
	return head, packs
}

// opened decrypts each file with all keys there are, and returns all that is readable.
func (s *shelf) opened(t testing.TB, all ...*machine) string {
	t.Helper()
	var out strings.Builder
	for name, data := range s.files {
		for _, m := range all {
			body, _, err := pack.OpenBody("message", data, pack.Reader{Owner: m.owner.DID(), Identity: m.identity})
			if err == nil {
				fmt.Fprintf(&out, "%s: %s\n", name, body)
			}
		}
	}
	return out.String()
}
