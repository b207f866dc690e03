package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// npmPackages returns the packages of a release by name: what package.json says, and the tarball.
func npmPackages(t *testing.T, r *release) (manifests map[string]map[string]any, tarballs map[string][]byte) {
	t.Helper()
	manifests, tarballs = map[string]map[string]any{}, map[string][]byte{}
	for _, data := range tree(t, filepath.Join(r.out, "npm")) {
		var m map[string]any
		if err := json.Unmarshal(untar(t, data)["package/package.json"], &m); err != nil {
			t.Fatal(err)
		}
		manifests[m["name"].(string)], tarballs[m["name"].(string)] = m, data
	}
	return manifests, tarballs
}

// TestNPMPackages holds the packages to each other: nothing runs at installation, and the one that people
// name asks for all others in the same version.
func TestNPMPackages(t *testing.T) {
	r := tiny(t)
	manifests, tarballs := npmPackages(t, r)
	needs := manifests[npmName]["optionalDependencies"].(map[string]any)
	if len(manifests) != 7 || len(needs) != 6 {
		t.Fatalf("%d packages, %v", len(manifests), needs)
	}
	for name, m := range manifests {
		if m["scripts"] != nil || m["dependencies"] != nil || m["version"] != r.version || m["license"] != "Apache-2.0" || name != npmName && needs[name] != r.version {
			t.Errorf("%s: %v", name, m)
		}
	}
	for _, p := range platforms {
		name := npmName + "-" + p.npmOS() + "-" + p.npmCPU()
		if err := isFor(untar(t, tarballs[name])["package/bin/"+p.binary()], p); err != nil || manifests[name]["os"].([]any)[0] != p.npmOS() {
			t.Errorf("%s: %v", name, err)
		}
	}
	need(t, "npm", "tar")
	for name, data := range tarballs { // npm would pack the same files
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "p.tgz"), data, 0o644); err != nil {
			t.Fatal(err)
		}
		command(t, "tar", "-xzf", filepath.Join(dir, "p.tgz"), "-C", dir)
		c := exec.Command("npm", "pack", "--json", "--offline", "--ignore-scripts")
		c.Dir = filepath.Join(dir, "package")
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var said []struct{ Filename string }
		if err := json.Unmarshal(out, &said); err != nil || len(said) != 1 || said[0].Filename != packed(name, r.version) {
			t.Fatalf("%s %v", out, err)
		}
		again, err := os.ReadFile(filepath.Join(c.Dir, said[0].Filename))
		if err != nil {
			t.Fatal(err)
		}
		same(t, untar(t, data), untar(t, again))
		if testing.Short() {
			break // npm takes a second for each
		}
	}
}

// npmRegistry serves the packages as the registry of npm does, and records what npm fetches.
func npmRegistry(t *testing.T, r *release) (address string, fetched func() []string) {
	t.Helper()
	manifests, tarballs := npmPackages(t, r)
	var mutex sync.Mutex
	var all []string
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		name, file, isFile := strings.Cut(strings.TrimPrefix(q.URL.Path, "/"), "/-/")
		m, ok := manifests[name]
		switch {
		case !ok:
			http.NotFound(w, q)
		case isFile:
			mutex.Lock()
			defer mutex.Unlock()
			all = append(all, file)
			_, _ = w.Write(tarballs[name])
		default:
			version := map[string]any{"dist": map[string]any{"tarball": server.URL + "/" + name + "/-/" + packed(name, r.version)}}
			for k, v := range m {
				version[k] = v
			}
			_ = json.NewEncoder(w).Encode(map[string]any{"name": name, "dist-tags": map[string]any{"latest": r.version}, "versions": map[string]any{r.version: version}})
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, func() []string { mutex.Lock(); defer mutex.Unlock(); return slices.Clone(all) }
}

// TestNPX goes from nothing to a first memory over MCP, by npx in an empty home: npm fetches the
// package and the one for this platform, and no other.
func TestNPX(t *testing.T) {
	r := built(t)
	need(t, "npx", "node")
	address, fetched := npmRegistry(t, r)
	home := t.TempDir()
	npx := func(arguments ...string) *exec.Cmd {
		c := exec.Command("npx", append([]string{"-y", npmName}, arguments...)...)
		c.Dir = home
		c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "npm_config_registry=" + address, "npm_config_update_notifier=false"}
		return c
	}
	remembers(t, npx("mcp"))
	out, err := npx("keys", "kit").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Recovery kit") {
		t.Fatalf("%v\n%s", err, out)
	}
	want := []string{packed(npmName, r.version), packed(npmName+"-"+here.npmOS()+"-"+here.npmCPU(), r.version)}
	if got := fetched(); len(got) != 2 || !slices.Contains(got, want[0]) || !slices.Contains(got, want[1]) {
		t.Errorf("npm fetched %q, want %q", got, want)
	}
	t.Run("exit status", func(t *testing.T) {
		c := npx("no-such-command")
		if err := c.Run(); err == nil || c.ProcessState.ExitCode() != exitCode(exec.Command(r.programFile(t), "no-such-command")) {
			t.Errorf("%v", err)
		}
	})
}

// exitCode runs a command and returns its status.
func exitCode(c *exec.Cmd) int {
	_ = c.Run()
	return c.ProcessState.ExitCode()
}

// remembers starts a server of MCP, lets it remember something, and asks for it.
func remembers(t *testing.T, server *exec.Cmd) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: server}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if got := session.InitializeResult().ServerInfo.Name; got != programName {
		t.Errorf("the server is %s", got)
	}
	for _, call := range []mcp.CallToolParams{
		{Name: "ump_remember", Arguments: map[string]any{"record": map[string]any{"body": map[string]any{"text": "The build uses pnpm."}}}},
		{Name: "ump_recall", Arguments: map[string]any{"query": "What does the build use?"}},
	} {
		answer, err := session.CallTool(ctx, &call)
		if err != nil || answer.IsError {
			t.Fatalf("%s: %v %+v", call.Name, err, answer)
		}
		if text, ok := answer.Content[0].(*mcp.TextContent); call.Name == "ump_recall" && (!ok || !strings.Contains(text.Text, "pnpm")) {
			t.Errorf("%+v", answer.Content[0])
		}
	}
}
