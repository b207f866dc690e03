// Satchel is agent memory that its owner carries: one program that keeps what
// assistants learn, signed with the owner's key, in a folder that is theirs.
//
// Everything the program takes from its surroundings – flags, environment,
// files, the terminal, the clock – is read in this package, one file per
// command; the rest of the module is given values.
//
//	cli.go                   the tree of commands; main.go runs one
//	app.go, exit.go          what a command works with; exit statuses
//	home.go, open.go         the store's folder; opening it; unlock.go the owner's key
//	show.go, times.go        records and times for people
//	hosts.go, jsonc*.go, toml*.go, marker.go  the settings files of hosts
package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	a := &app{
		ctx: ctx, in: os.Stdin, out: os.Stdout, err: os.Stderr,
		env: os.Getenv, now: time.Now,
	}
	code := run(a, os.Args[1:])
	stop()
	os.Exit(code)
}

// run parses the arguments, does what they ask and returns the exit status.
func run(a *app, args []string) int {
	var c cli
	parser, err := kong.New(&c,
		kong.Name("satchel"),
		kong.Description("Agent memory that its owner carries."),
		kong.Writers(a.out, a.err),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, WrapUpperBound: 100}),
		kong.Vars{"version": version()},
		kong.ExplicitGroups(groups()),
	)
	if err != nil {
		panic(err) // the tree of commands is wrong: no test passes
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		a.warn("satchel: %v; see satchel --help", err)
		return statusOf(err)
	}
	a.json, a.quiet, a.store = c.JSON, c.Quiet, c.Store
	err = parsed.Run(a)
	if err != nil && !errors.Is(err, errSilent) {
		a.warn("satchel: %s", describe(err))
	}
	return statusOf(err)
}
