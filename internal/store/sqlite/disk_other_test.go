//go:build !linux

package sqlite

import (
	"errors"
	"os/exec"
	"testing"
)

func asNobody(t testing.TB, _ *exec.Cmd, _ string) *exec.Cmd {
	t.Skip("skipped: permissions do not bind this user")
	return nil
}

func helpFill(string) error { return errors.New("only on Linux") }
