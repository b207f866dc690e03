package tool

import (
	"io"
	"os"
	"time"

	"github.com/satchel-memory/satchel/internal/group"
)

// process is an MCP server that was started as a command.
type process struct {
	all  *group.Group // the server and what it starts
	in   *os.File     // what the server reads
	out  *os.File     // what the server writes
	done chan struct{}
}

// The limits of servers that are commands.
const (
	mostMessage = 16 << 20
	endTime     = 2 * time.Second // for a server to end by itself
)

// start starts a server. What it writes on standard error is dropped.
func start(p Program, environment []string) (*process, error) {
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		closeAll(theirIn, in)
		return nil, err
	}
	cmd := command(p, environment)
	cmd.Stdin, cmd.Stdout = theirIn, theirOut
	all, err := group.Start(cmd)
	closeAll(theirIn, theirOut)
	if err != nil {
		closeAll(in, out)
		return nil, err
	}
	running := &process{all: all, in: in, out: out, done: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // how it ended says nothing about a call
		close(running.done)
	}()
	return running, nil
}

// runs reports whether the server has not ended.
func (p *process) runs() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// end closes the server's standard input, waits for the server to end, and kills it and
// what it started.
func (p *process) end() {
	_ = p.in.Close() // the session may have closed it
	timer := time.NewTimer(endTime)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
	}
	p.all.Kill()
	<-p.done
	closeAll(p.in, p.out)
}

// closeAll closes what may be closed already.
func closeAll(list ...io.Closer) {
	for _, c := range list {
		_ = c.Close() // nothing that was written is waited for
	}
}
