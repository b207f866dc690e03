package documents

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/memory"
)

// contextFlags say how a context file is written.
type contextFlags struct {
	FormatVersion string `name:"format-version" enum:",3.0,3.1" default:"" help:"For a context file: the version to write, 3.1 or 3.0. Version 3.0 cannot hold everything. Default: 3.1." placeholder:"V"`
	Redact        bool   `help:"For a context file: replace mail addresses, telephone numbers and secrets by tokens, and leave out whole records."`
}

// contextOut is a context file on its way out.
type contextOut struct {
	contextFlags
	packed  bool // its name says so
	applies bool // it is a context file

	counts aicf.Counts // what may be personal or secret, replaced or not
	losses []codec.Loss
}

// writing begins a document of a format in a file of that name.
func (f contextFlags) writing(to codec.Format, path string) (*contextOut, error) {
	out := &contextOut{contextFlags: f, applies: to.Name == contextFiles, counts: aicf.Counts{}}
	if !out.applies && f != (contextFlags{}) {
		return nil, cli.Usagef("--format-version and --redact are for context files; say --to %s", contextFiles)
	}
	out.packed = out.applies && strings.HasSuffix(strings.ToLower(path), aicf.Extension+".gz")
	return out, nil
}

// saw takes a record in that is written.
func (f *contextOut) saw(rec memory.Record) {
	if f.applies && !f.Redact {
		_, counts := Redactor().Text(rec.Body.Text)
		f.counts.Add(counts)
	}
}

// through lets what fill writes out, as the flags and the name of the file ask for.
func (f *contextOut) through(out io.Writer, fill func(io.Writer) error) error {
	if f.packed {
		packed := gzip.NewWriter(out)
		return errors.Join(f.rewritten(packed, fill), packed.Close())
	}
	return f.rewritten(out, fill)
}

func (f *contextOut) rewritten(out io.Writer, fill func(io.Writer) error) error {
	if f.contextFlags == (contextFlags{}) {
		return fill(out)
	}
	var whole bytes.Buffer
	if err := fill(&whole); err != nil {
		return err
	}
	file, err := aicf.Parse(whole.Bytes(), aicf.Options{})
	if err != nil {
		return err
	}
	c, _ := aicf.Read(file, aicf.Options{})
	if f.Redact {
		f.counts, f.losses = RedactFile(c, DropAlways)
	}
	how := aicf.WriteOptions{Preserve: true}
	if f.FormatVersion == aicf.V30.String() {
		how = aicf.WriteOptions{Version: aicf.V30}
	}
	losses, err := aicf.EncodeTo(out, c, how)
	f.losses = append(f.losses, losses...)
	return err
}

// TellRedacted tells how many of what were replaced, and never which.
func TellRedacted(a *cli.App, counts aicf.Counts) {
	if counts.Total() > 0 {
		a.Say("replaced by tokens: %s; --no-redact keeps them", CountedWords(counts))
	}
}

// Redactor makes the command line's redactions everywhere.
func Redactor() aicf.Redactor { return aicf.Redactor{Unknown: true} }

// RedactFile redacts contents. Carried records repeat the same data, signed: it leaves out
// those that drop names.
func RedactFile(c *aicf.Contents, drop func(*aicf.Carried) bool) (aicf.Counts, []codec.Loss) {
	losses := []codec.Loss{}
	c.Entries = slices.DeleteFunc(c.Entries, func(e aicf.Entry) bool {
		carried, is := e.(*aicf.Carried)
		if is = is && drop(carried); is {
			losses = append(losses, codec.Loss{Pointer: fmt.Sprintf("line:%d", carried.Line), Reason: "a whole record rides along, which would say what is redacted"})
		}
		return is
	})
	return Redactor().Contents(c), losses
}

// DropAlways drops whatever rides along.
func DropAlways(*aicf.Carried) bool { return true }

// TellStayed tells of personal data and secrets that were replaced, or that were not.
func TellStayed(a *cli.App, counts aicf.Counts, redacted bool) {
	switch {
	case counts.Total() == 0:
	case redacted:
		a.Say("replaced by tokens: %s", CountedWords(counts))
	default:
		a.Warn("it holds what may be personal or secret: %s; --redact replaces it", strings.TrimSpace(CountedWords(counts)))
	}
}
