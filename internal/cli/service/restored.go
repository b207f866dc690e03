package service

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// restored runs the earlier program to restore a backup into dir. This program cannot do that:
// it would bring the store up to date. The earlier program reads the passphrase of a sealed
// backup where the service finds it, or asks the person.
func (s *service) restored(program, backup, dir string) error {
	cmd := exec.CommandContext(s.app.Ctx, program, "restore", "--store", dir, backup)
	if in, ok := s.app.In.(*os.File); ok {
		cmd.Stdin = in
	}
	cmd.Env = append(cmd.Environ(), s.rec.Env...)
	said, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s restore %s: %w: %s", program, backup, err, strings.TrimSpace(string(said)))
	}
	return nil
}
