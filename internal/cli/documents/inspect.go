package documents

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/redact"
	"github.com/satchel-memory/satchel/ump"
)

// InspectCmd is the command satchel inspect.
type InspectCmd struct {
	File string `arg:"" help:"A file, a folder, an archive, or - for standard input. store: is your store, store:DIR or postgres://… another store."`
	From string `name:"format" aliases:"from" help:"The format. Default: detected." placeholder:"FORMAT"`
}

// summary is the result of inspect for a document.
type summary struct {
	Name       string         `json:"name"`
	Format     string         `json:"format"`
	Title      string         `json:"title"`
	Records    int            `json:"records"`
	Versions   map[string]int `json:"versions"`
	Kinds      map[string]int `json:"kinds"`
	Statuses   map[string]int `json:"statuses"`
	Owners     map[string]int `json:"owners"`
	Projects   int            `json:"projects"`
	First      string         `json:"first,omitempty"`
	Last       string         `json:"last,omitempty"`
	Signatures map[string]int `json:"signatures"`
	Residue    map[string]int `json:"residue"` // memories that carry extra data of a format, by format
	Secrets    secretCount    `json:"secrets"`
	Losses     int            `json:"losses"`
	Lost       []lossGroup    `json:"lost"` // data that an import would lose, by reason and place

	projects map[string]bool
	written  period
}

// secretCount counts keys, tokens and passwords; it never holds them.
type secretCount struct {
	Memories int `json:"memories"`
	Places   int `json:"places"`
}

// read opens the document. A Markdown file that no format claims is read as import reads it.
func (c *InspectCmd) read(a *cli.App) (*document, error) {
	d, err := ReadDocument(a, c.File, c.From)
	if memory.KindOf(err) != memory.Unsupported || c.From != "" || c.File == "-" {
		return d, err
	}
	in, failed := a.Source(c.File)
	if failed != nil {
		return d, err
	}
	notes, ok := formats.Notes(in.Source)
	if !ok {
		return d, errors.Join(err, in.Close())
	}
	tellNotes(a, in.Name, notes.Name)
	return &document{in, notes}, nil
}

// Run reads a document and counts.
func (c *InspectCmd) Run(a *cli.App) error {
	if where, ok := storeNamed(c.File); ok {
		return c.store(a, where)
	}
	d, err := c.read(a)
	if err != nil {
		return err
	}
	defer d.Close()
	if d.isBundle() {
		return inspectBundle(a, d, c.File)
	}
	if d.isExport() {
		return inspectExport(a, d)
	}
	tree := d.watchTree()
	r, err := d.read(a, inspected)
	if err != nil {
		return err
	}
	defer r.Close()
	s := newSummary(d.Source.Name, d.Format.Name, d.Title)
	if err := each(r, s.add); err != nil {
		return err
	}
	all := ReportFlags{}.Ledger()
	all.Lost(OnReading, d.Format.Name, r.Losses())
	tellUnread(a, d.Format.Name, tree, r.Losses())
	s.Losses, s.Lost = len(all.Losses), append(s.Lost, grouped(all.Losses)...)
	return s.tell(a)
}

// inspected stands for the owner of records that name none.
const inspected memory.DID = "did:example:nobody"

// newSummary begins to count.
func newSummary(name, format, title string) *summary {
	return &summary{
		Name: name, Format: format, Title: title,
		Versions: map[string]int{}, Kinds: map[string]int{}, Statuses: map[string]int{},
		Owners: map[string]int{}, Signatures: map[string]int{}, Residue: map[string]int{},
		Lost: []lossGroup{}, projects: map[string]bool{},
	}
}

// add counts a record.
func (s *summary) add(rec memory.Record) error {
	s.Records++
	if rec.Version != "" {
		s.Versions[rec.Version]++
	}
	s.Kinds[string(rec.Kind)]++
	s.Statuses[string(rec.Lifecycle.Status.Or())]++
	if rec.Scope.Owner != inspected {
		s.Owners[string(rec.Scope.Owner)]++
	}
	if rec.Scope.Project != "" {
		s.projects[rec.Scope.Project] = true
	}
	s.Signatures[integrity(rec)]++
	s.look(rec)
	s.written.add(rec.Time.Created)
	return nil
}

// tell prints the counts.
func (s *summary) tell(a *cli.App) error {
	s.Projects, s.First, s.Last = len(s.projects), cli.Stamp(s.written.first), cli.Stamp(s.written.last)
	if a.JSON {
		return a.Emit(s)
	}
	s.show(a)
	return nil
}

// look counts the data beside a record's text, and secrets.
func (s *summary) look(rec memory.Record) {
	for _, f := range formats.All() {
		if codec.IsResidue(f.Name) && codec.Mentions(rec, f.Name) {
			if _, carries := codec.Residue(rec, f.Name); carries {
				s.Residue[f.Name]++
			}
		}
	}
	if _, counts := redact.Secrets().Record(rec); counts != nil {
		s.Secrets.Memories++
		s.Secrets.Places += counts.Total()
	}
}

// period is the time from the first to the last writing.
type period struct{ first, last time.Time }

// add extends the period to a time; it ignores the zero time.
func (s *period) add(at time.Time) {
	if at.IsZero() {
		return
	}
	if s.first.IsZero() || at.Before(s.first) {
		s.first = at
	}
	if at.After(s.last) {
		s.last = at
	}
}

// integrity sorts a record by the state of its signature.
func integrity(rec memory.Record) string {
	if rec.Integrity == nil {
		return "unsigned"
	}
	switch err := ump.Verify(rec.Form()); {
	case err == nil:
		return "verified"
	case unresolvable(err):
		return "not verifiable"
	}
	return "wrong"
}

func (s *summary) show(a *cli.App) {
	a.Print("%s: %s", cli.Clean(s.Name), s.Title)
	a.Print("records     %d", s.Records)
	for _, line := range []struct {
		name   string
		counts map[string]int
	}{{"versions", s.Versions}, {"kinds", s.Kinds}, {"statuses", s.Statuses}, {"owners", s.Owners}, {"signatures", s.Signatures}, {"beside", s.Residue}} {
		if len(line.counts) > 0 {
			a.Print("%-11s %s", line.name, CountedWords(line.counts))
		}
	}
	a.Print("projects    %d", s.Projects)
	if s.First != "" {
		a.Print("written     %s to %s", LocalStamp(s.First), LocalStamp(s.Last))
	}
	if s.Secrets.Places > 0 && s.Format == storeFormat {
		a.Print("secrets     %d in %s", s.Secrets.Places, cli.Plural(s.Secrets.Memories, "memory", "memories"))
	} else if s.Secrets.Places > 0 {
		a.Print("secrets     %d in %s; import masks them unless they are signed", s.Secrets.Places, cli.Plural(s.Secrets.Memories, "memory", "memories"))
	}
	if s.Losses > 0 {
		a.Print("not taken over on import: %s", cli.Plural(s.Losses, "detail", "details"))
	}
	for _, g := range s.Lost {
		a.Print("  %d× %s", g.Count, cli.Clean(strings.TrimSpace(g.Reason+" "+g.Pointer)))
	}
}

// CountedWords lists counts, the most frequent first.
func CountedWords(counts map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d × %s", counts[name], cli.OneLine(name, 0)))
	}
	return strings.Join(parts, ", ")
}

// LocalStamp shows a document's time in the user's time zone.
func LocalStamp(s string) string {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return s
	}
	return cli.Local(t)
}
