package operate

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/clitest"
)

// block is one entry of a tar archive written by hand: what archive/tar writes
// and what it refuses to write, whatever the size in the head says.
func block(name string, kind byte, size int64, content string) string {
	var head [512]byte
	copy(head[:], name)
	copy(head[100:], "0000600\x000000000\x000000000\x00")
	copy(head[124:], fmt.Sprintf("%011o\x00", size))
	if size >= 1<<33 { // base 256
		head[124] = 0x80
		for i := range 11 {
			head[135-i] = byte(size >> min(8*i, 63))
		}
	}
	copy(head[136:], "00000000000\x00        ")
	head[156] = kind
	copy(head[257:], "ustar\x0000")
	sum := 0
	for _, b := range head {
		sum += int(b)
	}
	copy(head[148:], fmt.Sprintf("%06o\x00 ", sum))
	return string(head[:]) + content + strings.Repeat("\x00", -len(content)&511)
}

// extended is the head that gives the next entry further properties.
func extended(records ...string) string {
	var body strings.Builder
	for _, r := range records {
		n := len(r) + 4
		body.WriteString(fmt.Sprintf("%d %s\n", n+len(fmt.Sprint(n))-2, r))
	}
	return block("x", 'x', int64(body.Len()), body.String())
}

func TestUnpackRefuses(t *testing.T) {
	const huge = 1 << 50
	whole := func(name, text string) string { return block(name, '0', int64(len(text)), text) }
	for name, archive := range map[string]string{
		"a sparse file by the records of GNU tar 1.0": extended("GNU.sparse.major=1", "GNU.sparse.minor=0",
			"GNU.sparse.name=satchel.db", fmt.Sprintf("GNU.sparse.realsize=%d", 1<<30)) +
			block("satchel.db", '0', 512, "1\n1073741824\n0\n"+strings.Repeat("\x00", 512-15)),
		"a sparse file by the records of GNU tar 0.1": extended("GNU.sparse.size=1073741824", "GNU.sparse.numblocks=1",
			"GNU.sparse.map=1073741824,0") + block("satchel.db", '0', 0, ""),
		"a sparse file of old":                      block("satchel.db", 'S', 0, ""),
		"a link":                                    block("token", '2', 0, ""),
		"a folder":                                  block("keys/", '5', 0, ""),
		"a device":                                  block("token", '3', 0, ""),
		"properties for all":                        block("g", 'g', 0, ""),
		"a type nobody knows":                       block("token", 'Z', 0, ""),
		"a way out":                                 whole("../token", "x"),
		"a stranger":                                whole("notes.txt", "x"),
		"a file twice":                              whole("token", "x") + whole("token", "x"),
		"a small file of 65537":                     whole("token", strings.Repeat("x", cli.MaxSmall+1)),
		"a key of a terabyte":                       block("keys/owner.key", '0', 1<<40, "x"),
		"sums of a terabyte":                        block(cli.BackupSums, '0', 1<<40, "x"),
		"a database of a petabyte":                  block("satchel.db", '0', huge, "x"),
		"a database cut off":                        block("satchel.db", '0', 4096, "x"),
		"nothing":                                   "",
		"a setting of runs that climbs":             whole("run/context/../../x", "x"),
		"a setting of runs with a drive":            whole("run/context/c:/x", "x"),
		"a setting of runs with a backslash":        whole(`run/keys/..\x`, "x"),
		"a setting of runs of an unknown name":      whole("run/more.json", "{}"),
		"a key of a provider in a folder":           whole("run/keys/a/b", "x"),
		"a setting of runs that is a link":          block("run/tools.json", '2', 0, ""),
		"a setting of runs that is long":            block("run/tools.json", '0', 5<<20, ""),
		"a setting of runs that is there twice":     whole("run/tools.json", "{}") + whole("run/tools.json", "{}"),
		"a setting of runs that is a file and more": whole("run/context/a", "x") + whole("run/context/a/b", "x"),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "keys"), 0o700); err != nil {
				t.Fatal(err)
			}
			err := unpack(t.Context(), dir, strings.NewReader(archive+strings.Repeat("\x00", 1024)))
			if err == nil {
				t.Fatal("it was unpacked")
			}
			if name != "a database of a petabyte" && cli.StatusOf(err) != cli.ExitInvalid {
				t.Errorf("status %d: %v", cli.StatusOf(err), err)
			}
			if n := written(t, dir); n > cli.MaxSmall+4096 {
				t.Errorf("%d bytes were written: %v", n, err)
			}
		})
	}
}

// written counts the bytes of the files below a folder.
func written(t *testing.T, dir string) (n int64) {
	t.Helper()
	err := filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			n += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// sound is an archive that unpack takes: the files of a backup and their sums, and
// whatever else is named.
func sound(t *testing.T, more ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := &archiver{tar: tar.NewWriter(&b)}
	for _, name := range append(backupNames(), more...) {
		h := sha256.New()
		h.Write([]byte(name))
		w.sums += sumLine(h, name)
		if err := w.write(name, int64(len(name)), strings.NewReader(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.end(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestUnpack(t *testing.T) {
	into := func(ctx context.Context, archive io.Reader) error {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "keys"), 0o700); err != nil {
			t.Fatal(err)
		}
		return unpack(ctx, dir, archive)
	}
	archive := sound(t)
	if err := into(t.Context(), bytes.NewReader(archive)); err != nil {
		t.Errorf("a sound archive: %v", err)
	}
	if err := into(t.Context(), strings.NewReader(extended("mtime=1.5", "SCHILY.dev=1")+string(archive))); err != nil {
		t.Errorf("with properties that change nothing: %v", err)
	}
	former := "keys/retired-XjN4Zq7oMMsw.key"
	if err := into(t.Context(), bytes.NewReader(sound(t, former))); err != nil {
		t.Errorf("with the key of a former owner: %v", err)
	}
	var hundred []string
	for i := range maxRetired + 1 {
		hundred = append(hundred, fmt.Sprintf("keys/retired-%d.key", i))
	}
	for _, more := range [][]string{{former, former}, {"keys/retired-.key"}, {"keys/retired-x/../../y.key"}, {"keys/other.key"}, {"rekey.json"}, hundred} {
		if err := into(t.Context(), bytes.NewReader(sound(t, more...))); cli.StatusOf(err) != cli.ExitInvalid {
			t.Errorf("with %q and %d more: %v", more[0], len(more)-1, err)
		}
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if err := into(ended, bytes.NewReader(archive)); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	for cut := 512; cut < len(archive)-1024; cut += 512 {
		if err := into(t.Context(), bytes.NewReader(archive[:cut])); cli.StatusOf(err) != cli.ExitInvalid {
			t.Errorf("cut after %d bytes: %v", cut, err)
		}
	}
}

func TestRestoreLeavesNothing(t *testing.T) {
	a, _, messages := clitest.Person(t, t.Context())
	home := a.Env("HOME")
	bad := filepath.Join(t.TempDir(), "bad.tar")
	if err := os.WriteFile(bad, sound(t), 0o600); err != nil { // whole, but its config.json is none
		t.Fatal(err)
	}
	a.Store = filepath.Join(home, "a", "b", "store")
	if err := (&RestoreCmd{File: bad}).Run(a); cli.StatusOf(err) != cli.ExitInvalid {
		t.Fatalf("status %d: %v%s", cli.StatusOf(err), err, messages)
	}
	if entries, err := os.ReadDir(home); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}
