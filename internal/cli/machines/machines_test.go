package machines

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"rsc.io/qr"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

func TestParsePairingAddress(t *testing.T) {
	const code = "acorn-actor-album-amber"
	for typed, want := range map[string]string{
		code + "@192.168.1.4:4321": "https://192.168.1.4:4321 passing", "Acorn Actor album AMBER@[fd00::1]:1": "https://[fd00::1]:1 passing",
		code + "@https://memory.example": "https://memory.example", " " + code + "@http://127.0.0.1:7777\n": "http://127.0.0.1:7777",
		code: "", code + "@": "", "@host:1": "", code + "@host": "", code + "@http://memory.example": "", "acorn@host:1": "", code + "@ftp://x": "",
	} {
		p, err := parsePairingAddress(typed)
		got := p.url
		if p.temporary {
			got += " passing"
		}
		if err != nil {
			got = ""
			if cli.StatusOf(err) != cli.ExitUsage {
				t.Errorf("%q: %v is no error of the command line", typed, err)
			}
		}
		if got != want {
			t.Errorf("%q: %q %v, not %q", typed, got, err, want)
		}
	}
}

func TestNewRemote(t *testing.T) {
	for address, want := range map[string]string{
		"https://memory.example/x": "memory.example", "http://127.0.0.1:7777": "127.0.0.1:7777", "webdav+https://cloud.example/remote.php/dav/files/ana/Satchel/": "Satchel",
		"s3+https://s3.example/bucket/folder": "folder", "/media/stick": "stick", "/": "remote",
		"http://memory.example": "", "ftp://x/y": "", "https://u:p@x": "",
	} {
		r, err := newRemote(address, "", Access{})
		if err != nil {
			r.Name = ""
		}
		if r.Name != want {
			t.Errorf("%s: %q %v, not %q", address, r.Name, err, want)
		}
	}
	if r, err := newRemote("folder", "", Access{Password: "secret"}); err != nil || !filepath.IsAbs(r.Address) || !filepath.IsAbs(r.Password) {
		t.Errorf("%+v %v", r, err)
	}
}

func newTestHome(t *testing.T) cli.Home {
	t.Helper()
	h := cli.Home{Dir: t.TempDir()}
	if err := h.Make(); err != nil {
		t.Fatal(err)
	}
	return h
}

// TestState: programs that note something at once lose nothing, and what is remembered is
// bounded.
func TestState(t *testing.T) {
	h := newTestHome(t)
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			if err := changeState(h, "did:key:a", func(s *ownerState) error { return s.add(remote{Name: "x", Address: fmt.Sprint(n)}) }); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	s, err := readState(h)
	if err != nil || len(s.of("did:key:a").Remotes) != 8 || len(s.of("did:key:b").Remotes) != 0 {
		t.Fatalf("%+v %v", s.of("did:key:a"), err)
	}
	names := map[string]bool{}
	for _, r := range s.of("did:key:a").Remotes {
		names[r.Name] = true
	}
	if len(names) != 8 {
		t.Errorf("%v", names)
	}
	if info, err := os.Stat(stateFile(h)); err != nil || cli.OpenToOthers(info) {
		t.Errorf("others read it: %v", err)
	}
	own := s.of("did:key:a")
	for n := range 3 * mostAsking {
		own.asks(replica.Machine{ID: memory.DID(fmt.Sprint(n % (2 * mostAsking)))})
	}
	if len(own.Asking) != mostAsking {
		t.Errorf("%d ask", len(own.Asking))
	}
	refused := errors.New("no")
	if err := changeState(h, "did:key:a", func(s *ownerState) error { s.Remotes = nil; return refused }); !errors.Is(err, refused) {
		t.Error(err)
	}
	if s, err = readState(h); err != nil || len(s.of("did:key:a").Remotes) != 8 {
		t.Error("a change that failed is kept")
	}
	if err := os.WriteFile(stateFile(h), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readState(h); !errors.Is(err, cli.ErrDamaged) {
		t.Error(err)
	}
}

// TestMachineKey: the machine's key opens with the owner's key alone, and is made once.
func TestMachineKey(t *testing.T) {
	h := newTestHome(t)
	owner, err := keys.Generate(bytes.NewReader(bytes.Repeat([]byte{1}, 32)))
	if err != nil {
		t.Fatal(err)
	}
	other, err := keys.Generate(bytes.NewReader(bytes.Repeat([]byte{2}, 32)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readMachine(h, owner); !errors.Is(err, errNoMachine) {
		t.Error(err)
	}
	m, err := newMachine(time.Now())
	if err == nil {
		err = m.Write(h, owner)
	}
	if err != nil {
		t.Fatal(err)
	}
	if back, err := readMachine(h, owner); err != nil || back.Key.DID() != m.Key.DID() || back.entry().Recipient != m.Recipient || back.Name != m.Name || !back.Made.Equal(m.Made) {
		t.Errorf("%+v %v", back, err)
	}
	if _, err := readMachine(h, other); err == nil || strings.Contains(err.Error(), "damaged") {
		t.Error(err)
	}
	if m.Write(h, owner) == nil {
		t.Error("a machine's key is overwritten")
	}
	data, err := os.ReadFile(h.Key(MachineKey))
	if err != nil || bytes.Contains(data, m.Key.Seed()) || bytes.Contains(data, []byte("AGE-SECRET")) {
		t.Error("the key lies there in the clear")
	}
}

// TestEnrollment: a gift for another machine, of another owner or without a key is none.
func TestEnrollment(t *testing.T) {
	owner, _ := keys.Generate(bytes.NewReader(bytes.Repeat([]byte{1}, 32)))
	other, _ := keys.Generate(bytes.NewReader(bytes.Repeat([]byte{2}, 32)))
	m, err := newMachine(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	host, err := newMachine(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	good := Enrollment{Seed: owner.Seed(), Machine: m.entry().Signed(owner), Machines: []replica.Machine{host.entry().Signed(owner)}}
	if key, err := good.key(m.entry()); err != nil || key.DID() != owner.DID() {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Enrollment){
		"no key": func(g *Enrollment) { g.Seed = nil }, "another key": func(g *Enrollment) { g.Seed = other.Seed() },
		"another machine": func(g *Enrollment) { g.Machine = host.entry().Signed(owner) }, "a removed machine": func(g *Enrollment) {
			e := m.entry()
			e.Removed = time.Now()
			g.Machine = e.Signed(owner)
		},
		"nobody else": func(g *Enrollment) { g.Machines = nil }, "a forged machine": func(g *Enrollment) { g.Machines = []replica.Machine{host.entry().Signed(other)} },
		"too many": func(g *Enrollment) { g.Machines = make([]replica.Machine, mostMachines+1) },
	} {
		g := good
		if spoil(&g); name != "" {
			if _, err := g.key(m.entry()); err == nil {
				t.Errorf("%s is taken", name)
			}
		}
	}
	for _, offer := range []string{"", "null", "{}", `{"ID":"did:key:x","Name":"n","Recipient":"age1"}`} {
		if _, err := readOffer([]byte(offer)); err == nil {
			t.Errorf("%q is taken for an offer", offer)
		}
	}
	if got := freeName("laptop", []replica.Machine{{Name: "laptop", ID: "a"}, {Name: "laptop-2", ID: "b"}, {Name: "laptop-3", ID: "c", Removed: time.Now()}}); got != "laptop-3" {
		t.Error(got)
	}
}

// TestNewMachines: a machine that another one has let in is told, also if a machine that was
// removed did so by one that had not heard of the removal.
func TestNewMachines(t *testing.T) {
	this, other := replica.Machine{ID: "did:key:a", Name: "desk"}, replica.Machine{ID: "did:key:b", Name: "laptop"}
	added := replica.Machine{ID: "did:key:c", Name: "phone"}
	gone := replica.Machine{ID: "did:key:d", Name: "lost", Removed: time.Now()}
	renamed := other
	renamed.Name, renamed.Renamed = "notebook", 1
	for _, c := range []struct {
		before, now []replica.Machine
		want        string
	}{
		{[]replica.Machine{this, other}, []replica.Machine{this, renamed}, ""},
		{[]replica.Machine{this, other}, []replica.Machine{added, this, other, gone}, "phone"},
		{[]replica.Machine{this}, []replica.Machine{this, other, added}, ""},
	} {
		if got := strings.Join(newMachines(c.before, c.now), " "); got != c.want {
			t.Errorf("%q, not %q", got, c.want)
		}
	}
	var said bytes.Buffer
	outcome{Remote: "stick", Machines: []string{"phone\x1b"}}.say(&cli.App{Out: io.Discard, Err: &said})
	if !strings.Contains(said.String(), "devices remove phone") || strings.Contains(said.String(), "\x1b") {
		t.Errorf("told: %q", said.String())
	}
}

func TestRetryDelay(t *testing.T) {
	for fails, want := range []time.Duration{syncEvery, firstRetry, 2 * firstRetry, 4 * firstRetry} {
		if got := retryDelay(fails); got < want*3/4 || got > want*5/4 {
			t.Errorf("after %d failures %v, not about %v", fails, got, want)
		}
	}
	if got := retryDelay(1000); got > lastRetry*5/4 {
		t.Errorf("%v", got)
	}
}

func TestDraw(t *testing.T) {
	c, err := qr.Encode("acorn-actor-album-amber@192.168.1.4:4321", qr.L)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	draw(&out, c)
	lines := strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
	if want := (c.Size + 5) / 2; len(lines) != want || !strings.Contains(out.String(), "█") {
		t.Errorf("%d lines, not %d:\n%s", len(lines), want, out.String())
	}
}
