package documents

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
)

// tempSpool gives formats space among the temporary files.
func tempSpool() (codec.Spool, error) {
	f, done, err := cli.Spool("")
	if err != nil {
		return nil, err
	}
	return cli.Spooled{File: f, Done: done}, nil
}

// mostOnStdout is the most bytes of a document that go to standard output. They wait
// in a temporary file until all of them are there.
const mostOnStdout = 16 << 30

// onStdout writes all of the output to standard output, or nothing.
func onStdout(a *cli.App, fill func(io.Writer) error) (err error) {
	f, done, err := cli.Spool("")
	if err != nil {
		return fmt.Errorf("make room for what goes to standard output: %w", err)
	}
	defer func() { err = errors.Join(err, done()) }()
	whole := bufio.NewWriter(&roomFor{out: f, left: mostOnStdout})
	if err := fill(whole); err != nil {
		return err
	}
	if err := whole.Flush(); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err = io.Copy(a.Out, f)
	return err
}

// roomFor accepts a limited number of bytes.
type roomFor struct {
	out  io.Writer
	left int64
}

var errRoom = errors.New("more than goes to standard output in one piece; name a file")

// Write implements [io.Writer].
func (r *roomFor) Write(p []byte) (int, error) {
	if r.left -= int64(len(p)); r.left < 0 {
		return 0, errRoom
	}
	return r.out.Write(p)
}
