package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/satchel-memory/satchel/internal/store"
)

// App holds a command's surroundings: streams, environment, clock and flags.
type App struct {
	Ctx context.Context
	In  io.Reader
	Out io.Writer // results only
	Err io.Writer // messages, progress, warnings
	Env func(string) string
	Now func() time.Time

	Store    string        // --store
	HomeDir  string        // --home
	Owner    string        // --owner: a DID or a label
	Bygone   bool          // removed owners may be selected
	JSON     bool          // results as JSON
	typed    string        // the last passphrase that a person typed
	Quiet    bool          // no messages
	Verbose  bool          // more messages
	Colour   string        // --color
	Patience time.Duration // how long to wait for a database that does not answer
	Trace    store.Tracer  // of the stores that are opened; nil: nobody traces
	SealCost int           // the logarithm of scrypt's work factor for new sealed files; 0: the default, about a second
}

// Print writes a result.
func (a *App) Print(format string, args ...any) {
	fmt.Fprintln(a.Out, fmt.Sprintf(format, args...)) // go vet checks callers of this form, but not of format+"\n"
}

// Say writes a message, unless --quiet is set.
func (a *App) Say(format string, args ...any) {
	if !a.Quiet {
		fmt.Fprintln(a.Err, fmt.Sprintf(format, args...))
	}
}

// Detail writes a message if --verbose is set.
func (a *App) Detail(format string, args ...any) {
	if a.Verbose {
		a.Warn(format, args...)
	}
}

// Warn writes a warning, even with --quiet.
func (a *App) Warn(format string, args ...any) {
	fmt.Fprintln(a.Err, fmt.Sprintf(format, args...))
}

// Emit writes a result as JSON.
func (a *App) Emit(v any) error {
	enc := json.NewEncoder(a.Out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// Interactive reports whether there is a person to ask.
func (a *App) Interactive() bool { return IsTerminal(a.In) }

// ask shows a question: among the messages, or on the terminal itself if the messages go
// elsewhere.
func (a *App) ask(question string) {
	if !IsTerminal(a.Err) {
		if tty, err := os.OpenFile(terminalName, os.O_WRONLY, 0); err == nil {
			defer tty.Close()
			fmt.Fprint(tty, question)
			return
		}
	}
	fmt.Fprint(a.Err, question)
}

// Confirm asks a yes-or-no question.
func (a *App) Confirm(question string) (bool, error) {
	a.ask(question + " [y/N] ")
	answer, err := a.Line()
	return strings.HasPrefix(strings.ToLower(strings.TrimSpace(answer)), "y"), err
}

// Ask asks a question, and returns the typed line.
func (a *App) Ask(question string) (string, error) {
	a.ask(question + " ")
	return a.Line()
}

// Line reads one typed line. It reads byte by byte, so that the next reader finds
// everything after the line.
func (a *App) Line() (string, error) {
	var b strings.Builder
	one := make([]byte, 1)
	for b.Len() <= maxAnswer {
		n, err := a.Stdin().Read(one)
		if n > 0 && one[0] != '\n' {
			b.WriteByte(one[0])
			continue
		}
		if n > 0 || err == io.EOF {
			return strings.TrimSuffix(b.String(), "\r"), nil
		}
		if err != nil {
			return "", fmt.Errorf("read the answer: %w", err)
		}
	}
	return "", Usagef("the answer is longer than %d bytes", maxAnswer)
}

// Secret asks for a text that the terminal does not show.
func (a *App) Secret(prompt string) (string, error) {
	f, ok := a.In.(*os.File)
	if !ok {
		return "", fmt.Errorf("there is no terminal to ask on")
	}
	a.ask(prompt + ": ")
	before, err := term.GetState(int(f.Fd()))
	if err != nil {
		return "", fmt.Errorf("read from the terminal: %w", err)
	}
	text, err := await(a.Ctx, func() ([]byte, error) { return term.ReadPassword(int(f.Fd())) })
	if a.Ctx.Err() != nil {
		_ = term.Restore(int(f.Fd()), before) // the terminal shows typed text again; the read goes on
	}
	a.ask("\n")
	if err != nil {
		return "", fmt.Errorf("read from the terminal: %w", err)
	}
	return string(text), nil
}

// Text returns an argument, or standard input for "-". It drops the line end that echo puts
// behind a text, on Windows as well.
func (a *App) Text(arg string, most int64) (string, error) {
	if arg != "-" {
		return withoutLineEnd(arg), nil
	}
	data, err := io.ReadAll(io.LimitReader(a.Stdin(), most+1))
	if err != nil {
		return "", fmt.Errorf("read standard input: %w", err)
	}
	if int64(len(data)) > most {
		return "", Usagef("standard input is longer than %d bytes", most)
	}
	return withoutLineEnd(string(data)), nil
}

func withoutLineEnd(text string) string {
	if cut, ok := strings.CutSuffix(text, "\n"); ok {
		return strings.TrimSuffix(cut, "\r")
	}
	return text
}
