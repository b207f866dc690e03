package contextfiles

import (
	"encoding/json"
	"io"
	"os"
	"slices"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/aicf/aicffile"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/documents"
)

type aicfMigrateCmd struct {
	In     string `arg:"" help:"A context file of any version and dialect. It stays unchanged."`
	Out    string `arg:"" help:"The new file, or - for standard output."`
	To     string `enum:"3.1,3.0" default:"3.1" help:"The version to write: 3.1 or 3.0. Version 3.0 cannot hold everything."`
	Report string `help:"Write a report of every change to a file, as JSON." placeholder:"FILE"`
	Redact bool   `help:"Replace mail addresses, telephone numbers and secrets by tokens."`
	aicfFlags
}

// migrationOut is the result for a file, for machines.
type migrationOut struct {
	File     string                 `json:"file"`
	Dialect  string                 `json:"dialect"`
	From     string                 `json:"from"`
	To       string                 `json:"to"`
	Entries  map[string]int         `json:"entries"`
	Changes  []string               `json:"changes"`
	Kept     []string               `json:"kept"`
	Assumed  []string               `json:"assumed"`
	Findings []documents.FindingOut `json:"findings"`
	Losses   []codec.Loss           `json:"losses"`
	Replaced aicf.Counts            `json:"replaced"` // with --redact
}

// Run writes another file; the source stays.
func (c *aicfMigrateCmd) Run(a *cli.App) error {
	if err := c.apart(); err != nil {
		return err
	}
	contents, report, out, err := c.migrated(a)
	if err != nil {
		return aicfError(err)
	}
	how := aicf.WriteOptions{Preserve: report.Dialect == aicf.Spec && report.From == aicf.V31 && !c.Redact}
	if c.To == aicf.V30.String() {
		how = aicf.WriteOptions{Version: aicf.V30}
	}
	lost, err := c.write(a, contents, how)
	if err != nil {
		return aicfError(err)
	}
	out.Losses = append(out.Losses, lost...)
	return c.tell(a, report, out)
}

// apart refuses to overwrite the source.
func (c *aicfMigrateCmd) apart() error {
	in, err := os.Stat(c.In)
	if err != nil {
		return err
	}
	if out, err := os.Stat(c.Out); err == nil && os.SameFile(in, out) {
		return cli.Refusedf("%s and %s are the same file; what is migrated stays as it is", c.In, c.Out)
	}
	return nil
}

// migrated returns the new contents.
func (c *aicfMigrateCmd) migrated(a *cli.App) (*aicf.Contents, aicf.Report, migrationOut, error) {
	o := c.options(a)
	out := migrationOut{File: c.In, To: c.To, Losses: []codec.Loss{}, Replaced: aicf.Counts{}}
	data, err := aicffile.Load(c.In, o)
	if err != nil {
		return nil, aicf.Report{}, out, err
	}
	file, err := aicf.Parse(data, o.Options)
	if err == nil {
		err = c.migratable(file, o.Options)
	}
	if err != nil {
		return nil, aicf.Report{}, out, err
	}
	if info, err := os.Stat(c.In); err == nil {
		o.Modified = info.ModTime()
	}
	contents, report, err := aicf.Migrate(data, o.Options)
	if err != nil {
		return nil, report, out, err
	}
	if f, broken := report.Unmended(); broken && !c.Force {
		return nil, report, out, unsound(c.In, f)
	}
	if c.Redact {
		out.Replaced, out.Losses = documents.RedactFile(contents, documents.DropAlways)
		report.Findings = slices.DeleteFunc(report.Findings, isPersonal)
	}
	return contents, report, out, nil
}

// migratable refuses a file that is not sound, apart from headers and values of other
// writers: a migration moves these to where the format has a place for them.
func (c *aicfMigrateCmd) migratable(file *aicf.File, o aicf.Options) error {
	contents, found := aicf.Read(file, o)
	if !contents.Dialect.Sections() && contents.Dialect != aicf.Tables || !aicf.OnlyForeign(append(file.Findings(), found...)) {
		_, err := c.sound(c.In, file, o)
		return err
	}
	return nil
}

// isPersonal reports whether a finding concerns redactable data.
func isPersonal(f aicf.Finding) bool { return f.Rule == "AICF-PII-6" }

// tellsMore reports whether a carried record holds data that a redaction would replace.
func tellsMore(c *aicf.Carried) bool {
	v, err := canon.Parse([]byte(c.Record), canon.Options{Bytes: int64(len(c.Record)) + 1, Inexact: true})
	if err != nil {
		return true // its content is unknown
	}
	_, found := documents.Redactor().Text(string(v.Append(nil)))
	return found.Total() > 0
}

func (c *aicfMigrateCmd) write(a *cli.App, contents *aicf.Contents, how aicf.WriteOptions) (lost []codec.Loss, err error) {
	if !cli.IsStdout(c.Out) {
		return aicffile.Write(c.Out, contents, how, c.options(a))
	}
	if a.JSON {
		return aicf.EncodeTo(io.Discard, contents, how)
	}
	return aicf.EncodeTo(a.Out, contents, how)
}

// tell reports the result.
func (c *aicfMigrateCmd) tell(a *cli.App, r aicf.Report, out migrationOut) error {
	out.Dialect, out.From, out.Entries = r.Dialect.String(), r.From.String(), r.Counts
	out.Changes, out.Kept, out.Assumed = changes(r.Changes), changes(r.Kept), changes(r.Assumed)
	out.Findings = documents.FindingsOut(r.Findings)
	if c.Report != "" {
		data, err := json.MarshalIndent(out, "", "  ")
		if err == nil {
			err = atomicfile.Write(c.Report, 0o600, append(data, '\n'))
		}
		if err != nil {
			return err
		}
	}
	documents.TellStayed(a, out.Replaced, true)
	for _, f := range r.Findings {
		if isPersonal(f) {
			a.Warn("warning: %s; --redact replaces it", cli.Clean(f.Message))
		}
	}
	documents.TellLost(a, out.Losses)
	if a.JSON {
		return a.Emit(out)
	}
	a.Say("migrated %s, %s, to %s: %s", cli.Clean(c.In), out.Dialect, c.To, documents.CountedWords(out.Entries))
	a.Say("%s kept in sections of their own; %s assumed; %s about the result",
		cli.Plural(len(out.Kept), "entry", "entries"), cli.Plural(len(out.Assumed), "value", "values"), cli.Plural(len(out.Findings), "finding", "findings"))
	sayFindings(a, r.Findings)
	return nil
}

// mostSaid is how many findings about a result are said; satchel validate names all.
const mostSaid = 5

// sayFindings says what satchel validate finds in the result.
func sayFindings(a *cli.App, found []aicf.Finding) {
	for i, f := range found {
		if i == mostSaid {
			a.Say("  satchel validate names %d more", len(found)-i)
			return
		}
		a.Say("  satchel validate: %s", cli.Clean(f.String()))
	}
}

func changes(list []aicf.Change) []string {
	texts := []string{}
	for _, c := range list {
		texts = append(texts, c.String())
	}
	return texts
}
