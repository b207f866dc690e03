package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// app is what a command works with: everything that comes from outside.
type app struct {
	ctx context.Context
	in  io.Reader
	out io.Writer // results only
	err io.Writer // messages, progress, warnings
	env func(string) string
	now func() time.Time

	store    string        // --store
	homeDir  string        // --home
	owner    string        // --owner: a DID or a label
	bygone   bool          // who was removed may be acted for
	json     bool          // results as JSON
	typed    string        // the passphrase that was typed last
	quiet    bool          // no messages
	verbose  bool          // more messages
	colour   string        // --color
	patience time.Duration // how long a database that cannot be reached is waited for
}

// print writes a result.
func (a *app) print(format string, args ...any) {
	fmt.Fprintln(a.out, fmt.Sprintf(format, args...)) // go vet checks the callers of this form, and not of format+"\n"
}

// say writes a message, unless it was asked to be quiet.
func (a *app) say(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintln(a.err, fmt.Sprintf(format, args...))
	}
}

// detail writes a message for people who asked to be told more.
func (a *app) detail(format string, args ...any) {
	if a.verbose {
		a.warn(format, args...)
	}
}

// warn writes what may not be overlooked.
func (a *app) warn(format string, args ...any) {
	fmt.Fprintln(a.err, fmt.Sprintf(format, args...))
}

// emit writes a result for machines.
func (a *app) emit(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// interactive reports whether there is a person to ask.
func (a *app) interactive() bool { return isTerminal(a.in) }

// ask shows a question: beside the messages, or on the terminal itself where
// those go elsewhere.
func (a *app) ask(question string) {
	if !isTerminal(a.err) {
		if tty, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0); err == nil {
			defer tty.Close()
			fmt.Fprint(tty, question)
			return
		}
	}
	fmt.Fprint(a.err, question)
}

// confirm asks a question that is answered with yes or no.
func (a *app) confirm(question string) (bool, error) {
	a.ask(question + " [y/N] ")
	answer, err := a.line()
	return strings.HasPrefix(strings.ToLower(strings.TrimSpace(answer)), "y"), err
}

// line reads one line of what a person types, byte by byte, so that what comes
// after it stays for whoever reads next.
func (a *app) line() (string, error) {
	var b strings.Builder
	one := make([]byte, 1)
	for b.Len() <= maxAnswer {
		n, err := a.stdin().Read(one)
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
	return "", usagef("the answer is longer than %d bytes", maxAnswer)
}

// secret asks for something that is not shown while it is typed.
func (a *app) secret(prompt string) (string, error) {
	f, ok := a.in.(*os.File)
	if !ok {
		return "", fmt.Errorf("there is no terminal to ask on")
	}
	a.ask(prompt + ": ")
	before, err := term.GetState(int(f.Fd()))
	if err != nil {
		return "", fmt.Errorf("read from the terminal: %w", err)
	}
	text, err := await(a.ctx, func() ([]byte, error) { return term.ReadPassword(int(f.Fd())) })
	if a.ctx.Err() != nil {
		_ = term.Restore(int(f.Fd()), before) // what is typed shows again; the read goes on
	}
	a.ask("\n")
	if err != nil {
		return "", fmt.Errorf("read from the terminal: %w", err)
	}
	return string(text), nil
}

// text returns an argument, or standard input for "-".
func (a *app) text(arg string, most int64) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	data, err := io.ReadAll(io.LimitReader(a.stdin(), most+1))
	if err != nil {
		return "", fmt.Errorf("read standard input: %w", err)
	}
	if int64(len(data)) > most {
		return "", usagef("standard input is longer than %d bytes", most)
	}
	return string(data), nil
}
