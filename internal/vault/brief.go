package vault

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// BriefQuery says which project a brief is for, and how long the brief may be.
type BriefQuery struct {
	Project string // the project the session works on; empty: none
	Budget  int    // most tokens of Text, estimated; 0: 1600
}

// Brief is what a new session should know before it asks anything.
type Brief struct {
	Sections []BriefSection
	Omitted  int // records that exceed the budget
	// Elsewhere lists the projects with their records in force if Sections is empty.
	// Records without a project are under the empty name. A peer does not learn it.
	Elsewhere []ProjectInfo
	Text      string // the same for a model, marked as data
}

// BriefSection is one part of a brief.
type BriefSection struct {
	Title   string
	Records []memory.Record
}

// DefaultBrief is the budget of a brief that names none, in tokens, with the frame around each
// record.
const DefaultBrief = 1600

const (
	briefRows = 200 // most rows looked at for each part

	elsewhereRows = 2000 // rows read at a time to look for records of other owners
)

// titles are the headings for the topics of a brief.
var titles = map[recall.Topic]string{
	recall.WhoTheOwnerIs: "Who the owner is",
	recall.StandingRules: "Standing rules",
	recall.ThisProject:   "This project",
	recall.Lately:        "Learnt lately",
}

// Brief returns what a new session should know: who the owner is, the standing rules,
// the project's facts, and recent memories.
func (v *Vault) Brief(ctx context.Context, c memory.Caller, q BriefQuery) (Brief, error) {
	const op = "brief"
	if err := v.may(op, c, memory.ReadVerb); err != nil {
		return Brief{}, err
	}
	if q.Budget <= 0 {
		q.Budget = DefaultBrief
	}
	var b Brief
	err := v.store.View(ctx, c.Owner, func(r store.Reader) error {
		n, err := projectNames(r)
		if err != nil {
			return err
		}
		if q.Project, err = n.meant(r, op, c, q.Project); err != nil {
			return err
		}
		records, err := v.worthTelling(r, c, n, q.Project)
		if err != nil {
			return err
		}
		b, err = v.fitted(c.Owner, func(budget int) Brief {
			return chosen(records, n, BriefQuery{Project: q.Project, Budget: budget}, v.now())
		}, q.Budget)
		if err == nil && len(b.Sections) == 0 {
			err = b.lookElsewhere(r, c, n, v.now())
		}
		return err
	})
	if err == nil {
		v.noteGiven(c, inquiry{way: op, project: q.Project}, b.ids()...)
	}
	return b, v.refusal(c, op, "", err)
}

// lookElsewhere lists what is kept if nothing is for this session.
func (b *Brief) lookElsewhere(r store.Reader, c memory.Caller, n ProjectNames, now time.Time) error {
	if !c.Speaks() {
		b.Text = "Nothing here is for every session. Ask recall about what you need.\n"
		return nil
	}
	counted, err := ownProjects(r, c.Owner, now)
	if err != nil {
		return err
	}
	for _, p := range n.joined(counted) {
		if p.Records > 0 {
			b.Elsewhere = append(b.Elsewhere, p)
		}
	}
	if len(b.Elsewhere) > 0 {
		b.Text = elsewhereText(b.Elsewhere)
	}
	return nil
}

// ownProjects returns the projects with the number of their records in force, without
// records of other owners.
func ownProjects(r store.Reader, owner memory.DID, now time.Time) ([]store.Project, error) {
	counted, err := r.Projects(now)
	if err != nil {
		return nil, err
	}
	others, err := othersIn(r, owner, now)
	for i := range counted {
		counted[i].Records -= others[counted[i].Name]
	}
	return counted, err
}

// othersIn counts the records of other owners in force in each project. Private records
// always belong to the owner.
func othersIn(r store.Reader, owner memory.DID, now time.Time) (map[string]int, error) {
	others := map[string]int{}
	for after := (store.Cursor{}); ; {
		rows, err := r.Rows(store.Filter{Statuses: []memory.Status{memory.Active}, ValidAt: now}, after, elsewhereRows)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			after = store.Cursor{Created: row.Columns.Created, Number: row.Number}
			if row.Columns.Visibility == memory.Private {
				continue
			}
			if whose := ownerOf(row); whose != "" && whose != owner {
				others[row.Columns.Project]++
			}
		}
		if len(rows) < elsewhereRows {
			return others, nil
		}
	}
}

// mostElsewhere is how many projects a brief names if it has nothing else to say.
const mostElsewhere = 8

// elsewhereText lists for a model the projects that have memories. It leaves out a name
// that is not an address, because such a text could give the model orders.
func elsewhereText(kept []ProjectInfo) string {
	var parts []string
	others := 0
	for _, p := range kept {
		switch {
		case p.Name == "":
			parts = append(parts, fmt.Sprintf("%d of no project", p.Records))
		case len(parts) < mostElsewhere && memory.IsAddress(p.Name):
			parts = append(parts, fmt.Sprintf("%d of %s", p.Records, p.Name))
		default:
			others += p.Records
		}
	}
	if others > 0 {
		parts = append(parts, fmt.Sprintf("%d of other projects", others))
	}
	return "Nothing here is for every session. Kept memories: " + strings.Join(parts, ", ") +
		". Ask recall about what you need, or ask for the brief of a project.\n"
}

func (b Brief) ids() []memory.ID {
	var ids []memory.ID
	for _, s := range b.Sections {
		ids = append(ids, idsOf(s.Records)...)
	}
	return ids
}

// worthTelling returns the newest live records for every part of a brief, as the gate
// lets the caller see them.
func (v *verifier) worthTelling(r store.Reader, c memory.Caller, n ProjectNames, project string) ([]memory.Record, error) {
	g, err := v.gate(r, c)
	if err != nil {
		return nil, err
	}
	parts := []store.Filter{{Kinds: []memory.Kind{memory.Identity}}, {Kinds: []memory.Kind{memory.Procedural}},
		{Kinds: []memory.Kind{memory.Semantic, memory.Working}}}
	places := [][]string{{""}}
	if project != "" {
		places = append(places, n.spellings(project))
	}
	seen := map[memory.ID]bool{}
	var out []memory.Record
	for _, f := range parts {
		f.Statuses, f.ValidAt, f.Newest = []memory.Status{memory.Active}, v.now(), true
		for _, f.Projects = range places {
			rows, err := r.Rows(f, store.Cursor{}, briefRows)
			if err != nil {
				return nil, err
			}
			records, err := v.shown(g, rows, nil)
			if err != nil {
				return nil, err
			}
			for _, rec := range records {
				if !seen[rec.ID] && rec.Time.ValidAt(v.now()) && !Foreign(rec, c.Owner) {
					seen[rec.ID] = true
					out = append(out, rec)
				}
			}
		}
	}
	return out, nil
}

// chosen lets recall choose the records, and returns them as they are stored. Recall
// compares projects by their canonical names.
func chosen(records []memory.Record, n ProjectNames, q BriefQuery, now time.Time) Brief {
	stored := make(map[memory.ID]memory.Record, len(records))
	shown := slices.Clone(records)
	for i, rec := range records {
		stored[rec.ID] = rec
		shown[i].Scope.Project = n.canonical(rec.Scope.Project)
	}
	choice := recall.Brief(shown, memory.Scope{Project: n.canonical(q.Project)}, now, q.Budget, protected)
	b := Brief{Omitted: choice.Omitted}
	for _, s := range choice.Sections {
		section := BriefSection{Title: titles[s.Topic]}
		for _, rec := range s.Records {
			section.Records = append(section.Records, stored[rec.ID])
		}
		b.Sections = append(b.Sections, section)
	}
	return b
}

// fitted returns a brief whose text for a model fits into the budget, including the
// frame around each record. It chooses with ever smaller budgets until the text fits.
func (v *verifier) fitted(owner memory.DID, choose func(budget int) Brief, budget int) (Brief, error) {
	for room := budget; ; room -= max(1, room/5) {
		b := choose(room)
		text, dropped, err := v.text(owner, b, budget)
		if err != nil || dropped == 0 || room <= 1 {
			b.Text = text
			return b, err
		}
	}
}

// text writes a brief for a model: the names of its parts, then the records in a frame
// that no record can leave. It reports how many records did not fit into the frame.
func (v *verifier) text(owner memory.DID, b Brief, budget int) (text string, dropped int, err error) {
	if len(b.Sections) == 0 {
		return "Nothing is remembered yet.\n", 0, nil
	}
	var records []memory.Record
	parts := make([]string, 0, len(b.Sections))
	for _, section := range b.Sections {
		first := len(records) + 1
		records = append(records, section.Records...)
		parts = append(parts, fmt.Sprintf("%s (%d to %d)", section.Title, first, len(records)))
	}
	text = "What is remembered of the owner, by n: " + strings.Join(parts, ", ") + ".\n"
	if b.Omitted > 0 {
		text += fmt.Sprintf("%d more are not shown; recall finds them.\n", b.Omitted)
	}
	framed, err := v.framed(owner, records, max(1, budget-recall.Tokens(text)), time.Time{})
	return text + framed.Text, len(framed.Dropped), err
}
