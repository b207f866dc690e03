package replicate_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/folder"
	"github.com/satchel-memory/satchel/internal/replica/pack"
	"github.com/satchel-memory/satchel/internal/replica/place"
	"github.com/satchel-memory/satchel/internal/vault/replicate"
	"github.com/satchel-memory/satchel/memory"
)

// remotes keeps what a machine knows about remotes.
type remotes map[string][]byte

func (r remotes) Remote(_ context.Context, name string) ([]byte, error) { return r[name], nil }

func (r remotes) SetRemote(_ context.Context, name string, old, now []byte) error {
	if !bytes.Equal(r[name], old) {
		return replica.ErrBusy
	}
	r[name] = now
	return nil
}

// traveller is a machine that meets others in folders.
type traveller struct {
	*machine
	identity string
	remotes  remotes
}

// travellers gives machines keys to encrypt to, and lets them know each other's.
func travellers(t *testing.T, all []*machine) []*traveller {
	t.Helper()
	var found []*traveller
	for i, m := range all {
		identity, recipient, err := pack.NewIdentity()
		if err != nil {
			t.Fatal(err)
		}
		entry := replica.Machine{ID: m.key.DID(), Name: fmt.Sprint("machine ", i), Renamed: 1, Recipient: recipient, Added: m.Self().Added}.Proven(m.key).Signed(m.House.Key)
		for _, other := range all {
			if err := replicate.Admit(other.Ctx, other.Vault, memory.Caller{Owner: other.House.Key.DID(), Role: memory.Owner}, entry); err != nil {
				t.Fatal(err)
			}
		}
		found = append(found, &traveller{m, identity, remotes{}})
	}
	for _, m := range found {
		again, err := replicate.Of(m.Ctx, m.Vault, m.House.Key.DID(), m.key.DID())
		if err != nil {
			t.Fatal(err)
		}
		m.Memory = again
	}
	return found
}

func (m *traveller) meet(t *testing.T, s folder.Storage) folder.Result {
	t.Helper()
	owner := m.House.Key
	r, err := folder.Sync(m.Ctx, folder.Options{Name: "stick", Storage: s, Memory: m.Memory, Remotes: m.remotes, Owner: owner.DID(),
		Secret: owner.Secret(folder.SecretPurpose), Key: m.key, Identity: m.identity, Random: rand.Reader, Now: func() time.Time { return m.House.Now }, PackSize: 4 << 10})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Troubles) > 0 {
		t.Errorf("%s is told %v", m.Self().Name, r.Troubles)
	}
	return r
}

// Machines meet in a folder: each has what the others wrote, what was erased is in no pack
// and on no machine, and a meeting with nothing new writes nothing.
func TestMachinesMeetInAFolder(t *testing.T) {
	all := machines(t, 3, embedded)
	them := travellers(t, all)
	dir := t.TempDir()
	s, err := place.OpenLocal(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	round := func() {
		for range 2 {
			for _, m := range them {
				m.meet(t, s)
			}
		}
	}
	secret := all[0].Tell("SECRETTEXT lives in Lyon")
	for i, m := range all {
		for n := range 20 {
			m.Tell(fmt.Sprintf("memory %d of machine %d", n, i))
		}
	}
	round()
	alike(t, all)
	if n := all[2].Count(); n != 61 {
		t.Errorf("there are %d memories, want 61", n)
	}
	if !strings.Contains(opened(t, dir, them), "SECRETTEXT") {
		t.Fatal("the text is in no pack to begin with")
	}
	all[1].forget(t, memory.ForgetRequest{ID: secret, Reason: memory.Incorrect, Hard: true})
	if r := them[1].meet(t, s); r.Cleared == 0 {
		t.Errorf("the erasure clears nothing: %+v", r)
	}
	if strings.Contains(opened(t, dir, them), "SECRETTEXT") {
		t.Error("the text is still in a pack")
	}
	round()
	alike(t, all)
	if n := all[0].Count(); n != 60 {
		t.Errorf("there are %d memories, want 60", n)
	}
	round()
	for _, m := range them {
		if r := m.meet(t, s); r.BytesWritten > 0 || r.PacksRead > 0 {
			t.Errorf("nothing is new, and %s does %+v", m.Self().Name, r)
		}
	}
}

// opened decrypts the packs in a folder with all keys.
func opened(t *testing.T, dir string, them []*traveller) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		for _, m := range them {
			if body, _, openErr := pack.OpenBody("message", data, pack.Reader{Owner: m.House.Key.DID(), Identity: m.identity}); openErr == nil {
				out.Write(body)
				break
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}
