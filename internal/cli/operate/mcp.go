package operate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/documents"
	"github.com/satchel-memory/satchel/internal/project"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umpmcp"
)

// MCPCmd is the command satchel mcp.
type MCPCmd struct {
	ToolNames string `default:"plain" enum:"plain,dotted" help:"How tools are listed: plain (ump_recall), made for models, or dotted (ump.recall), the protocol's own, which many hosts refuse. Calls may use either." placeholder:"N"`
	Strict    bool   `help:"List the tools' arguments in the strict form of OpenAI's interfaces." name:"strict-schemas"`
	ReadOnly  bool   `help:"Answer questions and store nothing."`
	NoInit    bool   `help:"Fail if there is no store, instead of making one at the usual place."`
	Project   string `help:"The project that the instructions name to a model. Default: the project of the current folder, if it is a git work tree." placeholder:"P"`
}

// Run serves the owner's agent until the host closes standard input. Only the protocol uses
// standard output.
func (c *MCPCmd) Run(a *cli.App) error {
	in, ok := a.In.(io.ReadCloser)
	if !ok {
		return errors.New("standard input cannot be closed")
	}
	if err := c.begin(a); err != nil {
		return err
	}
	o, err := a.Open(c.access(), "mcp", "file")
	if err != nil {
		return err
	}
	defer o.Close()
	out, err := documents.Leaving(o, a.Ctx)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(a.Ctx)
	defer stop()
	kept := keep(o, ctx, a, c.ReadOnly || o.ReadOnly)
	dotted := c.ToolNames == "dotted"
	s := umpmcp.New(server.Over(o.Vault), umpmcp.Options{
		Caller: memory.Caller{Owner: o.Owner, Role: memory.Agent},
		Dotted: dotted, Strict: c.Strict, Version: cli.Release(), Instructions: c.instructions(dotted) + unseenKit(o), Now: time.Now,
		Report: func(doing string, err error) { a.Warn("satchel: %s: %s", doing, cli.Describe(err)) },
	})
	err = umpmcp.Serve(ctx, s, in, documents.Conversation{Outgoing: &documents.Outgoing{Writer: a.Out, Way: out}})
	stop()
	<-kept
	if a.Ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil // the host closes the input: the normal end
	}
	return err
}

// access is what the session needs. It only reads a store that cannot be written.
func (c *MCPCmd) access() cli.Access {
	if c.ReadOnly {
		return cli.Looking
	}
	return cli.Preparing
}

// instructions names the present project to the model, so that the model states it in its
// calls: satchel changes no record unasked. A stranger may choose a repository's name, so
// the model sees plain addresses only.
func (c *MCPCmd) instructions(dotted bool) string {
	text := umpmcp.Instructions(dotted)
	name := c.Project
	if name == "" {
		if here, err := project.Of("."); err == nil && here.Git {
			name = here.Name
		}
	}
	if !memory.IsAddress(name) {
		return text
	}
	place := "project"
	if dotted {
		place = "scope.project"
	}
	return text + fmt.Sprintf(" The current project is %q: give it as %s when you recall, and when you remember what concerns this project only.", name, place)
}
