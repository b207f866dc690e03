package main

import (
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/audit"
)

type auditVerifyCmd struct {
	Anchor string `help:"A copy of audit.head that you kept elsewhere." placeholder:"FILE"`
}

// auditHead is the newest head of the log that was verified, by which it shows
// when the whole database is put back to an older state.
func (h home) auditHead() string { return filepath.Join(h.dir, "audit.head") }

// Run verifies the log. Whatever is found ends it with status 4.
func (c *auditVerifyCmd) Run(a *app) error {
	return a.with(looking, func(o *opened) error {
		l, err := o.log(a)
		if err != nil {
			return err
		}
		anchors, err := c.anchors(a, l)
		if err != nil {
			return err
		}
		report, err := l.verifyAudit(a, anchors)
		if err != nil {
			return err
		}
		kept := ""
		if report.Sound() && report.Head != nil && o.Owner == o.config.Owner { // the file is of that owner's log
			kept = o.keepHead(a, *report.Head)
		}
		if a.json {
			err = a.emit(auditOut(report, kept))
		} else {
			a.tellAudit(o, report, kept)
		}
		if err == nil && !report.Sound() {
			err = silent(exitRefused)
		}
		return err
	})
}

// anchors are the heads that were kept: beside the store, and where the command
// line says.
func (c *auditVerifyCmd) anchors(a *app, o ownersLog) ([]*audit.Head, error) {
	var anchors []*audit.Head
	kept, err := readHead(o.auditHead())
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case kept.Owner != o.caller.Owner && o.caller.Owner != o.config.Owner: // of the log of the home folder's owner
	case kept.Owner != o.caller.Owner:
		a.warn("%s is of the log of another owner, %s, and is left out", o.auditHead(), clean(string(kept.Owner)))
	default:
		anchors = append(anchors, kept)
	}
	if c.Anchor != "" {
		given, err := readHead(c.Anchor)
		if err != nil {
			return nil, err
		}
		anchors = append(anchors, given)
	}
	return anchors, nil
}

func readHead(path string) (*audit.Head, error) {
	data, err := readBounded(path, maxSmall)
	if err != nil {
		return nil, err
	}
	head, err := audit.ParseHead(data)
	if err != nil {
		return nil, refusedf("%s: %w; somebody changed the file: remove it if that was you", path, err)
	}
	return &head, nil
}

// verifyAudit verifies the log against each anchor, until something is found.
func (o ownersLog) verifyAudit(a *app, anchors []*audit.Head) (report audit.Report, err error) {
	if len(anchors) == 0 {
		anchors = []*audit.Head{nil}
	}
	for _, anchor := range anchors {
		report, err = o.VerifyAudit(a.ctx, o.caller, anchor)
		if err != nil || !report.Sound() {
			break
		}
	}
	return report, err
}

// keepHead files a head that was verified, and returns where.
func (o *opened) keepHead(a *app, head audit.Head) string {
	if err := atomicfile.Write(o.auditHead(), 0o600, []byte(head.String())); err != nil {
		a.warn("the head of the log could not be kept: %s", describe(err))
		return ""
	}
	return o.auditHead()
}

// tellAudit writes a report for people.
func (a *app) tellAudit(o *opened, r audit.Report, kept string) {
	older := false
	for _, f := range r.Findings {
		a.print("%s: %s", f.Kind, clean(f.Message))
		older = older || f.Kind == audit.RolledBack || f.Kind == audit.Forked
	}
	if r.More > 0 {
		a.print("… and %d more", r.More)
	}
	a.print("%s, %d signed by the owner, %d not covered yet, %s",
		plural(int(r.Entries), "entry", "entries"), r.Signed, r.Unsigned, plural(len(r.Findings)+r.More, "finding", "findings"))
	if older {
		a.say("if it was you who put an older copy back, as from a backup, remove %s", o.auditHead())
	}
	if kept != "" {
		a.say("the head over %s was kept in %s: should the database be put back to an older state, the next verification tells. Keep a copy elsewhere for --anchor",
			plural(int(r.Head.Size), "entry", "entries"), kept)
	}
}

// auditReport is a report for machines.
type auditReport struct {
	Sound    bool           `json:"sound"`
	Entries  int64          `json:"entries"`
	Signed   int64          `json:"signed"`
	Unsigned int64          `json:"unsigned"`
	Last     string         `json:"last,omitempty"` // time of the last entry that the head covers
	Head     string         `json:"head,omitempty"`
	Kept     string         `json:"kept,omitempty"` // file
	Findings []auditFinding `json:"findings"`
	More     int            `json:"more,omitempty"`
}

type auditFinding struct {
	Kind    audit.FindingKind `json:"kind"`
	Number  int64             `json:"number"`
	Message string            `json:"message"`
}

func auditOut(r audit.Report, kept string) auditReport {
	out := auditReport{
		Sound: r.Sound(), Entries: r.Entries, Signed: r.Signed, Unsigned: r.Unsigned, Kept: kept, More: r.More, Findings: []auditFinding{},
	}
	if r.Head != nil {
		out.Head, out.Last = r.Head.String(), r.Head.At.Format(time.RFC3339Nano)
	}
	for _, f := range r.Findings {
		out.Findings = append(out.Findings, auditFinding(f))
	}
	return out
}
