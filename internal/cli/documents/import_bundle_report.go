package documents

import (
	"encoding/json"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/memory"
)

// brought is the result of a bundle's import, and the bundle's source.
type brought struct {
	Format    string        `json:"format"`
	Name      string        `json:"name"`
	Producer  string        `json:"producer"`
	Checksum  string        `json:"checksum"`
	Signature aimem.Outcome `json:"signature"`
	From      string        `json:"signature_file,omitempty"`
	Key       string        `json:"key,omitempty"`
	Chunks    int           `json:"chunks"`
	Secrets   *secretsFound `json:"secrets,omitempty"`

	report  aimem.Report
	vouched bool // the producer is known by its keys
	took    time.Duration
}

// origin is a bundle's statement about its source.
func origin(d *document, b *aimem.Bundle, beside sidecar) brought {
	outcome, key := b.Signature()
	return brought{
		Format: d.Format.Name, Name: d.Source.Name, Producer: b.Envelope().Producer, Checksum: b.Checksum(),
		Signature: outcome, From: beside.from, Key: key.Name(), Chunks: b.Counts().Chunks,
	}
}

// machineReadable returns the report in the form of the import endpoint's answer,
// preceded by the bundle's source.
func (t brought) machineReadable() (any, error) {
	head, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	report, err := json.Marshal(t.report)
	if err != nil {
		return nil, err
	}
	return json.RawMessage(append(append(head[:len(head)-1], ','), report[1:]...)), nil
}

// lost lists the chunks that were not imported, and why.
func (t brought) lost() []codec.Loss {
	var losses []codec.Loss
	for _, out := range t.report.Rejected {
		losses = append(losses, codec.Loss{ID: memory.ID(out.ID), Reason: string(out.Code) + ": " + atPrompt(out.Code, out.Detail)})
	}
	return losses
}

// told is how many rejected chunks and warnings are reported one by one.
const told = 20

// show reports the import of a bundle to people.
func (t brought) show(a *cli.App) {
	r := t.report
	verb := "imported"
	if r.DryRun {
		verb = "would import"
	}
	a.Print("%s %s (aimem): %d chunks, %d new, %d updated, %d known already, %d rejected", verb, cli.Clean(t.Name),
		r.Chunks, r.Inserted, r.Updated, r.Skipped, len(r.Rejected))
	a.Print("  %d new edges, %d new entities, %d new links", r.Edges.Inserted, r.Entities.Inserted, r.Links.Inserted)
	a.Print("  of %s, %s", t.Producer, t.Checksum)
	t.showSignature(a)
	t.Secrets.show(a)
	for i, out := range r.Rejected {
		if i == told {
			a.Warn("and %d more were rejected; --json lists all", len(r.Rejected)-told)
			break
		}
		a.Warn("rejected: %s %s: %s", out.Code, cli.Clean(string(out.ID)), atPrompt(out.Code, out.Detail))
	}
	for i, w := range r.Warnings {
		if i == told {
			a.Warn("and %d more warnings; --json lists them", len(r.Warnings)-told)
			break
		}
		w.Detail = atPrompt(w.Code, w.Detail)
		a.Warn("warning: %s", warned(w))
	}
	if seconds := t.took.Seconds(); seconds >= 1 {
		a.Say("%.0f chunks a second", float64(r.Chunks)/seconds)
	}
	if r.Import != 0 {
		a.Say("to take it back: satchel import --undo %d", r.Import)
	}
}

// showSignature says how sure the bundle's producer is.
func (t brought) showSignature(a *cli.App) {
	switch t.Signature {
	case aimem.Verified:
		a.Print("  signed by a key of %s that is trusted: %s", t.Producer, cli.Clean(t.Key))
	case aimem.Untrusted:
		a.Print("  signed by a key that nobody vouches for: %s", cli.Clean(t.Key))
		a.Say("If it is the key of %s: %s", t.Producer, trustLine(t.Producer, t.Key))
	case aimem.Skipped:
		a.Print("  its signature was not looked at")
	default:
		a.Print("  not signed")
		if t.vouched {
			a.Warn("warning: keys of %s are trusted, and none of them signed this; --verify require refuses such bundles", t.Producer)
		}
	}
}

// atPrompt says in terms of the command line what to do about a chunk.
func atPrompt(code aimem.Code, detail string) string {
	switch code {
	case aimem.NewerCreatedAt:
		return "it is newer than what is here; --on-newer update replaces that"
	case aimem.DeletedByUser:
		return "it was deleted here; --restore takes it in again"
	case aimem.WarnSignatureNew:
		return "the signature is valid, by a key that nobody vouches for"
	}
	return detail
}
