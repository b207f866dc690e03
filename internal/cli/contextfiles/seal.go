package contextfiles

import (
	"bufio"
	"io"
	"os"
	"strings"

	"github.com/satchel-memory/satchel/internal/cli"
)

// sealedEnding is the ending of encrypted files.
const sealedEnding = ".age"

type aicfSealCmd struct {
	File           string `arg:"" help:"The context file."`
	Output         string `short:"o" help:"The encrypted file. Default: FILE.age." placeholder:"FILE"`
	PassphraseFile string `help:"Encrypt with the first line of a file. Default: $$SATCHEL_PASSPHRASE_FILE, $$SATCHEL_PASSPHRASE, or asked for." placeholder:"FILE"`
}

// Run encrypts the bytes of a file as they are.
func (c *aicfSealCmd) Run(a *cli.App) error {
	if c.Output == "" {
		c.Output = c.File + sealedEnding
	}
	if err := fresh(c.Output); err != nil {
		return err
	}
	in, err := os.Open(c.File)
	if err != nil {
		return err
	}
	defer in.Close()
	head := bufio.NewReader(in)
	if cli.IsEncrypted(head) {
		return cli.Refusedf("%s is sealed already", c.File)
	}
	pass, err := a.NewPassphrase(c.PassphraseFile, true)
	if err != nil {
		return err
	}
	err = a.Place(c.Output, func(out io.Writer) error {
		return a.Encrypt(out, pass, func(sealed io.Writer) error { return copyTo(sealed, head) })
	})
	if err != nil {
		return err
	}
	a.Say("%s is sealed in %s; %s stays as it is until you remove it", cli.Clean(c.File), cli.Clean(c.Output), cli.Clean(c.File))
	return wrote(a, c.Output)
}

type aicfOpenCmd struct {
	File           string `arg:"" help:"The encrypted file."`
	Output         string `short:"o" help:"The context file; - for standard output. Default: FILE without .age." placeholder:"FILE"`
	PassphraseFile string `help:"Decrypt with the first line of a file. Default: $$SATCHEL_PASSPHRASE_FILE, $$SATCHEL_PASSPHRASE, or asked for." placeholder:"FILE"`
}

// Run decrypts a file to its original bytes.
func (c *aicfOpenCmd) Run(a *cli.App) error {
	if c.Output == "" {
		name, found := strings.CutSuffix(c.File, sealedEnding)
		if !found {
			return cli.Usagef("say with -o where to; %s does not end in %s", c.File, sealedEnding)
		}
		c.Output = name
	}
	if !cli.IsStdout(c.Output) {
		if err := fresh(c.Output); err != nil {
			return err
		}
	}
	in, err := os.Open(c.File)
	if err != nil {
		return err
	}
	defer in.Close()
	head := bufio.NewReader(in)
	if !cli.IsEncrypted(head) {
		return cli.Invalidf("%s is not sealed", c.File)
	}
	pass, err := a.SealedPassphrase(c.PassphraseFile, c.File)
	if err != nil {
		return err
	}
	plain, err := cli.Decrypt(head, c.File, pass)
	if err != nil {
		return err
	}
	err = a.Place(c.Output, func(out io.Writer) error { return copyTo(out, plain) })
	if err != nil {
		return err
	}
	a.Say("%s is opened", cli.Clean(c.File))
	if cli.IsStdout(c.Output) {
		return nil
	}
	return wrote(a, c.Output)
}

// wrote names the written file, for machines.
func wrote(a *cli.App, path string) error {
	if !a.JSON {
		return nil
	}
	return a.Emit(map[string]any{"file": path})
}

// copyTo copies all of in.
func copyTo(out io.Writer, in io.Reader) error {
	_, err := io.Copy(out, in)
	return err
}
