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

// contextFlags say how to write a context file.
type contextFlags struct {
	FormatVersion string `name:"format-version" enum:",3.0,3.1" default:"" help:"For a context file: the version to write, 3.1 or 3.0. Version 3.0 cannot hold everything. Default: 3.1." placeholder:"V"`
	Redact        bool   `help:"For a context file: replace mail addresses, telephone numbers and secrets by tokens, and leave out whole records."`
}

// contextOut is a context file that is being written.
type contextOut struct {
	contextFlags
	packed  bool // its name says that it is packed
	applies bool // it is a context file

	counts aicf.Counts // possible personal data and secrets, replaced or not
	losses []codec.Loss
}

// writing begins a document of a format in the file at path.
func (f contextFlags) writing(to codec.Format, path string) (*contextOut, error) {
	out := &contextOut{contextFlags: f, applies: to.Name == contextFiles, counts: aicf.Counts{}}
	if !out.applies && f != (contextFlags{}) {
		return nil, cli.Usagef("--format-version and --redact are for context files; say --to %s", contextFiles)
	}
	out.packed = out.applies && strings.HasSuffix(strings.ToLower(path), aicf.Extension+".gz")
	return out, nil
}

// saw notes a record that is written.
func (f *contextOut) saw(rec memory.Record) {
	if f.applies && !f.Redact {
		_, counts := Redactor().Text(rec.Body.Text)
		f.counts.Add(counts)
	}
}

// through writes the output of fill, as the flags and the file's name require.
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

// TellRedacted reports how many values of each kind were replaced, and never the
// values.
func TellRedacted(a *cli.App, counts aicf.Counts) {
	if counts.Total() > 0 {
		a.Say("replaced by tokens: %s; --no-redact keeps them", CountedWords(counts))
	}
}

// Redactor returns the redactor of all commands.
func Redactor() aicf.Redactor { return aicf.Redactor{Unknown: true} }

// RedactFile redacts contents. Carried records repeat the same data, signed: it
// leaves out the carried records for which drop is true.
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

// DropAlways drops every carried record.
func DropAlways(*aicf.Carried) bool { return true }

// TellStayed reports personal data and secrets that were replaced, or that stayed.
func TellStayed(a *cli.App, counts aicf.Counts, redacted bool) {
	switch {
	case counts.Total() == 0:
	case redacted:
		a.Say("replaced by tokens: %s", CountedWords(counts))
	default:
		a.Warn("it holds what may be personal or secret: %s; --redact replaces it", strings.TrimSpace(CountedWords(counts)))
	}
}
