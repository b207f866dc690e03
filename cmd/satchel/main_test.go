package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
)

// quickSeal is a cost of passphrases that does not slow tests down.
const quickSeal = 4

// TestMain puts this test program into $PATH as satchel. Under that name it is the program,
// and as "satchel" with the environment variable readyVariable a [readyProgram].
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "satchel" {
		if os.Getenv(readyVariable) != "" {
			if err := serveReady(os.Stdin, os.Stdout); err != nil {
				panic(err)
			}
			os.Exit(0)
		}
		os.Exit(runProcess(quickSeal))
	}
	dir, err := install()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := pgtest.Main(m)
	endReady()
	_ = os.RemoveAll(dir) // a leftover in the temporary folder harms nobody
	os.Exit(code)
}

// install copies this program to a folder of $PATH and returns the folder.
func install() (string, error) {
	dir, err := os.MkdirTemp("", "satchel-bin-")
	if err != nil {
		return "", err
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	program, err := os.ReadFile(self)
	if err != nil {
		return "", err
	}
	return dir, errors.Join(
		os.WriteFile(filepath.Join(dir, "satchel"), program, 0o700),
		os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH")))
}
