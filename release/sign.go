package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	checksums = "checksums.txt"
	unsigned  = "UNSIGNED.txt"
)

// sign writes the checksums of all files, and signs them if there is a key. The signature is OpenSSH's
// (ssh-keygen -Y), which every Linux, macOS and Windows can verify with what it has. A key of Ed25519
// gives the same signature each time. A key with a passphrase asks for it, or the agent has it.
func (r *release) sign() error {
	var lines strings.Builder
	err := filepath.WalkDir(r.out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		sum, err := sumOf(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(r.out, path)
		fmt.Fprintf(&lines, "%s  %s\n", sum, filepath.ToSlash(name))
		return err
	})
	if err != nil {
		return err
	}
	if err := r.put(checksums, []byte(lines.String())); err != nil {
		return err
	}
	if r.key == "" {
		fmt.Printf("release %s is in %s: unsigned, as no key was given (SIGN_KEY=FILE)\n", r.version, r.out)
		return r.put(unsigned, []byte("This release is unsigned: "+checksums+" shows what was damaged on the way, and not who built it.\n"))
	}
	c := exec.Command("ssh-keygen", "-q", "-Y", "sign", "-f", r.key, "-n", "file", filepath.Join(r.out, checksums))
	c.Stdin, c.Stderr = os.Stdin, os.Stderr // a passphrase is asked for on the terminal
	if err := c.Run(); err != nil {
		return fmt.Errorf("sign with %s: %w", r.key, err)
	}
	fmt.Printf("release %s is in %s: signed, see %s.sig\n", r.version, r.out, checksums)
	return nil
}

// sumOf returns the SHA-256 of a file in hex.
func sumOf(path string) (string, error) {
	data, err := os.ReadFile(path)
	return sumOfBytes(data), err
}
