package operate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/store/postgres"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/keys"
)

// pagesDoctor examines the store of a running server for its pages, as satchel doctor does
// beside the server. It asks nobody anything.
type pagesDoctor struct {
	app  *cli.App
	open *cli.Session // of the server
}

var _ server.Doctor = pagesDoctor{}

// Examine runs doctor.
func (p pagesDoctor) Examine(ctx context.Context, mend bool) ([]server.Finding, error) {
	quiet := *p.app
	quiet.Ctx, quiet.In, quiet.Out, quiet.Err, quiet.Quiet = ctx, strings.NewReader(""), io.Discard, io.Discard, true
	h, conf, err := quiet.ExistingStore()
	if err != nil {
		return nil, err
	}
	d := &doctor{app: &quiet, home: h, config: conf, all: !h.InDatabase()}
	d.look()
	if mend && ctx.Err() == nil {
		d.mend()
	}
	all := make([]server.Finding, len(d.findings))
	for i, f := range d.findings {
		all[i] = server.Finding{Check: f.Check, Message: f.Message, OK: f.OK, Remedy: f.Mend, Mends: !f.OK && f.fix != nil}
	}
	return all, ctx.Err()
}

// Facts describes the store: what it is, its size, and whether its keys are sealed.
func (p pagesDoctor) Facts(ctx context.Context) []server.Fact {
	h := p.open.Home
	facts := []server.Fact{{Name: "Kind", Value: "a file of this machine (SQLite)"}}
	switch s := p.open.Store.(type) {
	case *sqlite.Store:
		facts = append(facts, server.Fact{Name: "Schema", Value: fmt.Sprint(s.Schema())})
	case *postgres.Store:
		facts[0].Value = "a database (PostgreSQL)"
	}
	if !h.InDatabase() {
		facts = append(facts, fileFacts(h)...)
	} else if info, err := p.open.Vault.Owner(ctx, p.open.Operator(), p.open.Config.Owner); err == nil {
		facts = append(facts, server.Fact{Name: "Memories", Value: fmt.Sprint(info.Records)})
	}
	sealed := "no: whoever can read the folder of the store can sign as you"
	if isSealed(h) {
		sealed = "yes, with a passphrase"
	}
	return append(facts, server.Fact{Name: "Keys sealed", Value: sealed})
}

// fileFacts tells how large the files of a store are, and how much room there is.
func fileFacts(h cli.Home) (facts []server.Fact) {
	size := int64(0)
	for _, path := range []string{h.Database(), h.Database() + "-wal"} {
		if info, err := os.Stat(path); err == nil {
			size += info.Size()
		}
	}
	facts = append(facts, server.Fact{Name: "Size", Value: mebibytes(uint64(size))})
	if free, err := freeSpace(h.Dir); err == nil {
		facts = append(facts, server.Fact{Name: "Free on its disk", Value: mebibytes(free)})
	}
	return facts
}

func mebibytes(n uint64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }

// isSealed reports whether the owner's key needs a passphrase.
func isSealed(h cli.Home) bool {
	_, err := keys.ReadFile(h.Key(cli.OwnerKey), nil)
	return errors.Is(err, keys.ErrSealed)
}
