package contextfiles

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/aicf/aicffile"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/documents"
)

type aicfAppendCmd struct {
	File       string    `arg:"" help:"The context file. It is made if it does not exist."`
	Insight    string    `xor:"what" help:"An insight, or - for standard input." placeholder:"TEXT"`
	Decision   string    `xor:"what" help:"A decision, or - for standard input." placeholder:"TEXT"`
	Link       string    `xor:"what" help:"A link between two ids, such as conv_001->decision_002." placeholder:"FROM->TO"`
	From       string    `xor:"what" help:"Append all entries of another context file." placeholder:"FILE"`
	ID         string    `help:"The id of the entry. Default: its number." placeholder:"ID"`
	Category   aicf.Word `default:"GENERAL" help:"For an insight: ARCHITECTURE, IMPLEMENTATION, STRATEGY, DATA, SECURITY, PERFORMANCE or GENERAL." placeholder:"C"`
	Priority   aicf.Word `default:"MEDIUM" help:"For an insight: CRITICAL, HIGH, MEDIUM or LOW." placeholder:"P"`
	Impact     aicf.Word `default:"MEDIUM" help:"For a decision: CRITICAL, HIGH, MEDIUM or LOW." placeholder:"I"`
	Confidence aicf.Word `default:"MEDIUM" help:"HIGH, MEDIUM or LOW." placeholder:"C"`
	Rationale  string    `help:"For a decision: the reason." placeholder:"TEXT"`
	Type       aicf.Word `default:"related_to" help:"For a link: depends_on, related_to, supersedes, implements, semantic_cluster, temporal_sequence or causal_relationship." placeholder:"T"`
	MemoryType aicf.Word `help:"semantic, episodic or procedural." placeholder:"M"`
	NoRedact   bool      `help:"Keep mail addresses, telephone numbers and secrets as they are."`
	aicfFlags
}

// Run appends; other programs may append at the same time.
func (c *aicfAppendCmd) Run(a *cli.App) error {
	if err := c.extensible(a); err != nil {
		return aicfError(err)
	}
	entries, err := c.entries(a)
	if err != nil {
		return aicfError(err)
	}
	said := &aicf.Contents{Entries: entries}
	counts, losses := aicf.Counts{}, []codec.Loss{}
	if !c.NoRedact {
		counts, losses = documents.RedactFile(said, tellsMore)
	}
	done, err := aicffile.Append(c.File, c.options(a), said.Entries...)
	if err != nil {
		return aicfError(err)
	}
	losses = append(losses, done.Losses...)
	if done.Torn > 0 {
		a.Warn("the rest of an append that was cut off, %d bytes, was moved to %s", done.Torn, done.TornTo)
	}
	documents.TellRedacted(a, counts)
	if a.JSON {
		return a.Emit(map[string]any{
			"file": c.File, "created": done.Created, "entries": len(said.Entries), "bytes": done.Bytes,
			"redacted": counts, "losses": losses,
		})
	}
	documents.TellLost(a, losses)
	a.Say("appended %s to %s", cli.Plural(len(said.Entries), "entry", "entries"), cli.Clean(c.File))
	return nil
}

// extensible refuses a file without sections, unless --force is set.
func (c *aicfAppendCmd) extensible(a *cli.App) error {
	d, err := aicffile.Dialect(c.File, c.options(a))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	switch d {
	case aicf.Spec, aicf.Core311, aicf.Unnumbered, aicf.FirstLine, aicf.Transcripts:
		return err
	}
	if err != nil || c.Force {
		return err
	}
	return cli.Refusedf("%s is of an older kind, %s, to which sections cannot be appended; make a new file of it with satchel aicf migrate", c.File, d)
}

// entries are the entries to append.
func (c *aicfAppendCmd) entries(a *cli.App) ([]aicf.Entry, error) {
	switch {
	case c.From != "":
		return c.others(a)
	case c.Link != "":
		from, to, found := strings.Cut(c.Link, "->")
		if !found {
			return nil, cli.Usagef("a link is two ids with an arrow between, such as conv_001->decision_002; quote it for the shell")
		}
		return []aicf.Entry{&aicf.Link{From: strings.TrimSpace(from), To: strings.TrimSpace(to), Type: c.Type, MemoryType: c.MemoryType}}, nil
	case c.Decision != "":
		text, err := a.Text(c.Decision, maxEntry)
		if c.Rationale == "" {
			err = cli.Usagef("a decision has a reason; say it with --rationale")
		}
		return []aicf.Entry{&aicf.Decision{ID: c.ID, Text: text, Impact: c.Impact, Confidence: c.Confidence, Rationale: c.Rationale, MemoryType: c.MemoryType}}, err
	case c.Insight != "":
		text, err := a.Text(c.Insight, maxEntry)
		return []aicf.Entry{&aicf.Insight{ID: c.ID, Text: text, Category: c.Category, Priority: c.Priority, Confidence: c.Confidence, MemoryType: c.MemoryType}}, err
	}
	return nil, cli.Usagef("say what to append: --insight, --decision, --link or --from")
}

// maxEntry is the most bytes of a typed or piped text.
const maxEntry = 1 << 20

// others returns the entries of another context file, under names with the same meaning
// here.
func (c *aicfAppendCmd) others(a *cli.App) ([]aicf.Entry, error) {
	if c.ID != "" {
		return nil, cli.Usagef("--id is for an insight or a decision")
	}
	from, err := c.contents(a, c.From)
	if err != nil {
		return nil, err
	}
	taken := map[string]bool{}
	if here, err := c.contents(a, c.File); err == nil {
		x := here.Index()
		for _, e := range here.Entries {
			taken[x.Name(e)] = true
		}
	}
	from.NameOrdinals(stem(c.From)+"_", func(id string) bool { return !taken[id] })
	var entries []aicf.Entry
	for _, e := range from.Entries {
		switch e.(type) {
		case *aicf.Declaration, *aicf.Gap:
		default:
			entries = append(entries, e)
		}
	}
	return entries, nil
}
