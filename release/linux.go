package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // nfpm knows the formats that are linked
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

// removed is what a package manager runs after it removed the program.
//
//go:embed parts/removed.sh
var removed []byte

// linuxPackages writes packages for Debian, Fedora and their relatives. They hold the same files.
func (r *release) linuxPackages() error {
	for _, p := range platforms {
		if p.os != "linux" {
			continue
		}
		for _, format := range []string{"deb", "rpm"} {
			data, err := r.linuxPackage(p, format)
			if err != nil {
				return fmt.Errorf("%s of %s: %w", format, p, err)
			}
			if err := r.put(r.asset(p, "."+format), data); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *release) linuxPackage(p platform, format string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "satchel-package-") // nfpm reads files
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	script := filepath.Join(dir, "removed.sh")
	if err := os.WriteFile(script, removed, 0o755); err != nil {
		return nil, err
	}
	placed, err := r.placed(p, format)
	if err != nil {
		return nil, err
	}
	var contents files.Contents
	for i, f := range placed {
		source := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(source, f.data, 0o644); err != nil {
			return nil, err
		}
		contents = append(contents, &files.Content{Source: source, Destination: "/" + f.name,
			FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: fs.FileMode(f.mode), MTime: r.at}})
	}
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: programName, Arch: p.arch, Platform: "linux", Version: r.version, VersionSchema: "semver", Release: "1",
		Section: "utils", Priority: "optional", Maintainer: maintainer, Description: summary + "\n" + description,
		Vendor: authors, Homepage: homepage, License: r.licence, MTime: r.at,
		Overridables: nfpm.Overridables{
			Contents: contents, Scripts: nfpm.Scripts{PostRemove: script},
			Recommends: []string{"ca-certificates"}, // for servers of models and databases that the owner names
			RPM:        nfpm.RPM{BuildHost: "localhost", Summary: summary, Packager: authors},
		},
	})
	packager, err := nfpm.Get(format)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = packager.Package(info, &out)
	return out.Bytes(), err
}

// placed are the files of a package at their places.
func (r *release) placed(p platform, format string) ([]entry, error) {
	completion := map[string]string{
		"completions/satchel.bash": "usr/share/bash-completion/completions/satchel",
		"completions/satchel.fish": "usr/share/fish/vendor_completions.d/satchel.fish",
		"completions/_satchel":     "usr/share/zsh/vendor-completions/_satchel",
		"LICENSE":                  "usr/share/doc/satchel/copyright",
		"README.md":                "usr/share/doc/satchel/README.md",
	}
	if format == "rpm" {
		completion["completions/_satchel"] = "usr/share/zsh/site-functions/_satchel"
		completion["LICENSE"] = "usr/share/licenses/satchel/LICENSE"
	}
	unit, err := os.ReadFile(filepath.Join(r.root, "deploy", "user", "satchel.service"))
	if err != nil {
		return nil, err
	}
	placed := []entry{{"usr/bin/" + programName, 0o755, r.programs[p]}, {"usr/lib/systemd/user/satchel.service", 0o644, unit}}
	for _, t := range r.texts {
		name, packed := completion[t.name], t.data
		switch {
		case strings.HasPrefix(t.name, "man/"):
			name = "usr/share/man/man1/" + filepath.Base(t.name) + ".gz"
		case t.name == "licences.txt":
			name = "usr/share/doc/satchel/licences.txt.gz"
		case name == "":
			continue
		}
		if strings.HasSuffix(name, ".gz") {
			if packed, err = gzipped(t.data); err != nil {
				return nil, err
			}
		}
		placed = append(placed, entry{name, t.mode, packed})
	}
	return placed, nil
}
