package bundle

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/trust"
	"github.com/satchel-memory/satchel/memory"
)

// ExportBrain calls write with the exportable part of the caller's brain as a bundle:
// the records in force, redacted, in the order of their creation, and their attachments
// (AIMEM 3.1, decisions AD-7, AD-15, AD-19, AD-30). All of it comes from one snapshot,
// which lasts until write returns. An error of write is returned unchanged.
//
// A query that AIMEM does not know is an [aimem.Fault]; embeddings without consent are
// one with code embedding_consent_required.
func (s *Service) ExportBrain(ctx context.Context, c memory.Caller, q aimem.Export, write func(aimem.Brain, aimem.ExportReport) error) error {
	const op = "export"
	if err := s.kernel.May(op, c, memory.ExportVerb); err != nil {
		return err
	}
	if s.kernel.Producer() == "" {
		return &memory.Error{Kind: memory.Unsupported, Op: op, Rule: "AIMEM-2.1-7",
			Message: "this vault has no name as a producer of bundles: run satchel init --producer NAME"}
	}
	q, err := q.WithDefaults()
	if err != nil {
		return err
	}
	q.ToPeer = q.ToPeer || !c.Speaks()
	if err := s.noteBrain(ctx, c, q, "begun", 0); err != nil {
		return s.kernel.Refusal(c, op, "", err)
	}
	written := 0
	err = s.kernel.Store().View(ctx, c.Owner, func(r store.Reader) error {
		x, err := s.newExport(ctx, r, c, q)
		if err != nil {
			return err
		}
		written, x.report.Records = len(x.live), len(x.live)
		return s.writeExport(x, write)
	})
	if noted := s.noteBrain(context.WithoutCancel(ctx), c, q, "done", written); err == nil {
		err = noted
	}
	return s.exportRefusal(c, err)
}

// writeExport passes the export to write. It first writes the chunks to a spool, if
// there is one, so that each walk need not make them anew.
func (s *Service) writeExport(x *bundleExport, write func(aimem.Brain, aimem.ExportReport) error) (err error) {
	var brain aimem.Brain = x
	if s.kernel.Spool() != nil {
		room, failed := s.kernel.Spool()()
		if failed != nil {
			return failed
		}
		defer func() { err = errors.Join(err, room.Close()) }()
		brain = aimem.SpoolBrain(x, room)
	}
	if err := write(brain, x.report); err != nil {
		return &vault.YieldError{Err: err}
	}
	return nil
}

// exportRefusal tells apart who failed: the receiver, whose error stays unchanged, the
// query, or the vault.
func (s *Service) exportRefusal(c memory.Caller, err error) error {
	if e, ok := errors.AsType[*vault.YieldError](err); ok {
		return e.Err
	}
	if f, ok := errors.AsType[*aimem.Fault](err); ok {
		s.kernel.NoteRefused(c, "export", memory.KindOf(f))
		return f
	}
	return s.kernel.Refusal(c, "export", "", err)
}

// noteBrain writes a bundle for somebody else to the audit log, as noteExport does.
func (s *Service) noteBrain(ctx context.Context, c memory.Caller, q aimem.Export, how string, n int) error {
	switch {
	case !q.ToPeer && c.Speaks(), s.kernel.ReadOnly() && c.Speaks():
		return nil
	}
	return s.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) error {
		return s.kernel.Note(w, c, audit.Entry{Act: audit.Export, Reason: how, Count: n, Format: aimem.Name})
	})
}

// mayHaveEmbeddings refuses vectors to everybody but the owner, whose request is the
// consent, unless the owner consented (decision AD-15).
func mayHaveEmbeddings(r store.Reader, c memory.Caller) error {
	if c.Role == memory.Owner {
		return nil
	}
	given, err := trust.Consents(r, trust.ExportEmbeddings)
	if err == nil && !given {
		err = &aimem.Fault{Code: aimem.EmbeddingConsentRequired, Rule: "AIMEM-5.5-1",
			Detail: "the owner has to consent first: satchel consent grant " + string(trust.ExportEmbeddings)}
	}
	return err
}

// Envelope names the exported brain and the time.
func (x *bundleExport) Envelope() aimem.Envelope {
	e := aimem.Envelope{
		Format: aimem.FormatName, Version: aimem.Version, Producer: x.kernel.Producer(),
		TenantID: string(x.gate.Caller.Owner), ExportedAt: aimem.FormatInstant(x.gate.Now), Scope: x.query.Scope,
	}
	if x.query.Scope == aimem.Since {
		e.Since = aimem.FormatInstant(x.query.Since)
	}
	if x.model != (model{}) {
		e.EmbeddingDim, e.EmbeddingModel = x.model.dim, x.model.name
	}
	return e
}
