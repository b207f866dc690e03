package keys

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// A key file holds one PEM block, "PRIVATE KEY", with the key in PKCS #8 (RFC 8410), which
// other programs read and write, too. A sealed file holds that text encrypted with age and
// a passphrase, in ASCII armour.
const (
	pemType     = "PRIVATE KEY"
	derHead     = "\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20" // what the DER of every such key has before the seed; see publicOf
	maxKeyFile  = 64 << 10
	ownerOnly   = 0o600
	otherAccess = 0o077
)

// WriteFile writes p to a new file that only its owner can read, sealed if there is a
// passphrase. workFactor is the logarithm of scrypt's work factor, which each guess of the
// passphrase costs; 0: the default, about a second. The file appears whole and on disk, or
// not at all. WriteFile never overwrites: if the file exists, the error wraps [fs.ErrExist].
func WriteFile(path string, p Private, passphrase string, workFactor int) error {
	if p.IsZero() {
		return fmt.Errorf("write key file %s: %w", path, ErrNoKey)
	}
	der, err := x509.MarshalPKCS8PrivateKey(p.held().key)
	if err != nil {
		return fmt.Errorf("write key file %s: %w", path, err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: pemType, Bytes: der})
	if passphrase != "" {
		if text, err = seal(text, passphrase, workFactor); err != nil {
			return fmt.Errorf("write key file %s: %w", path, err)
		}
	}
	err = create(path, text)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("write key file: %w; a key is never overwritten: move that file away first", err)
	}
	return err
}

// create writes a new file by way of a temporary one beside it. Unlike atomicfile, it never
// replaces a file.
func create(path string, text []byte) (err error) {
	temp, err := os.CreateTemp(filepath.Dir(path), ".key-*") // 0600
	if err != nil {
		return fmt.Errorf("write key file: %w", err)
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(text)
	err = errors.Join(err, temp.Sync(), temp.Close())
	if err != nil {
		return fmt.Errorf("write key file %s: %w", path, err)
	}
	if err := publish(temp.Name(), path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// publish gives a finished file its name, unless the name is taken. A link does both in one
// step; without links, publish reserves the name first.
func publish(temp, path string) error {
	if os.Link(temp, path) == nil {
		return nil
	}
	return reserve(temp, path) // reserve reports other failures than a lack of links, too
}

// reserve takes a free name and then renames the finished file over it.
func reserve(temp, path string) error {
	reserved, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, ownerOnly)
	if err != nil {
		return err
	}
	if err := errors.Join(reserved.Close(), os.Rename(temp, path)); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// syncFolder puts a new name on disk.
func syncFolder(folder string) error {
	if runtime.GOOS == "windows" {
		return nil // that system cannot open a folder to sync it
	}
	f, err := os.Open(folder)
	if err != nil {
		return fmt.Errorf("sync the folder of the key file: %w", err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("sync the folder of the key file: %w", err)
	}
	return nil
}

// ReadFile reads the key in a file. It calls unlock for the passphrase only if the file is
// sealed, and once; a nil unlock means that there is nobody to ask. The error wraps
// [ErrPermissions], [ErrSealed], [ErrPassphrase], [ErrMalformed], the error of unlock, or
// the file system's error.
func ReadFile(path string, unlock func() (passphrase string, err error)) (Private, error) {
	text, err := readPrivate(path)
	if err != nil {
		return Private{}, fmt.Errorf("read key file: %w", err)
	}
	if isSealed(text) {
		if text, err = open(text, unlock); err != nil {
			return Private{}, fmt.Errorf("read key file %s: %w", path, err)
		}
	}
	p, err := parse(text)
	if err != nil {
		return Private{}, fmt.Errorf("read key file %s: %w", path, err)
	}
	return p, nil
}

// readPrivate reads a file that only its owner may read.
func readPrivate(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat() // of the open file, since the name may mean another one by now
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s is not a file", ErrMalformed, path)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&otherAccess != 0 {
		return nil, fmt.Errorf("%w: run: chmod 600 %s; if others may have read it, make a new key", ErrPermissions, path)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxKeyFile+1))
	if err == nil && len(text) > maxKeyFile {
		err = fmt.Errorf("%w: %s is too long for a key file", ErrMalformed, path)
	}
	return text, err
}

// parse reads the PEM block of a key file. Its errors leave out the cause, which may quote
// the secret.
func parse(text []byte) (Private, error) {
	block, rest := pem.Decode(text)
	if block == nil || block.Type != pemType || len(bytes.TrimSpace(rest)) > 0 {
		return Private{}, fmt.Errorf("%w: expected one PEM block %q; restore the file from a backup or the recovery kit", ErrMalformed, pemType)
	}
	if seed, usual := bytes.CutPrefix(block.Bytes, []byte(derHead)); usual && len(seed) == ed25519.SeedSize {
		return FromSeed(seed)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	private, ok := key.(ed25519.PrivateKey)
	if err != nil || !ok {
		return Private{}, fmt.Errorf("%w: not an Ed25519 key in PKCS #8", ErrMalformed)
	}
	return FromSeed(private.Seed())
}
