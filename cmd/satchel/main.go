// Satchel is agent memory that its owner carries: one program that keeps what
// assistants learn, signed with the owner's key, in a folder of the owner's.
//
//	cli.go                   the list of commands; main.go runs one
//	explain.go, help/        the long help of each command
//	usage.go, suggest.go     errors of the command line, and corrections
//	man*.go, completion.go   the manual; completion for shells
//	version.go               the release, and the specifications it follows
//
// The packages below internal/cli hold the commands themselves, one file for each;
// internal/cli holds what they share.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/agentdoc"
	"github.com/satchel-memory/satchel/internal/heapstart"
	"github.com/satchel-memory/satchel/text/pattern"
)

func main() { os.Exit(runProcess(0)) }

// runProcess runs the command of this process and returns the exit status. sealCost is the
// SealCost of [cli.App].
func runProcess(sealCost int) int {
	heapstart.End(os.Getenv("GOGC") != "")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	a := &cli.App{
		Ctx: ctx, In: os.Stdin, Out: cli.Screened(os.Stdout), Err: os.Stderr,
		Env: os.Getenv, Now: time.Now, SealCost: sealCost,
	}
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	code := run(a, os.Args[1:])
	if code == cli.ExitFailed && ctx.Err() != nil {
		code = cli.ExitInterrupted
	}
	stop()
	return code
}

// run parses the arguments, runs the command and returns the exit status.
func run(a *cli.App, args []string) int {
	if len(args) == 0 && isNew(a) {
		welcome(a)
		return cli.ExitDone
	}
	args = expandHelp(args)
	a.JSON = slices.Contains(args, "--json") // for a command line that does not parse
	a.Colour = colourIn(args)                // for help, which kong prints during parsing
	c, parsed, err := parse(a, args)
	if err != nil {
		command := ""
		if e, ok := errors.AsType[*kong.ParseError](err); ok {
			command = commandOf(e.Context)
			err = hint(e)
		}
		return finish(a, err, command)
	}
	a.JSON, a.Quiet, a.Verbose, a.Colour = c.JSON, c.Quiet, c.Verbose, c.Color
	a.Store, a.HomeDir, a.Owner = c.Store, c.Home, ""
	command := commandOf(parsed)
	if c.For != nil {
		if a.Owner = *c.For; a.Owner == "" { // as from an unset variable: it names no other owner
			return finish(a, cli.Usagef("--owner names nobody; give a DID or a label, or leave it out"), command)
		}
	}
	if a.Owner != "" && actsForAll(command) {
		return finish(a, cli.Usagef("%s is not done for one owner; leave --owner out", command[1:]), command)
	}
	a.Bygone = strings.HasPrefix(command, " audit") // the audit log of removed owners stays
	begun := a.Now()
	err = parsed.Run(a)
	a.Detail("took %s", a.Now().Sub(begun).Round(time.Millisecond))
	return finish(a, err, command)
}

// parse reads the command line. A parser of one command takes a fraction of the time of a
// parser of all commands, which is most of the program's start. The parser of all commands
// prints help and finds errors.
func parse(a *cli.App, args []string) (*sharedFlags, *kong.Context, error) {
	if parser, flags := oneParser(args, a.Out, a.Err); parser != nil {
		if parsed, err := parser.Parse(args); err == nil {
			return flags, parsed, nil
		}
	}
	c := new(commands)
	parsed, err := fullParser(c, a.Out, a.Err, kong.Help(func(options kong.HelpOptions, k *kong.Context) error { return help(a, options, k) })).Parse(args)
	return &c.Shared, parsed, err
}

// fullParser returns the parser of all commands. It writes help to out.
func fullParser(c *commands, out, messages io.Writer, options ...kong.Option) *kong.Kong {
	return newParser(c, out, messages, append(options, kong.PostBuild(withHelp))...)
}

// newParser returns a parser for commands, or for a struct like it.
func newParser(commands any, out, messages io.Writer, options ...kong.Option) *kong.Kong {
	parser, err := kong.New(commands, append([]kong.Option{
		kong.Name("satchel"),
		kong.Description("Agent memory that its owner carries."),
		kong.Writers(out, messages),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, FlagsLast: true, WrapUpperBound: 100}),
		kong.ExplicitGroups(groups()),
	}, options...)...)
	if err != nil {
		panic(err) // the tree of commands is wrong: no test passes
	}
	return parser
}

// help prints the help for a command.
func help(a *cli.App, options kong.HelpOptions, k *kong.Context) error {
	var b strings.Builder
	before := k.Stdout
	k.Stdout = &b
	err := kong.DefaultHelpPrinter(options, k)
	k.Stdout = before
	a.Page(b.String())
	return err
}

// colourIn returns the value of --color in unparsed arguments.
func colourIn(args []string) string {
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--color="); ok {
			return value
		}
		if arg == "--color" && i+1 < len(args) {
			return args[i+1]
		}
	}
	return cli.ColourAuto
}

// expandHelp replaces the words that people type for help.
func expandHelp(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	case args[0] == "version":
		return append([]string{"--version"}, args[1:]...)
	}
	return joinNegatives(args)
}

// joinNegatives joins flags with numbers below 0, which look like flags themselves, so that
// the error names the number.
func joinNegatives(args []string) []string {
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

var belowZero = pattern.New(`^-[0-9]`)

// actsForAll reports whether a command concerns a store or a document, and not the memories
// of one owner.
func actsForAll(command string) bool {
	words := strings.Fields(command)
	switch words[0] {
	case "init", "inspect", "validate", "sign", "keys", "backup", "restore", "store", "serve", "service", "doctor", "aicf":
		return true
	case "owner":
		return len(words) > 1 && words[1] != "rekey"
	case "agent":
		return len(words) > 1 && agentdoc.ForAll(words[1])
	}
	return false
}

// commandOf returns the chosen command, with a space before it.
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

// finish reports an error, once, and returns the exit status.
func finish(a *cli.App, err error, command string) int {
	status := cli.StatusOf(err)
	if err == nil || errors.Is(err, cli.ErrSilent) {
		return status
	}
	message := cli.Describe(err)
	if a.JSON {
		if failed := a.Emit(cli.Envelope(err, status, message)); failed != nil {
			a.Warn("satchel: %s", cli.Describe(failed))
		}
	}
	if _, told := errors.AsType[hintError](err); status == cli.ExitUsage && !told {
		message += "; see satchel" + command + " --help"
	}
	a.Fail(message)
	return status
}
