package documents

import (
	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
)

// bundleSummary is the result of inspect for a bundle.
type bundleSummary struct {
	Name           string          `json:"name"`
	Format         string          `json:"format"`
	Title          string          `json:"title"`
	Producer       string          `json:"producer"`
	Tenant         string          `json:"tenant_id"`
	Scope          aimem.Scope     `json:"scope"`
	Since          string          `json:"since,omitempty"`
	Exported       string          `json:"exported_at"`
	Checksum       string          `json:"checksum"`
	Chunks         int             `json:"chunks"`
	Edges          int             `json:"edges"`
	Entities       int             `json:"entities"`
	Links          int             `json:"chunk_entities"`
	Types          map[string]int  `json:"memory_types"`
	Zones          map[string]int  `json:"zones"`
	Pinned         int             `json:"pinned"`
	Embeddings     int             `json:"embeddings"`
	EmbeddingModel string          `json:"embedding_model,omitempty"`
	First          string          `json:"first,omitempty"`
	Last           string          `json:"last,omitempty"`
	Signature      aimem.Outcome   `json:"signature"`
	Key            string          `json:"key,omitempty"`
	Warnings       []aimem.Warning `json:"warnings"`
}

// inspectBundle prints the contents of a bundle.
func inspectBundle(a *cli.App, d *document, path string) error {
	s, err := sumUp(a, d, path)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.Emit(s)
	}
	s.show(a)
	return nil
}

// sumUp opens a bundle with the signature beside it, and counts.
func sumUp(a *cli.App, d *document, path string) (bundleSummary, error) {
	beside, err := signatureBeside(path, "")
	if err != nil {
		return bundleSummary{}, err
	}
	trusted, err := trusting(a, nil)
	if err != nil {
		return bundleSummary{}, err
	}
	b, err := d.bundle(a, aimem.Options{ForeignIDs: true, Signature: beside.signature, Trusted: trusted})
	if err != nil {
		return bundleSummary{}, beside.advised(err, "")
	}
	defer b.Close()
	return summed(d.Source, d.Format.Title, b)
}

func summed(src codec.Source, title string, b *aimem.Bundle) (bundleSummary, error) {
	e, n := b.Envelope(), b.Counts()
	outcome, key := b.Signature()
	s := bundleSummary{
		Name: src.Name, Format: bundles, Title: title, Producer: e.Producer, Tenant: e.TenantID, Scope: e.Scope, Since: e.Since,
		Exported: e.ExportedAt, Checksum: b.Checksum(), Chunks: n.Chunks, Edges: n.Edges, Entities: n.Entities, Links: n.Links,
		Types: map[string]int{}, Zones: map[string]int{}, EmbeddingModel: e.EmbeddingModel,
		Signature: outcome, Key: key.Name(), Warnings: append([]aimem.Warning{}, b.Warnings()...),
	}
	var written period
	err := b.Chunks(func(c aimem.Chunk) error {
		s.Types[string(c.MemoryType)]++
		if c.Zone != "" {
			s.Zones[string(c.Zone)]++
		}
		if c.Pinned {
			s.Pinned++
		}
		if c.Embedding != "" {
			s.Embeddings++
		}
		written.add(c.Created)
		return nil
	})
	s.First, s.Last = cli.Stamp(written.first), cli.Stamp(written.last)
	return s, err
}

func (s bundleSummary) show(a *cli.App) {
	a.Print("%s: %s", cli.Clean(s.Name), s.Title)
	a.Print("producer    %s", s.Producer)
	a.Print("tenant      %s", cli.OneLine(s.Tenant, 0))
	scope := string(s.Scope)
	if s.Since != "" {
		scope += " " + s.Since
	}
	a.Print("scope       %s, exported %s", scope, LocalStamp(s.Exported))
	a.Print("chunks      %d", s.Chunks)
	for _, line := range []struct {
		name   string
		counts map[string]int
	}{{"types", s.Types}, {"zones", s.Zones}} {
		if len(line.counts) > 0 {
			a.Print("%-11s %s", line.name, CountedWords(line.counts))
		}
	}
	a.Print("pinned      %d", s.Pinned)
	a.Print("edges       %d", s.Edges)
	a.Print("entities    %d, linked %s", s.Entities, cli.Plural(s.Links, "time", "times"))
	if s.Embeddings > 0 {
		a.Print("embeddings  %d by %s", s.Embeddings, cli.OneLine(s.EmbeddingModel, 100))
	}
	if s.First != "" {
		a.Print("written     %s to %s", LocalStamp(s.First), LocalStamp(s.Last))
	}
	a.Print("checksum    %s", s.Checksum)
	signature := string(s.Signature)
	if s.Key != "" {
		signature += ", by " + cli.Clean(s.Key)
	}
	a.Print("signature   %s", signature)
	for _, w := range s.Warnings {
		a.Print("warning     %s", warned(w))
	}
	s.vouch(a)
}

// vouch tells the user how to vouch for an unknown key.
func (s bundleSummary) vouch(a *cli.App) {
	if s.Signature == aimem.Untrusted {
		a.Say("If it is the key of %s: %s", s.Producer, trustLine(s.Producer, s.Key))
	}
}

// warned words a warning in one line.
func warned(w aimem.Warning) string {
	text := string(w.Code)
	for _, part := range []string{w.Pointer, string(w.ID), w.Detail} {
		if part != "" {
			text += " " + cli.OneLine(part, 200)
		}
	}
	return text
}

// warn prints warnings about a valid bundle.
func (s bundleSummary) warn(a *cli.App) {
	for _, w := range s.Warnings {
		a.Warn("warning: %s", warned(w))
	}
	switch s.Signature {
	case aimem.Absent:
		a.Say("it is not signed")
	case aimem.Untrusted:
		a.Say("it is signed by %s, for which nobody vouches", cli.Clean(s.Key))
		s.vouch(a)
	default:
		a.Say("it is signed by %s, as %s", cli.Clean(s.Key), s.Producer)
	}
}
