package operate

import (
	"errors"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/clitest"
	"github.com/satchel-memory/satchel/internal/embed/embedtest"
)

// TestEmbedKeyring: the system's keyring keeps the key of one server, until embed off.
func TestEmbedKeyring(t *testing.T) {
	keyring.MockInit()
	a, out, messages := clitest.Person(t, t.Context())
	server := embedtest.New(t)
	server.Keyed()
	use := &embedUseCmd{URL: server.URL, Model: "table", Keyring: true, Yes: true}
	a.In = strings.NewReader("\n" + embedtest.Key + "\n")
	if err := (&InitCmd{}).Run(a); err != nil {
		t.Fatal(err)
	}
	if err := use.Run(a); cli.StatusOf(err) != cli.ExitUsage {
		t.Errorf("an empty key: %v", err)
	}
	if err := use.Run(a); err != nil {
		t.Fatal(err)
	}
	if err := (&embedBackfillCmd{}).Run(a); err != nil {
		t.Error(err)
	}
	owner, err := a.Open(cli.Reading)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close()
	if kept, err := keyring.Get(cli.KeyringService, cli.EmbedUser(owner.Owner, server.URL)); kept != embedtest.Key {
		t.Errorf("the keyring has %q, %v", kept, err)
	}
	if err := (&embedOffCmd{Keep: true}).Run(a); err != nil {
		t.Error(err)
	}
	if _, err := keyring.Get(cli.KeyringService, cli.EmbedUser(owner.Owner, server.URL)); !errors.Is(err, keyring.ErrNotFound) {
		t.Errorf("after off the keyring still has the key: %v", err)
	}
	if said := out.String() + messages.String(); strings.Contains(said, embedtest.Key) {
		t.Errorf("the key is shown: %s", said)
	}
}
