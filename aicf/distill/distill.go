package distill

import (
	"errors"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/text/conversation"
)

// Options steer distilling. The zero Options asks no model and replaces personal data
// and secrets.
type Options struct {
	Redactor aicf.Redactor // replaces data
	Verbatim bool          // replaces nothing
	// Now dates conversations without a date, and gives the time of distilling. nil:
	// that time is the end of the conversation, and conversations without a date are
	// refused.
	Now func() time.Time
	// Propose asks a model, and returns its answer; nil: no model is asked. The
	// prompt is redacted.
	Propose func(prompt string) (string, error)
}

// Report is the result of distilling. Tokens are estimated: see [Tokens].
type Report struct {
	Conversations int         `json:"conversations"`
	Empty         int         `json:"empty"` // conversations without text
	Turns         int         `json:"turns"`
	Decisions     int         `json:"decisions"`
	Insights      int         `json:"insights"`
	Open          int         `json:"open"`       // of the insights
	Duplicates    int         `json:"duplicates"` // repeated statements
	Links         int         `json:"links"`
	Proposed      int         `json:"proposed"` // accepted proposals of a model
	Dropped       int         `json:"dropped"`  // rejected proposals: they quote no turn, or say nothing new
	Undated       int         `json:"undated"`  // conversations without a date
	Redacted      aicf.Counts `json:"redacted"`
	Estimate      string      `json:"estimate"`
	TokensBefore  int         `json:"tokens_before"`
	TokensAfter   int         `json:"tokens_after"`
	Ratio         float64     `json:"ratio"`           // 1 − after/before
	WordsKept     float64     `json:"words_preserved"` // 0 to 1, over all conversations
}

// Distill makes a context file of one conversation.
func Distill(c conversation.Conversation, o Options) (*aicf.Contents, Report, error) {
	d := New(o)
	if err := d.Add(c); err != nil {
		return nil, Report{}, err
	}
	return d.Finish()
}

// Distiller makes one context file of several conversations. It links a repeated
// statement to the earlier conversation instead of repeating it.
type Distiller struct {
	options Options
	report  Report
	entries []aicf.Entry
	links   []link
	known   map[string]aicf.Entry // by the words of the entry
	ids     map[string]bool
	found   []found
	at      conversation.Conversation // the current one, without its turns
	weight  float64                   // sum of the parts of words kept, weighted by turns
}

// link connects two entries, or an entry and a conversation.
type link struct {
	from aicf.Entry
	to   aicf.Entry
	kind aicf.Word
}

// New returns a distiller.
func New(o Options) *Distiller {
	return &Distiller{options: o, known: map[string]aicf.Entry{}, ids: map[string]bool{}, report: Report{Redacted: aicf.Counts{}, Estimate: Estimate}}
}

// Add distils one more conversation. It keeps only its entries.
func (d *Distiller) Add(c conversation.Conversation) error {
	if len(c.Turns) == 0 {
		d.report.Empty++
		return nil
	}
	before := Tokens(Transcript(c))
	d.report.TokensBefore += before
	c = d.redacted(c)
	head, at, err := d.head(c, before)
	if err != nil {
		return err
	}
	g := statements(c.Turns)
	if d.options.Propose != nil {
		if err := d.ask(g); err != nil {
			return err
		}
	}
	d.at = c
	d.at.Turns = nil
	entries := append([]aicf.Entry{head, d.state(g)}, d.fresh(g, head)...)
	kept := preserved(c.Turns, entries)
	whole := d.consolidated(head, at, entries, before, kept)
	d.entries = append(d.entries, append(entries, whole)...)
	d.report.Conversations++
	d.report.Turns += len(c.Turns)
	d.report.Duplicates += g.duplicates
	d.weight += kept * float64(len(c.Turns))
	return nil
}

// redacted returns the conversation with tokens in place of protected data. It
// searches whole turns before they are split into sentences: a private key has many
// lines.
func (d *Distiller) redacted(c conversation.Conversation) conversation.Conversation {
	if d.options.Verbatim {
		return c
	}
	replace := func(text *string) {
		var counts aicf.Counts
		*text, counts = d.options.Redactor.Text(*text)
		d.report.Redacted.Add(counts)
	}
	c.Turns = slices.Clone(c.Turns)
	for i := range c.Turns {
		replace(&c.Turns[i].Text)
	}
	replace(&c.Title)
	return c
}

// fresh makes entries of statements that no earlier conversation made: insights
// first, then decisions.
func (d *Distiller) fresh(g *gather, head *aicf.Conversation) []aicf.Entry {
	var insights, decisions []aicf.Entry
	for _, s := range g.found {
		e, known := d.entry(g, s, head)
		if known {
			continue
		}
		if s.kind != Decision {
			insights = append(insights, e)
			continue
		}
		if s.revokes && len(decisions) > 0 {
			d.links = append(d.links, link{e, revoked(e, decisions), aicf.Supersedes})
		}
		decisions = append(decisions, e)
	}
	d.report.Insights += len(insights)
	d.report.Decisions += len(decisions)
	return append(insights, decisions...)
}

// entry makes an entry of a statement. If an earlier conversation has it, entry links
// to that one instead.
func (d *Distiller) entry(g *gather, s statement, head *aicf.Conversation) (e aicf.Entry, known bool) {
	words := keyOf(s)
	if earlier, ok := d.known[words]; ok && s.kind != Open {
		d.links = append(d.links, link{earlier, head, aicf.RelatedTo})
		d.report.Duplicates++
		return earlier, true
	}
	if s.kind == Open {
		d.report.Open++
	}
	e = g.entry(s)
	d.known[words] = e
	d.note(g, s, e)
	return e, false
}

// mostRevoked is how many of the latest decisions a revoking decision is compared
// with.
const mostRevoked = 50

// revoked returns the earlier decision that e takes back: the last of those that
// share most words with it.
func revoked(e aicf.Entry, earlier []aicf.Entry) aicf.Entry {
	earlier = earlier[max(0, len(earlier)-mostRevoked):]
	best, most := earlier[len(earlier)-1], 0
	mine := terms(Passages([]aicf.Entry{e})[0])
	for _, other := range earlier {
		shared := 0
		for term := range terms(other.(*aicf.Decision).Text) {
			if mine[term] {
				shared++
			}
		}
		if shared >= most && shared > 0 {
			best, most = other, shared
		}
	}
	return best
}

// errNothing refuses conversations without any text.
var errNothing = errors.New("nothing is said in it: there is no turn with text")

// Finish returns the file and the report.
func (d *Distiller) Finish() (*aicf.Contents, Report, error) {
	if d.report.Conversations == 0 {
		return nil, d.report, errNothing
	}
	c := &aicf.Contents{Version: aicf.V31, Dialect: aicf.Spec, Entries: d.entries}
	names := c.Index()
	for _, l := range d.links {
		to := names.Name(l.to)
		c.Entries = append(c.Entries, &aicf.Link{From: names.Name(l.from), To: to, Type: l.kind})
	}
	d.report.Links = len(d.links)
	if !d.options.Verbatim {
		d.report.Redacted.Add(d.options.Redactor.Contents(c))
	}
	data, _, err := aicf.Encode(c, aicf.WriteOptions{})
	if err != nil {
		return nil, d.report, err
	}
	d.report.TokensAfter = Tokens(string(data))
	d.report.Ratio = saved(d.report.TokensBefore, d.report.TokensAfter)
	d.report.WordsKept = d.weight / float64(d.report.Turns)
	return c, d.report, nil
}
