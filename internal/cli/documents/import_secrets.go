package documents

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/redact"
)

// secretFlags decide what happens to keys, tokens and passwords in an import.
type secretFlags struct {
	KeepSecrets bool `name:"keep-secrets" help:"Keep keys, tokens and passwords. Default: they become [SECRET-REDACTED] in unsigned records."`
}

// maskFlags decide what happens to them in a conversion.
type maskFlags struct {
	MaskSecrets bool `name:"mask-secrets" help:"Replace keys, tokens and passwords by [SECRET-REDACTED] in unsigned records. Default: they stay and are counted."`
}

// newSecrets begins a document.
func (f maskFlags) newSecrets() *secretsFound {
	return &secretsFound{In: []secretsIn{}, Sorts: []string{}, only: !f.MaskSecrets}
}

// secretsFound are the places of secrets in a document, never the secrets.
type secretsFound struct {
	Masked int         `json:"masked"` // places where a token replaced a secret
	Stayed int         `json:"stayed"` // places in data that is signed or has a checksum, and so stays as it is
	In     []secretsIn `json:"in"`     // the first memories with secrets
	Others int         `json:"others"` // how many more memories have secrets
	Sorts  []string    `json:"sorts"`  // of secrets

	read, masked, stayed int  // memories
	only                 bool // secrets are reported, and nothing is masked
}

// secretsIn is a memory with secrets in it.
type secretsIn struct {
	ID     memory.ID `json:"id,omitempty"`
	Ref    string    `json:"ref,omitempty"`
	Number int       `json:"number"` // in the document, from 1
	Places int       `json:"places"`
	Stayed bool      `json:"stayed"`
}

// secretsTold is how many memories with secrets are reported one by one.
const secretsTold = 5

// mostSecretsIn is how many memories the result names.
const mostSecretsIn = 1000

// newSecrets begins a document; nil: there is no search for secrets.
func (f secretFlags) newSecrets() *secretsFound {
	if f.KeepSecrets {
		return nil
	}
	return &secretsFound{In: []secretsIn{}, Sorts: []string{}}
}

// redactor returns a redactor that finds secrets and notes their sorts.
func (s *secretsFound) redactor() redact.Redactor {
	r := redact.Secrets()
	r.Sort = func(sort string) {
		if !slices.Contains(s.Sorts, sort) {
			s.Sorts = append(s.Sorts, sort)
			slices.Sort(s.Sorts)
		}
	}
	return r
}

// mask replaces the secrets in a record with tokens. It only searches a signed
// record.
func (s *secretsFound) mask(rec memory.Record) memory.Record {
	if s == nil {
		return rec
	}
	s.read++
	masked, counts := s.redactor().Record(rec)
	if counts == nil {
		return rec
	}
	ref := ""
	if p := masked.Provenance; p != nil && p.Source != nil {
		ref = p.Source.Ref
	}
	stays := s.only || rec.Integrity != nil
	s.add(secretsIn{ID: rec.ID, Ref: ref, Places: counts.Total(), Stayed: stays})
	if stays {
		return rec
	}
	return masked
}

// look searches data that is imported unchanged.
func (s *secretsFound) look(id string, v canon.Value) {
	s.read++
	if _, counts := s.redactor().JSON(v); counts != nil {
		s.add(secretsIn{Ref: id, Places: counts.Total(), Stayed: true})
	}
}

func (s *secretsFound) add(in secretsIn) {
	in.Number = s.read
	if in.Stayed {
		s.Stayed += in.Places
		s.stayed++
	} else {
		s.Masked += in.Places
		s.masked++
	}
	if len(s.In) == mostSecretsIn {
		s.Others++
		return
	}
	s.In = append(s.In, in)
}

// show tells people where secrets were found.
func (s *secretsFound) show(a *cli.App) {
	if s == nil {
		return
	}
	if s.masked > 0 {
		a.Warn("secrets were masked at %s in %s; --keep-secrets keeps them:", cli.Plural(s.Masked, "place", "places"), cli.Plural(s.masked, "memory", "memories"))
		s.list(a, false)
	}
	if s.stayed > 0 {
		a.Warn("secrets at %s in %s stay: what is signed, or comes with a sum of its content, is not changed. satchel revise ID takes one out, satchel forget ID --hard the whole memory:",
			cli.Plural(s.Stayed, "place", "places"), cli.Plural(s.stayed, "memory", "memories"))
		s.list(a, true)
	}
}

// showConverted warns people of the secrets in the result, before anything else.
func (s *secretsFound) showConverted(a *cli.App, out string) {
	if cli.IsStdout(out) {
		out = "standard output"
	}
	if s.masked > 0 {
		a.Warn("secrets were masked at %s in %s:", cli.Plural(s.Masked, "place", "places"), cli.Plural(s.masked, "memory", "memories"))
		s.list(a, false)
	}
	if s.stayed == 0 {
		return
	}
	where := cli.Plural(s.Stayed, "place", "places") + " in " + cli.Plural(s.stayed, "memory", "memories")
	if s.only {
		a.Warn("warning: secrets at %s (%s) stand in %s; --mask-secrets masks them:", where, strings.Join(s.Sorts, ", "), cli.Clean(out))
	} else {
		a.Warn("warning: secrets at %s stay: what is signed is not changed, or its signature would not hold:", where)
	}
	s.list(a, true)
}

// some reports whether there were any secrets.
func (s *secretsFound) some() bool { return s != nil && s.masked+s.stayed > 0 }

func (s *secretsFound) list(a *cli.App, stayed bool) {
	n := 0
	for _, in := range s.In {
		if in.Stayed != stayed {
			continue
		}
		if n++; n > secretsTold {
			continue
		}
		a.Warn("  %s", cli.Clean(cmp.Or(string(in.ID), in.Ref, fmt.Sprintf("memory %d of the document", in.Number))))
	}
	all := s.masked
	if stayed {
		all = s.stayed
	}
	if all > secretsTold {
		a.Warn("  … and %d more; --json names them", all-min(n, secretsTold))
	}
}

// inBundle looks for secrets in a bundle. The import leaves a bundle unchanged: the chunks'
// checksums identify them.
func (f secretFlags) inBundle(b *aimem.Bundle) (*secretsFound, error) {
	s := f.newSecrets()
	if s == nil {
		return nil, nil
	}
	return s, b.Chunks(func(c aimem.Chunk) error {
		s.look(string(c.ID), c.Value.Without("embedding"))
		return nil
	})
}

// inExport looks for secrets in an export. The import leaves an export unchanged: its
// issuer signed it as a whole, and ids and history stay.
func (f secretFlags) inExport(raw []byte) *secretsFound {
	s := f.newSecrets()
	doc, err := canon.Parse(raw, canon.Options{Bytes: maxExport, Inexact: true})
	if s == nil || err != nil {
		return s // the export was read before
	}
	for _, belief := range doc.Get("beliefs").Items() {
		s.look("belief "+belief.Get("id").Text(), belief)
	}
	return s
}
