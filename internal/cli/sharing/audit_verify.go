package sharing

import (
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/cli"
)

// AuditVerifyCmd is the command satchel audit verify.
type AuditVerifyCmd struct {
	Anchor string `help:"A copy of audit.head that you kept elsewhere." placeholder:"FILE"`
}

// AuditHead is the path of the newest verified head of the log. The head exposes a restore
// of the whole database to an older state.
func AuditHead(h cli.Home) string { return filepath.Join(h.Dir, "audit.head") }

// Run verifies the log. Any finding ends it with status 4.
func (c *AuditVerifyCmd) Run(a *cli.App) error {
	return a.With(cli.Looking, func(o *cli.Session) error {
		l, err := log(o, a)
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
		if report.Sound() && report.Head != nil && o.Owner == o.Config.Owner { // the file is of that owner's log
			kept = keepHead(o, a, *report.Head)
		}
		if a.JSON {
			err = a.Emit(auditOut(report, kept))
		} else {
			tellAudit(a, o, report, kept)
		}
		if err == nil && !report.Sound() {
			err = cli.Silent(cli.ExitRefused)
		}
		return err
	})
}

// anchors are the kept heads: beside the store, and from the command line.
func (c *AuditVerifyCmd) anchors(a *cli.App, o ownersLog) ([]*audit.Head, error) {
	var anchors []*audit.Head
	kept, err := ReadAuditHead(AuditHead(o.Session.Home))
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case kept.Owner != o.caller.Owner && o.caller.Owner != o.Config.Owner: // of the log of the home folder's owner
	case kept.Owner != o.caller.Owner:
		a.Warn("%s is of the log of another owner, %s, and is left out", AuditHead(o.Session.Home), cli.Clean(string(kept.Owner)))
	default:
		anchors = append(anchors, kept)
	}
	if c.Anchor != "" {
		given, err := ReadAuditHead(c.Anchor)
		if err != nil {
			return nil, err
		}
		anchors = append(anchors, given)
	}
	return anchors, nil
}

// ReadAuditHead reads the newest verified head of the audit log.
func ReadAuditHead(path string) (*audit.Head, error) {
	data, err := cli.ReadBounded(path, cli.MaxSmall)
	if err != nil {
		return nil, err
	}
	head, err := audit.ParseHead(data)
	if err != nil {
		return nil, cli.Refusedf("%s: %w; somebody changed the file: remove it if that was you", path, err)
	}
	return &head, nil
}

// verifyAudit verifies the log against each anchor, up to the first finding.
func (o ownersLog) verifyAudit(a *cli.App, anchors []*audit.Head) (report audit.Report, err error) {
	if len(anchors) == 0 {
		anchors = []*audit.Head{nil}
	}
	for _, anchor := range anchors {
		report, err = o.VerifyAudit(a.Ctx, o.caller, anchor)
		if err != nil || !report.Sound() {
			break
		}
	}
	return report, err
}

// keepHead stores a verified head, and returns where.
func keepHead(o *cli.Session, a *cli.App, head audit.Head) string {
	if err := atomicfile.Write(AuditHead(o.Home), 0o600, []byte(head.String())); err != nil {
		a.Warn("the head of the log could not be kept: %s", cli.Describe(err))
		return ""
	}
	return AuditHead(o.Home)
}

// tellAudit writes a report for people.
func tellAudit(a *cli.App, o *cli.Session, r audit.Report, kept string) {
	older := false
	for _, f := range r.Findings {
		a.Print("%s: %s", f.Kind, cli.Clean(f.Message))
		older = older || f.Kind == audit.RolledBack || f.Kind == audit.Forked
	}
	if r.More > 0 {
		a.Print("… and %d more", r.More)
	}
	a.Print("%s, %d signed by the owner, %d not covered yet, %s",
		cli.Plural(int(r.Entries), "entry", "entries"), r.Signed, r.Unsigned, cli.Plural(len(r.Findings)+r.More, "finding", "findings"))
	if older {
		a.Say("if it was you who put an older copy back, as from a backup, remove %s", AuditHead(o.Home))
	}
	if kept != "" {
		a.Say("the head over %s was kept in %s: should the database be put back to an older state, the next verification tells. Keep a copy elsewhere for --anchor",
			cli.Plural(int(r.Head.Size), "entry", "entries"), kept)
	}
}

// AuditReport is a report for machines.
type AuditReport struct {
	Sound    bool           `json:"sound"`
	Entries  int64          `json:"entries"`
	Signed   int64          `json:"signed"`
	Unsigned int64          `json:"unsigned"`
	Last     string         `json:"last,omitempty"` // time of the last entry that the head covers
	Head     string         `json:"head,omitempty"`
	Kept     string         `json:"kept,omitempty"` // file
	Findings []AuditFinding `json:"findings"`
	More     int            `json:"more,omitempty"`
}

// AuditFinding is a fault of the audit log.
type AuditFinding struct {
	Kind    audit.FindingKind `json:"kind"`
	Number  int64             `json:"number"`
	Message string            `json:"message"`
}

func auditOut(r audit.Report, kept string) AuditReport {
	out := AuditReport{
		Sound: r.Sound(), Entries: r.Entries, Signed: r.Signed, Unsigned: r.Unsigned, Kept: kept, More: r.More, Findings: []AuditFinding{},
	}
	if r.Head != nil {
		out.Head, out.Last = r.Head.String(), r.Head.At.Format(time.RFC3339Nano)
	}
	for _, f := range r.Findings {
		out.Findings = append(out.Findings, AuditFinding(f))
	}
	return out
}
