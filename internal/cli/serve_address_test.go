package cli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/satchel-memory/satchel/internal/access"
	"github.com/satchel-memory/satchel/internal/cli"
)

// The address of a running server is found while it runs, and no longer; a second server
// of the same store does not take its place.
func TestPagesAddress(t *testing.T) {
	h := cli.Home{Dir: t.TempDir()}
	if got := cli.RunningPages(h); got != "" {
		t.Errorf("without a server: %q", got)
	}
	withdraw := cli.PublishPages(h, "http://m-0a1b2c3d.localhost:7777")
	cli.PublishPages(h, "http://m-0a1b2c3d.localhost:9999")()
	if got := cli.RunningPages(h); got != "http://m-0a1b2c3d.localhost:7777" {
		t.Errorf("while it runs: %q", got)
	}
	if info, err := os.Stat(filepath.Join(h.Dir, "serve.addr")); err != nil || access.OpenToOthers(filepath.Join(h.Dir, "serve.addr"), info) {
		t.Errorf("others may read it: %v %v", info, err)
	}
	withdraw()
	if err := os.WriteFile(filepath.Join(h.Dir, "serve.addr"), []byte("http://127.0.0.1:1/\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := cli.RunningPages(h); got != "" {
		t.Errorf("what a dead server left behind is believed: %q", got)
	}
	cli.PublishPages(cli.Home{Dir: h.Dir + "/nowhere"}, "x")() // which stops no server
}
