package keys

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"filippo.io/age"
	"filippo.io/age/armor"
)

// quick is a work factor that does not slow tests down.
const quick = 4

func testKey(t testing.TB) Private {
	t.Helper()
	p, err := FromSeed(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func answer(passphrase string) func() (string, error) {
	return func() (string, error) { return passphrase, nil }
}

// neverAsk fails the test if somebody asks it for a passphrase.
func neverAsk(t *testing.T) func() (string, error) {
	return func() (string, error) {
		t.Error("asked for a passphrase")
		return "", nil
	}
}

func mustWrite(t *testing.T, passphrase string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "owner.key")
	if err := WriteFile(path, testKey(t), passphrase, quick); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPlainFile(t *testing.T) {
	path := mustWrite(t, "")
	for _, unlock := range []func() (string, error){nil, neverAsk(t)} {
		got, err := ReadFile(path, unlock)
		if err != nil || got.DID() != testKey(t).DID() {
			t.Errorf("got %v, %v", got, err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(text), "-----BEGIN PRIVATE KEY-----\n") {
		t.Errorf("the file is not PEM: %v", err)
	}
}

// TestPlainFileOfOthers reads a key as RFC 8410, section 10.3 prints one.
func TestPlainFileOfOthers(t *testing.T) {
	const text = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n"
	path := filepath.Join(t.TempDir(), "key")
	write(t, path, text)
	p, err := ReadFile(path, nil)
	if err != nil || len(p.Seed()) != 32 || p.Seed()[0] != 0xd4 {
		t.Errorf("got %v, %v", p, err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestSealedFile(t *testing.T) {
	path := mustWrite(t, "correct horse")
	text, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(text), "-----BEGIN AGE ENCRYPTED FILE-----\n") {
		t.Fatalf("the file is not sealed: %v", err)
	}
	asked := 0
	got, err := ReadFile(path, func() (string, error) { asked++; return "correct horse", nil })
	if err != nil || got.DID() != testKey(t).DID() || asked != 1 {
		t.Errorf("got %v, %v, asked %d times", got, err, asked)
	}
	canceled := errors.New("canceled")
	for _, test := range []struct {
		name   string
		unlock func() (string, error)
		want   error
	}{
		{"nobody to ask", nil, ErrSealed},
		{"wrong", answer("correct house"), ErrPassphrase},
		{"empty", answer(""), ErrPassphrase},
		{"canceled", func() (string, error) { return "", canceled }, canceled},
	} {
		if p, err := ReadFile(path, test.unlock); !errors.Is(err, test.want) || !p.IsZero() {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// TestSealedFileDefault seals once as users do.
func TestSealedFileDefault(t *testing.T) {
	if testing.Short() {
		t.Skip("takes two seconds of scrypt")
	}
	path := filepath.Join(t.TempDir(), "owner.key")
	if err := WriteFile(path, testKey(t), "p", 0); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadFile(path, answer("p")); err != nil || got.DID() != testKey(t).DID() {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such permissions")
	}
	for _, passphrase := range []string{"", "p"} {
		path := mustWrite(t, passphrase)
		info, err := os.Stat(path)
		if err != nil || info.Mode() != 0o600 {
			t.Fatalf("written with %v, %v", info.Mode(), err)
		}
		for _, mode := range []fs.FileMode{0o640, 0o604, 0o620, 0o610, 0o601, 0o644, 0o666, 0o777} {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
			_, err := ReadFile(path, neverAsk(t))
			if !errors.Is(err, ErrPermissions) || !strings.Contains(err.Error(), "chmod 600 "+path) {
				t.Errorf("%v: %v", mode, err)
			}
		}
		for _, mode := range []fs.FileMode{0o600, 0o400} {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
			if _, err := ReadFile(path, answer("p")); err != nil {
				t.Errorf("%v: %v", mode, err)
			}
		}
	}
}

func TestNeverOverwrites(t *testing.T) {
	for _, passphrase := range []string{"", "p"} {
		path := mustWrite(t, "")
		before, _ := os.ReadFile(path)
		other, err := FromSeed(bytes.Repeat([]byte{8}, 32))
		if err != nil {
			t.Fatal(err)
		}
		if err := WriteFile(path, other, passphrase, quick); !errors.Is(err, fs.ErrExist) {
			t.Errorf("got %v", err)
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
			t.Error("the file was changed")
		}
		onlyFile(t, path)
	}
}

// onlyFile makes sure that nothing temporary is left beside path.
func onlyFile(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 || entries[0].Name() != filepath.Base(path) {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}

func TestWriteLeavesNothing(t *testing.T) {
	onlyFile(t, mustWrite(t, ""))
	onlyFile(t, mustWrite(t, "p"))
	path := filepath.Join(t.TempDir(), "none", "owner.key")
	if err := WriteFile(path, testKey(t), "", 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	path = filepath.Join(t.TempDir(), "owner.key")
	if err := WriteFile(path, Private{}, "", 0); !errors.Is(err, ErrNoKey) {
		t.Errorf("no key: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error("no key left a file")
	}
}

// TestPublishWithoutLinks tests file systems without links.
func TestPublishWithoutLinks(t *testing.T) {
	folder := t.TempDir()
	temp, path := filepath.Join(folder, "temp"), filepath.Join(folder, "owner.key")
	write(t, temp, "text")
	if err := reserve(temp, path); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "text" {
		t.Errorf("got %q, %v", got, err)
	}
	write(t, temp, "other")
	if err := reserve(temp, path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("taken name: %v", err)
	}
	gone := filepath.Join(folder, "gone")
	if err := reserve(gone, filepath.Join(folder, "new")); err == nil {
		t.Error("nothing was published")
	}
	if _, err := os.Stat(filepath.Join(folder, "new")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the reserved name was left behind")
	}
}

// TestTruncated: no beginning of a key file is a key.
func TestTruncated(t *testing.T) {
	for _, passphrase := range []string{"", "p"} {
		path := mustWrite(t, passphrase)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for n := range len(whole) - 1 { // all but the last newline
			write(t, path, string(whole[:n]))
			if p, err := ReadFile(path, answer("p")); !errors.Is(err, ErrMalformed) || !p.IsZero() {
				t.Fatalf("%d of %d bytes (passphrase %q): %v", n, len(whole), passphrase, err)
			}
		}
	}
}

// TestDamaged changes every byte of a sealed file: the key never comes out wrong, and
// damage of the payload is not blamed on the passphrase.
func TestDamaged(t *testing.T) {
	path := mustWrite(t, "p")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	malformed := 0
	for i := range whole {
		damaged := bytes.Clone(whole)
		damaged[i] ^= 1
		write(t, path, string(damaged))
		p, err := ReadFile(path, answer("p"))
		switch {
		case err == nil && p.DID() != testKey(t).DID():
			t.Fatalf("byte %d: another key", i)
		case errors.Is(err, ErrMalformed):
			malformed++
		case err != nil && !errors.Is(err, ErrPassphrase):
			t.Errorf("byte %d: %v", i, err)
		}
	}
	if malformed < len(whole)/2 {
		t.Errorf("%d of %d damages are told from a wrong passphrase", malformed, len(whole))
	}
}

func TestMalformedFiles(t *testing.T) {
	ec, err := x509.MarshalPKCS8PrivateKey(&ecdsa.PrivateKey{
		PublicKey: ecdsa.PublicKey{Curve: elliptic.P256(), X: elliptic.P256().Params().Gx, Y: elliptic.P256().Params().Gy},
		D:         big.NewInt(1),
	})
	if err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(mustWrite(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	block := func(kind string, der []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	for name, text := range map[string]string{
		"empty":         "",
		"words":         "canary42 canary42",
		"other type":    block("PUBLIC KEY", []byte("canary42")),
		"not DER":       block("PRIVATE KEY", []byte("canary42")),
		"other key":     block("PRIVATE KEY", ec),
		"two keys":      string(good) + string(good),
		"words behind":  string(good) + "canary42",
		"too long":      string(good) + strings.Repeat("\n", 64<<10),
		"sealed, words": "-----BEGIN AGE ENCRYPTED FILE-----\ncanary42\n-----END AGE ENCRYPTED FILE-----\n",
	} {
		path := filepath.Join(t.TempDir(), "key")
		write(t, path, text)
		_, err := ReadFile(path, neverAsk(t))
		if !errors.Is(err, ErrMalformed) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ReadFile(t.TempDir(), nil); err == nil {
		t.Error("a folder is a key file")
	}
	if _, err := ReadFile(filepath.Join(t.TempDir(), "none"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// TestSealedTwice: a passphrase must open a key, not another sealed file.
func TestSealedTwice(t *testing.T) {
	text, err := os.ReadFile(mustWrite(t, "p"))
	if err != nil {
		t.Fatal(err)
	}
	twice, err := seal(text, "q", quick)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "key")
	write(t, path, string(twice))
	if _, err := ReadFile(path, answer("q")); !errors.Is(err, ErrMalformed) {
		t.Errorf("got %v", err)
	}
}

// TestSealedForSomebodyElse: if no passphrase can open a file, the error does not blame the
// passphrase.
func TestSealedForSomebodyElse(t *testing.T) {
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	armoured := armor.NewWriter(&out)
	w, err := age.Encrypt(armoured, identity.Recipient())
	if err := errors.Join(err, w.Close(), armoured.Close()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "key")
	write(t, path, out.String())
	if _, err := ReadFile(path, answer("p")); !errors.Is(err, ErrMalformed) || errors.Is(err, ErrPassphrase) {
		t.Errorf("got %v", err)
	}
}
