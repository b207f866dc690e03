package documents

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/source"
)

// isBundle reports whether a document is an AIMEM bundle.
func (d *document) isBundle() bool { return d.Format.Name == bundles }

// bundle opens a document as a bundle, with progress if it is large. o says how to check
// its signature.
func (d *document) bundle(a *cli.App, o aimem.Options) (*aimem.Bundle, error) {
	src := d.Source
	if src.Size < largeFrom {
		return aimem.Open(src, o)
	}
	p := a.ProgressIn("checking: read", "MiB")
	w := &fileProgress{ReaderAt: src.File, progress: p}
	src.File = w
	b, err := aimem.Open(src, o)
	p.End()
	w.progress = nil // chunks count what is read from here on
	return b, err
}

// largeFrom is the size in bytes from which a file needs a progress display.
const largeFrom = 16 << 20

// fileProgress counts the bytes read from a file during a check, for progress. A check reads a
// bundle several times.
type fileProgress struct {
	io.ReaderAt
	progress *cli.Progress // nil: nobody watches
	read     int64
}

// ReadAt implements [io.ReaderAt], and counts the bytes.
func (w *fileProgress) ReadAt(p []byte, off int64) (int, error) {
	n, err := w.ReaderAt.ReadAt(p, off)
	if w.progress == nil {
		return n, err
	}
	before := w.read >> 20
	w.read += int64(n)
	if w.read>>20 != before {
		w.progress.Reached(int(w.read >> 20))
	}
	return n, err
}

// sidecar is the signature of a bundle's file, and the path that was searched.
type sidecar struct {
	signature []byte   // CBOR; nil: there is none
	from      string   // the file it is in
	tried     []string // the paths that were searched; none for standard input
}

// signatureBeside finds the signature of a bundle's file: the named one, or a file beside
// it (AIMEM 5.3, decision AD-24). path is "-" for standard input, which has none beside it.
func signatureBeside(path, named string) (sidecar, error) {
	var s sidecar
	switch {
	case named != "":
		s.tried = []string{named}
	case path != source.Stdin:
		for _, name := range aimem.SignatureNames(filepath.Base(path)) {
			s.tried = append(s.tried, filepath.Join(filepath.Dir(path), name))
		}
	}
	return s.found(named != "", func(name string) ([]byte, error) { return cli.ReadBounded(name, maxSignature) })
}

// maxSignature is 64 KiB of message, in base64.
const maxSignature = 2 * cli.MaxSmall

// signatureWithin finds the signature of a bundle that lies in a folder or an archive.
func signatureWithin(tree fs.FS, folder, bundle string) (sidecar, error) {
	var s sidecar
	for _, name := range aimem.SignatureNames(bundle) {
		s.tried = append(s.tried, filepath.Join(folder, name))
	}
	return s.found(false, func(name string) ([]byte, error) {
		f, err := tree.Open(filepath.Base(name))
		if err != nil {
			return nil, err
		}
		defer f.Close()
		data, err := io.ReadAll(io.LimitReader(f, maxSignature+1))
		if err == nil && len(data) > maxSignature {
			err = cli.Invalidf("%s is too large to be a signature", cli.Clean(name))
		}
		return data, err
	})
}

// found reads the first signature that exists.
func (s sidecar) found(must bool, read func(name string) ([]byte, error)) (sidecar, error) {
	for _, name := range s.tried {
		data, err := read(name)
		if errors.Is(err, fs.ErrNotExist) && !must {
			continue
		}
		if err != nil {
			return s, err
		}
		s.from = name
		s.signature, err = aimem.ParseSignatureFile(data)
		return s, s.advised(err, "")
	}
	return s, nil
}

// advised adds advice to the error about a bundle, above all about its signature. producer
// is the bundle's producer, if known.
func (s sidecar) advised(err error, producer string) error {
	f, ok := errors.AsType[*aimem.Fault](err)
	switch {
	case !ok:
		return err
	case f.Code == aimem.SignatureRequired && len(s.tried) == 0:
		return fmt.Errorf("%w: standard input has none beside it, --signature FILE names one", err)
	case f.Code == aimem.SignatureRequired:
		return fmt.Errorf("%w: it was looked for as %s; --signature FILE names another", err, cli.Clean(strings.Join(s.tried, ", ")))
	case f.Code == aimem.SignatureUntrusted && f.Signer != "":
		return fmt.Errorf("%w. If it is the key of %s: %s", err, producer, trustLine(producer, f.Signer))
	case f.Code == aimem.SignatureInvalid && s.from != "":
		return fmt.Errorf("%w. The signature is in %s: get it and the bundle anew from where they come, or name the right one with --signature", err, cli.Clean(s.from))
	case f.Code == aimem.ProducerMismatch:
		return fmt.Errorf("%w (import --accept-foreign-ids)", err)
	}
	return err
}

// trustLine is the command that vouches for a key.
func trustLine(producer, key string) string {
	return "satchel trust add " + producer + " " + cli.Clean(key)
}

// keysGiven returns the keys that the arguments state, name or lead to.
func keysGiven(a *cli.App, args []string) ([]aimem.Key, error) {
	var all []aimem.Key
	for _, arg := range args {
		found, _, err := a.KeysNamed(arg)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// trusting returns a function that finds the keys of a producer: the given ones or, without
// any, those that the store's owner trusts. Without a store it finds none.
func trusting(a *cli.App, given []string) (func(producer string) ([]aimem.Key, error), error) {
	all, err := keysGiven(a, given)
	if err != nil {
		return nil, err
	}
	return func(name string) ([]aimem.Key, error) {
		known := all // none unless keys were given
		if len(given) > 0 {
			return known, nil
		}
		h, err := a.Home()
		if err != nil || !cli.Exists(h.Config()) { // or if there is no place for a store
			return known, nil
		}
		err = a.With(cli.Reading, func(o *cli.Session) error {
			known, err = bundleKeys(o, a, name)
			return err
		})
		return known, err
	}, nil
}

// bundleKeys returns the keys that the store's owner trusts for a producer. For this
// store's own name it adds the store's present and earlier signing keys, if they open.
func bundleKeys(o *cli.Session, a *cli.App, name string) ([]aimem.Key, error) {
	known, err := o.Trust().Trusted(a.Ctx, o.Caller(), name)
	if err != nil || name != o.Config.CurrentProducer().Name {
		return known, err
	}
	own, err := o.ProducerKeys()
	if err != nil { // the key of the owner is not open
		return known, nil
	}
	return append(known, own...), nil
}
