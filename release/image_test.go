package main

import (
	"bytes"
	"crypto/x509"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// TestImage reads an image in both ways: as a layout of OCI, and as docker load does.
func TestImage(t *testing.T) {
	r := tiny(t)
	for _, p := range platforms {
		if p.os != "linux" {
			continue
		}
		path := filepath.Join(r.out, r.asset(p, ".image.tar"))
		loaded, err := tarball.ImageFromPath(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		command(t, "tar", "-xf", path, "-C", dir)
		index, err := layout.ImageIndexFromPath(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate.Index(index); err != nil {
			t.Error(err)
		}
		listed, err := index.IndexManifest()
		if err != nil || len(listed.Manifests) != 1 || listed.Manifests[0].Platform.Architecture != p.arch {
			t.Fatalf("%+v %v", listed, err)
		}
		image, err := index.Image(listed.Manifests[0].Digest)
		if err != nil {
			t.Fatal(err)
		}
		for _, read := range []v1.Image{image, loaded} {
			config, err := read.ConfigFile()
			if err != nil || config.Config.User != "65532:65532" || config.Architecture != p.arch || config.Config.Entrypoint[0] != "/satchel" || !config.Created.Time.Equal(r.at) {
				t.Errorf("%+v %v", config, err)
			}
		}
		files := layerOf(t, image)
		if !bytes.Equal(files["satchel"], r.programs[p]) || len(files["licences/licences.txt"]) == 0 {
			t.Errorf("%s: the image holds %d files", p, len(files))
		}
		if !x509.NewCertPool().AppendCertsFromPEM(files["etc/ssl/certs/ca-certificates.crt"]) {
			t.Errorf("%s: no certificates", p)
		}
	}
}

// layerOf returns the files of the one layer of an image.
func layerOf(t *testing.T, image v1.Image) map[string][]byte {
	t.Helper()
	layers, err := image.Layers()
	if err != nil || len(layers) != 1 {
		t.Fatalf("%d layers: %v", len(layers), err)
	}
	in, err := layers[0].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	var data bytes.Buffer
	if _, err := data.ReadFrom(in); err != nil {
		t.Fatal(err)
	}
	return untar(t, data.Bytes())
}

// TestImageRuns makes the image's layer the root of a process, as an engine for containers does, and
// lets the program remember something there.
func TestImageRuns(t *testing.T) {
	r := built(t)
	need(t, "unshare", "tar", "chroot")
	image, err := tarball.ImageFromPath(filepath.Join(r.out, r.asset(here, ".image.tar")), nil)
	if err != nil {
		t.Fatal(err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	for name, data := range layerOf(t, image) {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	user, group, _ := strings.Cut(config.Config.User, ":")
	if os.Getuid() != 0 {
		t.Skip("skipped: only root makes a folder the root of a process")
	}
	inside := func(arguments ...string) string {
		// A folder in memory is the volume of the user; all else can only be read.
		script := `mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && mount -t tmpfs -o mode=1777 none "$0/licences" && ` +
			`for c in "init -q" "remember -q tea" "recall tea" "serve --help" "--version"; do ` +
			`SATCHEL_STORE=/licences/s chroot --userspec=` + user + ":" + group + ` "$0" ` + config.Config.Entrypoint[0] + ` $c || exit 1; done`
		return command(t, "unshare", append([]string{"--mount", "sh", "-c", script, root}, arguments...)...)
	}
	if said := inside(); !strings.Contains(said, "tea") || !strings.Contains(said, "satchel "+strings.TrimPrefix(r.stampOf(t), "v")) {
		t.Error(said)
	}
	if !slices.Contains(config.Config.Cmd, "serve") {
		t.Errorf("%q", config.Config.Cmd)
	}
}
