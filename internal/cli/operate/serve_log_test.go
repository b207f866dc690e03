package operate

import (
	"errors"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/cli/clitest"
)

func TestServeLog(t *testing.T) {
	for form, want := range map[string]string{"text": "op=read", "json": `"op":"read"`} {
		a, _, messages := clitest.Person(t, t.Context())
		c := ServeCmd{Log: form}
		c.logger(a).Error("vault", "op", "read", "id", "urn:ump:canary", "err", errors.New("disk"))
		if said := messages.String(); !strings.Contains(said, want) || !strings.Contains(said, "disk") || strings.Contains(said, "canary") {
			t.Errorf("%s: %s", form, said)
		}
		a.Quiet = true
		before := messages.String()
		c.logger(a).Error("vault")
		if messages.String() != before {
			t.Errorf("%s: quiet, and it says something", form)
		}
	}
}

// The line at the start names every address and the file of the token.
func TestServeAnnounces(t *testing.T) {
	a, _, messages := clitest.Person(t, t.Context())
	(&ServeCmd{Agents: true}).announce(a, nil, "127.0.0.1:7777", "/home/ana/token")
	want := "serving http://127.0.0.1:7777/ump, http://127.0.0.1:7777/mcp, http://127.0.0.1:7777/aaif, http://127.0.0.1:7777/v1/brain " +
		"and http://127.0.0.1:7777/v1/context; your token is in /home/ana/token\n"
	if got := messages.String(); got != want {
		t.Errorf("says %q, want %q", got, want)
	}
}
