package trust_test

import (
	"os"
	"testing"

	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/vault/rekey"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/keys"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// house is a [vaulttest.House] with what the tests of this package do with one.
type house struct{ *vaulttest.House }

// opener opens a fresh store of some kind.
type opener func(testing.TB) *house

// onEach is [vaulttest.OnEach] with houses of this package.
func onEach(t *testing.T, test func(*testing.T, opener)) {
	vaulttest.OnEach(t, func(t *testing.T, open vaulttest.Opener) {
		test(t, func(t testing.TB) *house { return &house{open(t)} })
	})
}

func (h *house) server() *house { return &house{h.Server()} }

func (h *house) rekey(to keys.Private) (*house, rekey.Report) {
	next, report := h.MustRekey(to)
	return &house{next}, report
}
