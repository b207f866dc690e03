// Command release builds everything that people install: programs, archives, packages, an image, and
// their checksums and signature. The same sources give the same bytes: it reads no clock, no name of
// this machine and no file outside of the sources and Go's caches, except the key that signs.
//
//	cd release && go run . -stamp v1.2.3 -time 1767225600 -out ../dist -key ~/.ssh/satchel_release
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// release is one release while it is built.
type release struct {
	root    string    // of the sources
	out     string    // the folder for the files
	stamp   string    // what the program says to --version, with or without a v
	version string    // the same as a version of packages, see [packageVersion]
	at      time.Time // of the commit; the time of every file
	key     string    // the file of the key that signs; "" signs nothing

	programs map[platform][]byte
	licence  string  // of the program, as SPDX spells it
	texts    []entry // what every archive holds beside the program
}

func main() {
	r := &release{}
	flag.StringVar(&r.root, "root", "..", "the `folder` of the sources")
	flag.StringVar(&r.out, "out", "../dist", "the `folder` for the files, missing or empty")
	flag.StringVar(&r.stamp, "stamp", "", "the `tag` or revision of the sources")
	seconds := flag.Int64("time", 0, "the time of the commit, in `seconds` since 1970")
	flag.StringVar(&r.key, "key", "", "the `file` of an OpenSSH private key that signs the checksums")
	flag.Parse()
	r.at = time.Unix(*seconds, 0).UTC()
	if err := r.run(*seconds); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func (r *release) run(seconds int64) error {
	switch {
	case r.stamp == "":
		return errors.New("-stamp is missing: name the tag or the revision of the sources")
	case seconds <= 0:
		return errors.New("-time is missing: name the time of the commit, such as $(git log -1 --format=%ct)")
	}
	if err := r.prepare(); err != nil {
		return err
	}
	if err := r.compile(); err != nil {
		return err
	}
	if err := r.document(); err != nil {
		return err
	}
	if err := r.assemble(); err != nil {
		return err
	}
	return r.sign()
}

// prepare derives the version and makes the folder.
func (r *release) prepare() (err error) {
	r.version = packageVersion(r.stamp)
	if r.out, err = filepath.Abs(r.out); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	if entries, err := os.ReadDir(r.out); err != nil || len(entries) > 0 {
		return errors.Join(err, fmt.Errorf("%s holds files already: remove them first", r.out))
	}
	return nil
}

// assemble writes all files of the release but the checksums. It needs the programs and the texts.
func (r *release) assemble() error {
	for _, step := range []func() error{r.archives, r.bills, r.linuxPackages, r.images, r.npm, r.bundles, r.formula, r.manifest, r.registry} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// put writes one file of the release.
func (r *release) put(name string, data []byte) error {
	path := filepath.Join(r.out, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
