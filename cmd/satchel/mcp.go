package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/satchel-memory/satchel/internal/project"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umpmcp"
)

type mcpCmd struct {
	ToolNames string `default:"plain" enum:"plain,dotted" help:"How tools are listed: plain (ump_recall) or dotted (ump.recall), which many hosts refuse. Calls may use either." placeholder:"N"`
	ReadOnly  bool   `help:"Answer questions and store nothing."`
	Project   string `help:"The project that a model is told to name. Default: that of the current folder, if it is a git work tree." placeholder:"P"`
}

// Run serves the owner's agent until the host closes standard input. Nothing
// but the protocol goes to standard output.
func (c *mcpCmd) Run(a *app) error {
	in, ok := a.in.(io.ReadCloser)
	if !ok {
		return errors.New("standard input cannot be closed")
	}
	o, err := a.open(served(c.ReadOnly), "mcp", "file")
	if err != nil {
		return err
	}
	defer o.Close()
	out, err := o.leaving(a.ctx)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(a.ctx)
	defer stop()
	kept := o.keep(ctx, a, c.ReadOnly)
	dotted := c.ToolNames == "dotted"
	s := umpmcp.New(server.Over(o.Vault), umpmcp.Options{
		Caller: memory.Caller{Owner: o.Owner, Role: memory.Agent},
		Dotted: dotted, Version: release(), Instructions: c.instructions(dotted),
		Report: func(doing string, err error) { a.warn("satchel: %s: %s", doing, describe(err)) },
	})
	err = umpmcp.Serve(ctx, s, in, conversation{&outgoing{Writer: a.out, exit: out}})
	stop()
	<-kept
	if a.ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil // the host ended us: the ordinary end
	}
	return err
}

// maxProject is the longest name of a project that a model is told: a folder from
// elsewhere chooses it.
const maxProject = 200

// served is what a server needs of the store.
func served(readOnly bool) access {
	if readOnly {
		return looking
	}
	return signing
}

// instructions tells the model which project it works in, so that it says so
// itself: no record is changed behind its back.
func (c *mcpCmd) instructions(dotted bool) string {
	text := umpmcp.Instructions(dotted)
	name := c.Project
	if name == "" {
		if here, err := project.Of("."); err == nil && here.Git {
			name = here.Name
		}
	}
	if name == "" || len(name) > maxProject || strings.ContainsFunc(name, unicode.IsControl) {
		return text
	}
	return text + fmt.Sprintf("\n\nThe current project is %q. Give it as scope.project when you recall, and when you remember what concerns this project only.", name)
}
