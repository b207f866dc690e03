package service

import (
	"strings"
	"testing"
)

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
