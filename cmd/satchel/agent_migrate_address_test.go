//go:build unix

package main

import (
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif/aaiftest"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/clitest"
)

// What --to may say, and what is told where nothing takes checkpoints.
func TestAgentMigrateAddress(t *testing.T) {
	t.Parallel()
	here := newParty(t, t.Context())
	dir := t.TempDir()
	clerk, state, ca := filepath.Join(dir, "clerk.json"), filepath.Join(dir, "run.json"), filepath.Join(dir, "ca.pem")
	clitest.Put(t, clerk, aaiftest.Definition(aaiftest.AgentID, ""), time.Now())
	clitest.Put(t, state, aaiftest.Checkpoint().Append(nil), time.Now())
	here.does(cli.ExitDone, "agent", "add", clerk)

	var asked []string
	there := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		_, _ = io.Copy(io.Discard, r.Body)
		http.NotFound(w, r)
	}))
	defer there.Close()
	clitest.Put(t, ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: there.Certificate().Raw}), time.Now())
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()

	for name, c := range map[string]struct {
		to     string
		more   []string
		path   string // that was asked for last; "": nobody was asked
		says   string
		unsaid string
	}{
		"no platform":          {there.URL, nil, "/.well-known/aaif-manifest.json", "there is nothing of a platform at " + there.URL + "/.well-known/aaif-manifest.json (404)", "HTTP_404"},
		"alone":                {there.URL + "/", []string{"--audience", "there"}, "/aaif/states", "there is nothing of a platform at " + there.URL + "/aaif/states (404)", "HTTP_404"},
		"the folder of states": {there.URL + "/aaif", []string{"--audience", "there"}, "/aaif/states", "/aaif/states (404)", ""},
		"the same, streamed":   {there.URL + "/aaif/", []string{"--audience", "there", "--stream"}, "/aaif/handoff", "/aaif/handoff (404)", ""},
		"elsewhere":            {there.URL + "/in", []string{"--audience", "there"}, "/in", "/in (404)", ""},
		"plain at https":       {strings.Replace(plain.URL, "http:", "https:", 1), nil, "", "does not speak TLS, and a checkpoint leaves over nothing else", "use http"},
		"plain, and named":     {strings.Replace(plain.URL, "http:", "https:", 1), []string{"--audience", "there"}, "", "does not speak TLS", "may have left"},
		"of another name":      {strings.Replace(there.URL, "127.0.0.1", "localhost", 1), []string{"--audience", "there"}, "", "is for another name", "may have left"},
		"streamed to that":     {strings.Replace(there.URL, "127.0.0.1", "localhost", 1), []string{"--audience", "there", "--stream"}, "", "is for another name", "may have left"},
		"http at TLS":          {strings.Replace(there.URL, "https:", "http:", 1), nil, "", "TLS_REQUIRED: a checkpoint leaves over https only [AAIF-12-11]; write " + there.URL, ""},
	} {
		t.Run(name, func(t *testing.T) {
			asked = nil
			args := []string{"agent", "migrate", state, "--to", c.to, "--ca", ca}
			said := here.does(cli.ExitRefused, append(args, c.more...)...)
			if !strings.Contains(said, c.says) || c.unsaid != "" && strings.Contains(said, c.unsaid) {
				t.Errorf("%s, want %s", said, c.says)
			}
			if got := append(asked, "")[max(len(asked)-1, 0)]; got != c.path {
				t.Errorf("%q was asked, want %q", got, c.path)
			}
		})
	}
}
