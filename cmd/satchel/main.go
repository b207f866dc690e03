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
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	a := &app{
		ctx: ctx, in: os.Stdin, out: screened(os.Stdout), err: os.Stderr,
		env: os.Getenv, now: time.Now,
	}
	context.AfterFunc(ctx, stop) // who asks a second time does not want to wait
	code := run(a, os.Args[1:])
	if code == exitFailed && ctx.Err() != nil {
		code = exitInterrupted
	}
	stop()
	os.Exit(code)
}

// run parses the arguments, does what they ask and returns the exit status.
func run(a *app, args []string) int {
	if len(args) == 0 && a.isNew() {
		a.welcome()
		return exitDone
	}
	var c cli
	parser := newParser(&c, a.out, a.err, kong.Help(a.help))
	args = asked(args)
	a.json = slices.Contains(args, "--json") // for a command line that makes no sense otherwise
	a.colour = colourIn(args)                // for help, which is printed while the rest is read
	parsed, err := parser.Parse(args)
	if err != nil {
		command := ""
		if e, ok := errors.AsType[*kong.ParseError](err); ok {
			command = commandOf(e.Context)
			err = hint(e)
		}
		return a.end(err, command)
	}
	a.json, a.quiet, a.verbose, a.colour = c.JSON, c.Quiet, c.Verbose, c.Color
	a.store, a.homeDir, a.owner = c.Store, c.Home, ""
	command := commandOf(parsed)
	if c.For != nil {
		if a.owner = *c.For; a.owner == "" { // as of a variable that is not set: nobody else is meant by it
			return a.end(usagef("--owner names nobody; give a DID or a label, or leave it out"), command)
		}
	}
	if a.owner != "" && actsForAll(command) {
		return a.end(usagef("%s is not done for one owner; leave --owner out", command[1:]), command)
	}
	a.bygone = strings.HasPrefix(command, " audit") // their log stays
	begun := a.now()
	err = parsed.Run(a)
	a.detail("took %s", a.now().Sub(begun).Round(time.Millisecond))
	return a.end(err, command)
}

// newParser returns the parser of the command line, which writes its help to out.
func newParser(c *cli, out, messages io.Writer, options ...kong.Option) *kong.Kong {
	parser, err := kong.New(c, append([]kong.Option{
		kong.Name("satchel"),
		kong.Description("Agent memory that its owner carries."),
		kong.Writers(out, messages),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, FlagsLast: true, WrapUpperBound: 100}),
		kong.Vars{"writes": strings.Join(writableNames(), " or "), "reads": strings.Join(formatNames(), ", "), "levels": levelNames()},
		kong.ExplicitGroups(groups()),
	}, options...)...)
	if err != nil {
		panic(err) // the tree of commands is wrong: no test passes
	}
	explain(parser.Model.Node)
	return parser
}

// help prints the help for a command.
func (a *app) help(options kong.HelpOptions, k *kong.Context) error {
	var b strings.Builder
	before := k.Stdout
	k.Stdout = &b
	err := kong.DefaultHelpPrinter(options, k)
	k.Stdout = before
	a.page(b.String())
	return err
}

// colourIn returns the value of --color in arguments that were not parsed.
func colourIn(args []string) string {
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--color="); ok {
			return value
		}
		if arg == "--color" && i+1 < len(args) {
			return args[i+1]
		}
	}
	return colourAuto
}

// asked spells out what people type when they look for help.
func asked(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	case args[0] == "version":
		return append([]string{"--version"}, args[1:]...)
	}
	return negative(args)
}

// negative joins flags with numbers below 0, which look like flags themselves, so
// that they are refused for what they are.
func negative(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		if i+1 < len(args) && (args[i] == "--records" || args[i] == "--bytes") && belowZero.MatchString(args[i+1]) {
			out = append(out, args[i]+"="+args[i+1])
			i++
			continue
		}
		out = append(out, args[i])
	}
	return out
}

var belowZero = regexp.MustCompile(`^-[0-9]`)

// actsForAll reports whether a command is about a store or a document, and not about
// what one of its owners keeps.
func actsForAll(command string) bool {
	words := strings.Fields(command)
	switch words[0] {
	case "init", "inspect", "validate", "sign", "keys", "backup", "restore", "store", "serve", "doctor", "aicf":
		return true
	case "owner":
		return len(words) > 1 && words[1] != "rekey"
	case "agent":
		return len(words) > 1 && agentForAll(words[1])
	}
	return false
}

// commandOf returns the command that was chosen, with a space before it.
func commandOf(k *kong.Context) string {
	if k == nil || k.Selected() == nil {
		return ""
	}
	var names []string
	for _, step := range k.Path {
		if step.Command != nil {
			names = append(names, " "+step.Command.Name)
		}
	}
	return strings.Join(names, "")
}

// end tells of an error, once, and returns the exit status.
func (a *app) end(err error, command string) int {
	status := statusOf(err)
	if err == nil || errors.Is(err, errSilent) {
		return status
	}
	message := describe(err)
	if a.json {
		if failed := a.emit(envelope(err, status, message)); failed != nil {
			a.warn("satchel: %s", describe(failed))
		}
	}
	if _, told := errors.AsType[hinted](err); status == exitUsage && !told {
		message += "; see satchel" + command + " --help"
	}
	a.fail(message)
	return status
}
