package main

import (
	"bytes"
	"debug/macho"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestBundles looks into the bundles for Claude Desktop.
func TestBundles(t *testing.T) {
	r := tiny(t)
	for _, c := range claudePlatforms {
		files := unzip(t, read(t, r, r.asset(c, ".mcpb")))
		m := manifestOf(t, files["manifest.json"])
		if m.Version != r.version || m.Server.EntryPoint == "" || m.Server.Config.Command != "${__dirname}/"+m.Server.EntryPoint || len(m.Compatibility.Platforms) != 1 {
			t.Errorf("%s: %+v", c, m)
		}
		program := files[m.Server.EntryPoint]
		if c.os != "darwin" {
			if err := isFor(program, platform{c.os, "amd64"}); err != nil {
				t.Errorf("%s: %v", c, err)
			}
			continue
		}
		fat, err := macho.NewFatFile(bytes.NewReader(program))
		if err != nil {
			t.Fatal(err)
		}
		for i, arch := range []string{"amd64", "arm64"} {
			part := fat.Arches[i]
			if data := program[part.Offset : part.Offset+part.Size]; !bytes.Equal(data, r.programs[platform{"darwin", arch}]) || part.Offset%(1<<14) != 0 || isFor(data, platform{"darwin", arch}) != nil {
				t.Errorf("%s: %+v", arch, part.FatArchHeader)
			}
		}
	}
}

// bundleDocument is what a host reads of a manifest.
type bundleDocument struct {
	Version string
	Server  struct {
		EntryPoint string `json:"entry_point"`
		Config     struct {
			Command string
			Args    []string
			Env     map[string]string
		} `json:"mcp_config"`
	}
	Compatibility struct{ Platforms []string }
}

func manifestOf(t *testing.T, data []byte) (m bundleDocument) {
	t.Helper()
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestBundleTool lets the project's own tool validate and unpack a bundle, and starts its server as the
// manifest says.
func TestBundleTool(t *testing.T) {
	need(t, "node")
	tool, err := filepath.Abs(filepath.Join("mcpb", "node_modules", "@anthropic-ai", "mcpb", "dist", "cli", "cli.js"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(tool); err != nil {
		t.Skip("skipped: @anthropic-ai/mcpb is not installed; make test-packages does so")
	}
	unpacked := func(t *testing.T, r *release, c claudePlatform) string {
		dir := filepath.Join(t.TempDir(), "extension")
		command(t, "node", tool, "unpack", filepath.Join(r.out, r.asset(c, ".mcpb")), dir)
		if said := command(t, "node", tool, "validate", filepath.Join(dir, "manifest.json")); !strings.Contains(said, "passes") {
			t.Error(said)
		}
		return dir
	}
	t.Run("tiny", func(t *testing.T) {
		r := tiny(t)
		for _, c := range claudePlatforms {
			unpacked(t, r, c)
		}
	})
	t.Run("whole", func(t *testing.T) {
		r := built(t)
		if here != (platform{"linux", "amd64"}) {
			t.Skip("skipped: the bundle for Linux is for amd64")
		}
		dir := unpacked(t, r, claudePlatforms[2])
		data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
		if err != nil {
			t.Fatal(err)
		}
		m := manifestOf(t, data)
		home := t.TempDir()
		start := func(arguments ...string) *exec.Cmd {
			c := exec.Command(strings.ReplaceAll(m.Server.Config.Command, "${__dirname}", dir), arguments...)
			c.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
			return c
		}
		remembers(t, start(m.Server.Config.Args...))
	})
}
