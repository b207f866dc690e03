package source

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"

	"github.com/satchel-memory/satchel/codec"
)

// Digest is the SHA-256 of a document: of a file's bytes, or of a folder's paths and
// contents in order. It includes the options that steer the reading.
func Digest(src codec.Source, steering ...string) (string, error) {
	h := sha256.New()
	for _, s := range steering {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	if src.File != nil {
		_, err := io.Copy(h, io.NewSectionReader(src.File, 0, src.Size))
		return hex.EncodeToString(h.Sum(nil)), err
	}
	left := codec.Limits{}.Filled()
	err := fs.WalkDir(src.Tree, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		if left.Files--; left.Files < 0 {
			return errTooMany
		}
		f, err := src.Tree.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		inner := sha256.New()
		n, err := io.Copy(inner, io.LimitReader(f, left.Document+1))
		if left.Document -= n; left.Document < 0 {
			return ErrTooLarge
		}
		fmt.Fprintf(h, "%d:%s", len(path), path)
		h.Write(inner.Sum(nil))
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}

// DigestToImport is the digest by which an import of a document in a format is known again,
// also when it is read another way, such as with its secrets.
func DigestToImport(src codec.Source, format string, keepSecrets bool, further ...string) (string, error) {
	steering := []string{"\x00" + format} // no project has this name
	if keepSecrets {
		steering = append(steering, "\x00keep-secrets")
	}
	for _, choice := range further {
		if choice != "" {
			steering = append(steering, choice)
		}
	}
	return Digest(src, steering...)
}
