package main

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/source"
)

// isBundle reports whether a document is an AIMEM bundle.
func (d *document) isBundle() bool { return d.Format.Name == bundles }

// bundle opens the bundle that a document is, with progress where it is large. How
// its signature is looked at, o says.
func (d *document) bundle(a *app, o aimem.Options) (*aimem.Bundle, error) {
	src := d.Source
	if src.Size >= largeFrom {
		p := a.progressIn("read", "MiB")
		defer p.end()
		src.File = &watched{ReaderAt: src.File, progress: p}
	}
	return aimem.Open(src, o)
}

// largeFrom is from how many bytes a file is large enough for people to wonder.
const largeFrom = 16 << 20

// watched counts what is read of a file, for progress. A bundle is read several
// times.
type watched struct {
	io.ReaderAt
	progress *progress
	read     int64
}

// ReadAt reads, and counts.
func (w *watched) ReadAt(p []byte, off int64) (int, error) {
	n, err := w.ReaderAt.ReadAt(p, off)
	before := w.read >> 20
	w.read += int64(n)
	if w.read>>20 != before {
		w.progress.reached(int(w.read >> 20))
	}
	return n, err
}

// signatureBeside finds the signature of a bundle's file: the one that was named, or
// a file beside it (AIMEM 5.3, decision AD-24); nil: there is none. path is "-" for
// standard input, which has none beside it.
func signatureBeside(path, named string) (signature []byte, from string, err error) {
	candidates := []string{named}
	if named == "" {
		if path == source.Stdin {
			return nil, "", nil
		}
		candidates = aimem.SignatureNames(filepath.Base(path))
		for i, name := range candidates {
			candidates[i] = filepath.Join(filepath.Dir(path), name)
		}
	}
	for _, name := range candidates {
		data, err := readBounded(name, 2*maxSmall) // 64 KiB of message, in base64
		if errors.Is(err, fs.ErrNotExist) && named == "" {
			continue
		}
		if err != nil {
			return nil, "", err
		}
		signature, err := aimem.ParseSignatureFile(data)
		return signature, name, err
	}
	return nil, "", nil
}

// trusting returns how the keys of a producer are found: those that were given or,
// with none, those by which the owner of the store knows it. Without a store nobody
// is known.
func (a *app) trusting(given []string) (func(producer string) ([]aimem.Key, error), error) {
	var all []aimem.Key
	for _, arg := range given {
		found, _, err := a.keysNamed(arg)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return func(name string) (known []aimem.Key, err error) {
		if len(given) > 0 {
			return all, nil
		}
		h, err := a.home()
		if err != nil || !exists(h.config()) { // also where there is no place for a store
			return nil, nil
		}
		err = a.with(reading, func(o *opened) error {
			known, err = o.keysOf(a, name)
			return err
		})
		return known, err
	}, nil
}

// keysOf returns the keys by which the owner of the store knows a producer: of this
// store's own name also the one that signs here, where it can be opened.
func (o *opened) keysOf(a *app, name string) ([]aimem.Key, error) {
	known, err := o.Trusted(a.ctx, o.owner(), name)
	if err != nil || name != o.config.producer().Name {
		return known, err
	}
	if own, err := o.producerKey(); err == nil {
		known = append(known, aimem.PublicKey(own))
	}
	return known, nil
}
