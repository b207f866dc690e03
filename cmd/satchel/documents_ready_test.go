package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/satchel-memory/satchel/internal/cli"
)

// shellDoor returns the port at which the shells of documents ask for a [readyProgram] to run
// a command of theirs, or 0 where a process cannot open the streams of another one.
var shellDoor = sync.OnceValues(func() (int, error) {
	if runtime.GOOS != "linux" {
		return 0, nil
	}
	door, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	go func() {
		for {
			c, err := door.Accept()
			if err != nil {
				return
			}
			go answerShell(c)
		}
	}()
	return door.Addr().(*net.TCPAddr).Port, nil
})

// answerShell runs the command that a shell asks for and tells the shell its exit status.
func answerShell(c net.Conn) {
	defer c.Close()
	r := readied()
	defer r.leave()
	call, err := readShellCall(bufio.NewReader(c))
	var a readyAnswer
	if err == nil {
		a, err = r.call(call)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "a command of a document: %v\n%s\n", err, &r.said)
		a.Code = 70
	}
	_, _ = fmt.Fprintln(c, a.Code) // a shell that is gone needs no answer
}

// readShellCall reads what testdata/documents/prelude.sh writes: texts that end with a byte 0.
// These are the folder of the shell and three lists, each behind its length: its standard streams,
// its environment, and the arguments.
func readShellCall(from *bufio.Reader) (c readyCall, err error) {
	next := func() (text string) {
		if err == nil {
			text, err = from.ReadString(0)
		}
		return strings.TrimSuffix(text, "\x00")
	}
	list := func() (texts []string) {
		n, wrong := strconv.Atoi(next())
		if err == nil {
			err = wrong
		}
		for ; n > 0 && err == nil; n-- {
			texts = append(texts, next())
		}
		return texts
	}
	c.Dir, c.Streams = next(), list()
	for _, setting := range list() {
		name, value, _ := strings.Cut(setting, "=")
		c.Env = append(c.Env, [2]string{name, value})
	}
	c.Args = list()
	return c, err
}

// connect gives the program the streams of the shell. The caller has to call end.
func (c readyCall) connect(a *cli.App) (end func(), err error) {
	var files []*os.File
	end = func() {
		for _, f := range files {
			_ = f.Close() // the shell has them open, too
		}
	}
	for i, path := range c.Streams {
		how := os.O_RDONLY
		if i > 0 {
			how = os.O_WRONLY | os.O_APPEND
		}
		f, err := os.OpenFile(path, how, 0)
		if err != nil {
			end()
			return nil, err
		}
		files = append(files, f)
	}
	a.In, a.Out, a.Err = files[0], cli.Screened(files[1]), files[2]
	return end, nil
}
