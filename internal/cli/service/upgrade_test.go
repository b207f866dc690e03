package service

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/cli"
)

// TestReadRefuses reads records that are JSON, and not what install wrote: each is said to be
// damaged, and none is believed.
func TestReadRefuses(t *testing.T) {
	sum := strings.Repeat("0a", 32)
	for text, good := range map[string]bool{
		`{"sha256":"` + sum + `"}`: true, `{"sha256":"` + sum + `","upgrade":{"next":{"sha256":"` + sum + `"}}}`: true,
		`{}`: false, `{"sha256":"0a0a"}`: false, `{"sha256":"` + sum + `","upgrade":{"next":{}}}`: false, `[]`: false,
		`{"sha256":"../../../../../../../../../../../../../../../../../../../../x"}`: false,
	} {
		s := &service{dir: t.TempDir()}
		if err := os.WriteFile(filepath.Join(s.dir, "service.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := s.read(); errors.Is(err, cli.ErrDamaged) == good || s.known != good {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestWentBack reads the message about an upgrade that was undone, with and without a store
// that the new release had changed.
func TestWentBack(t *testing.T) {
	was := record{Program: "/bin/satchel", Release: "one", Upgrade: &upgrade{Next: record{Release: "two"}, Why: "no answer\n", Backup: "/b.tar"}}
	if said := wentBack(was, was); said != "the upgrade to two was undone, and the service runs one again: no answer\nthe backup from before is /b.tar" {
		t.Errorf("the store did not change: %s", said)
	}
	now := was
	now.Program = "/copy"
	was.Upgrade.Aside = "/store.of-two"
	said := wentBack(was, now)
	for _, want := range []string{"is in /store.of-two", "end them, and start them again", "put it in the place of /bin/satchel"} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q: %s", want, said)
		}
	}
}
