package service

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// restored lets the program from before make a store of its backup: this one would bring the
// store up to date. A sealed backup opens with the passphrase that the service finds, or with
// one that the person types.
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
