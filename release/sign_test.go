package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// verify checks the signature as docs/install.md says.
func verify(r *release, signers string) error {
	c := exec.Command("ssh-keygen", "-Y", "verify", "-f", signers, "-I", "release", "-n", "file", "-s", filepath.Join(r.out, checksums+".sig"))
	data, err := os.ReadFile(filepath.Join(r.out, checksums))
	if err != nil {
		return err
	}
	c.Stdin = bytes.NewReader(data)
	return run(c)
}

// newKey makes a key and a list of the one signer.
func newKey(t *testing.T) (key, signers string) {
	t.Helper()
	dir := t.TempDir()
	key, signers = filepath.Join(dir, "key"), filepath.Join(dir, "signers")
	command(t, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "release", "-f", key)
	public, err := os.ReadFile(key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(signers, append([]byte("release "), public...), 0o644); err != nil {
		t.Fatal(err)
	}
	return key, signers
}

// TestSigned signs a release: its checksums name every file, and a changed byte is found.
func TestSigned(t *testing.T) {
	need(t, "ssh-keygen", "sha256sum")
	var signers, others string
	r := own(t)
	r.key, signers = newKey(t)
	_, others = newKey(t)
	if err := r.sign(); err != nil {
		t.Fatal(err)
	}
	if err := verify(r, signers); err != nil {
		t.Fatal(err)
	}
	if err := verify(r, others); err == nil {
		t.Error("a signature is taken for somebody else's")
	}
	sums := read(t, r, checksums)
	for name := range tree(t, r.out) {
		if !strings.HasPrefix(name, checksums) && !strings.Contains(string(sums), "  "+name+"\n") {
			t.Errorf("%s has no checksum", name)
		}
	}
	check := func() error {
		c := exec.Command("sha256sum", "--check", "--strict", "--quiet", checksums)
		c.Dir = r.out
		return run(c)
	}
	if err := check(); err != nil {
		t.Fatal(err)
	}
	sig := read(t, r, checksums+".sig")
	again := own(t)
	again.key = r.key
	if err := again.sign(); err != nil || !bytes.Equal(sig, read(t, again, checksums+".sig")) {
		t.Errorf("a second signature differs: %v", err)
	}
	for _, name := range []string{r.asset(platform{"linux", "amd64"}, ".deb"), checksums} {
		path := filepath.Join(r.out, name)
		whole := read(t, r, name)
		broken := bytes.Clone(whole)
		broken[len(broken)/2] ^= 1
		if err := os.WriteFile(path, broken, 0o644); err != nil {
			t.Fatal(err)
		}
		if name == checksums {
			if err := verify(r, signers); err == nil {
				t.Error("a changed byte in the checksums is not found")
			}
		} else if err := check(); err == nil {
			t.Errorf("a changed byte in %s is not found", name)
		}
		if err := os.WriteFile(path, whole, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestUnsigned says what a release without a key is, and fails with a key that is missing.
func TestUnsigned(t *testing.T) {
	r := own(t)
	if err := r.sign(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(read(t, r, unsigned)), "unsigned") || tree(t, r.out)[checksums+".sig"] != nil {
		t.Errorf("%q", read(t, r, unsigned))
	}
	need(t, "ssh-keygen")
	other := own(t)
	other.key = filepath.Join(t.TempDir(), "none")
	if err := other.sign(); err == nil {
		t.Error("a release is signed with a key that is not there")
	}
}
