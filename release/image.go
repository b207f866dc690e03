package main

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// images writes an image for containers for each processor: the program, certificates of authorities and
// the licences. There is no shell in it, no root and nothing to write to.
func (r *release) images() error {
	for _, p := range platforms {
		if p.os != "linux" {
			continue
		}
		image, err := r.image(p)
		if err != nil {
			return err
		}
		if err := r.putImage(r.asset(p, ".image.tar"), p, image); err != nil {
			return err
		}
	}
	return nil
}

// image makes the image: a server, as docs/operate.md describes it.
func (r *release) image(p platform) (v1.Image, error) {
	var authorities bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil { // a plain file cannot say where an authority is not trusted
			if err := pem.Encode(&authorities, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
				return nil, err
			}
		}
	}
	var plain bytes.Buffer
	if err := writeTar(&plain, []entry{
		{"etc/ssl/certs/ca-certificates.crt", 0o644, authorities.Bytes()},
		{"licences/LICENSE", 0o644, r.text("LICENSE")},
		{"licences/licences.txt", 0o644, r.text("licences.txt")},
		{programName, 0o755, r.programs[p]},
	}, r.at); err != nil {
		return nil, err
	}
	layer, err := gzipped(plain.Bytes())
	if err != nil {
		return nil, err
	}
	diff, _, err := v1.SHA256(bytes.NewReader(plain.Bytes()))
	if err != nil {
		return nil, err
	}
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err := mutate.ConfigFile(base, &v1.ConfigFile{
		Architecture: p.arch, OS: p.os, Created: v1.Time{Time: r.at}, RootFS: v1.RootFS{Type: "layers"},
		Config: v1.Config{
			User: "65532:65532", Env: []string{"SATCHEL_HOME=/home/satchel"}, ExposedPorts: map[string]struct{}{"7777/tcp": {}}, StopSignal: "SIGTERM",
			Entrypoint: []string{"/" + programName},
			Cmd:        []string{"serve", "--addr", "0.0.0.0:7777", "--allow-remote", "--drain", "10s", "--log", "json"},
			Labels: map[string]string{
				"org.opencontainers.image.title": programName, "org.opencontainers.image.version": r.version, "org.opencontainers.image.source": homepage,
				"org.opencontainers.image.licenses": r.licence, "org.opencontainers.image.description": summary,
			},
		},
	})
	if err != nil {
		return nil, err
	}
	return mutate.Append(image, mutate.Addendum{
		Layer:   packedLayer{static.NewLayer(layer, types.OCILayer), diff, plain.Bytes()},
		History: v1.History{Created: v1.Time{Time: r.at}, CreatedBy: "make release"},
	})
}

// packedLayer is a compressed layer that knows its content.
type packedLayer struct {
	v1.Layer
	diff     v1.Hash
	unpacked []byte
}

// DiffID is the hash of the content.
func (l packedLayer) DiffID() (v1.Hash, error) { return l.diff, nil }

// Uncompressed returns the content.
func (l packedLayer) Uncompressed() (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(l.unpacked)), nil
}

// putImage writes an image as a layout of OCI in one file. A manifest of Docker's stands beside it, so
// that every docker load takes it, and podman, skopeo and crane besides.
func (r *release) putImage(name string, p platform, image v1.Image) error {
	dir, err := os.MkdirTemp("", "satchel-image-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	tag := programName + ":" + r.version
	at, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	if err := at.AppendImage(image, layout.WithPlatform(v1.Platform{OS: p.os, Architecture: p.arch}), layout.WithAnnotations(map[string]string{
		"org.opencontainers.image.ref.name": r.version, "io.containerd.image.name": "docker.io/library/" + tag,
	})); err != nil {
		return err
	}
	manifest, err := image.Manifest()
	if err != nil {
		return err
	}
	blob := func(h v1.Hash) string { return "blobs/sha256/" + h.Hex }
	docker, err := json.Marshal([]map[string]any{{"Config": blob(manifest.Config.Digest), "RepoTags": []string{tag}, "Layers": []string{blob(manifest.Layers[0].Digest)}}})
	if err != nil {
		return err
	}
	files := []entry{{"manifest.json", 0o644, docker}}
	if err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files = append(files, entry{filepath.ToSlash(strings.TrimPrefix(path, dir+string(filepath.Separator))), 0o644, data})
		return err
	}); err != nil {
		return err
	}
	var out bytes.Buffer
	if err := writeTar(&out, files, r.at); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return r.put(name, out.Bytes())
}
