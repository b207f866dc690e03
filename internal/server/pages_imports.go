package server

import (
	"cmp"
	"context"
	"io"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/internal/upload"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// newInbox returns the inbox for the files that the owner's browser sends, or nil if there
// are no pages.
func newInbox(o Options) *upload.Inbox {
	b, ok := o.Backend.(vaultBackend)
	if !ok || o.Pages.Name == "" {
		return nil
	}
	return upload.New(b.Vault, upload.Options{Folder: o.Bundles.Folder, Home: o.Owner, Report: func(err error) { o.Log.Error("an import of the pages failed", "error", err) }})
}

// ImportList lists the imports.
func (p ownerPages) ImportList(ctx context.Context, c memory.Caller) ([]pages.Import, error) {
	all, err := p.Imports(ctx, c)
	if err != nil {
		return nil, err
	}
	files, err := p.inbox.Files(ctx, c)
	out, now := make([]pages.Import, len(all)), time.Now()
	for i, one := range all {
		out[i] = pages.Import{Number: one.Number, Name: one.Name, Format: titleOf(one.Format), At: one.At, New: one.Created, Known: one.Merged, Units: one.Units,
			State: importStates[vault.ImportStatusOf(one, now)]}
		ofFile(&out[i], one.Digest, files)
		p.ofUndo(&out[i], c.Owner)
	}
	return out, err
}

// ofUndo adds to an import how far the taking back is. Only what this server does is under
// way for certain.
func (p ownerPages) ofUndo(i *pages.Import, owner memory.DID) {
	undo, known := p.inbox.Undone(owner, i.Number)
	if known {
		i.Removed, i.Kept, i.Failure = undo.Report.Removed, undo.Report.Kept, undo.Err
	}
	switch {
	case known && !undo.Ended:
		i.State = pages.GoingBack
	case i.State == pages.GoingBack:
		i.State = pages.PartlyBack
	}
}

// ofFile adds to an import what is known of its file. The file knows at once when the work
// on it begins and ends.
func ofFile(i *pages.Import, digest string, files []upload.File) {
	for _, f := range files {
		if f.Digest == "" || f.Digest != digest {
			continue
		}
		if i.Upload = f.ID; f.State == upload.Importing && i.State == pages.InPart {
			i.State = pages.AtWork
		} else if f.State == upload.Stopped && i.State == pages.AtWork {
			i.State = pages.InPart
		}
	}
}

// titleOf names a format for people.
func titleOf(name string) string {
	if f, err := formats.ByName(name); err == nil {
		return f.Title
	}
	return name
}

// Upload keeps a file and begins to read it.
func (p ownerPages) Upload(ctx context.Context, c memory.Caller, name string, in io.Reader) (string, error) {
	return p.inbox.Receive(ctx, c, name, in)
}

// UploadList lists the files that are here.
func (p ownerPages) UploadList(ctx context.Context, c memory.Caller) ([]pages.Upload, error) {
	files, err := p.inbox.Files(ctx, c)
	out := make([]pages.Upload, len(files))
	for i, f := range files {
		out[i] = uploadOf(f)
	}
	return out, err
}

// UploadOf says how far a file is.
func (p ownerPages) UploadOf(ctx context.Context, c memory.Caller, file string) (pages.Upload, error) {
	f, err := p.inbox.File(ctx, c, file)
	if err != nil {
		return pages.Upload{}, err
	}
	out := uploadOf(f)
	all, err := p.Imports(ctx, c)
	for _, i := range all {
		if f.Digest != "" && i.Digest == f.Digest && out.Number == 0 && isHere(importStates[vault.ImportStatusOf(i, time.Now())]) {
			out.Number = i.Number
		}
	}
	return out, err
}

// importStates are the standings of imports as the pages call them.
var importStates = map[vault.ImportStatus]pages.ImportState{
	vault.ImportWorking: pages.AtWork, vault.ImportInPart: pages.InPart, vault.ImportWhole: pages.Complete,
	vault.ImportGoingBack: pages.GoingBack, vault.ImportUndone: pages.TakenBack, vault.ImportNothing: pages.NothingWas,
}

// uploadStates are the states of files as the pages call them.
var uploadStates = map[upload.State]pages.UploadState{
	upload.Reading: pages.UploadReading, upload.Read: pages.UploadRead, upload.Importing: pages.UploadImporting,
	upload.Stopped: pages.UploadStopped, upload.Imported: pages.UploadImported, upload.Failed: pages.UploadFailed,
}

// isHere reports whether something of an import is here.
func isHere(s pages.ImportState) bool { return s != pages.TakenBack && s != pages.NothingWas }

// StartUpload imports a file, or goes on.
func (p ownerPages) StartUpload(ctx context.Context, c memory.Caller, file string) error {
	return p.inbox.Start(ctx, c, file)
}

// StopUpload ends the work on a file.
func (p ownerPages) StopUpload(ctx context.Context, c memory.Caller, file string) error {
	return p.inbox.Stop(ctx, c, file)
}

// DropUpload removes a file.
func (p ownerPages) DropUpload(ctx context.Context, c memory.Caller, file string) error {
	return p.inbox.Remove(ctx, c, file)
}

// UndoPlan says what taking an import back would do.
func (p ownerPages) UndoPlan(ctx context.Context, c memory.Caller, number int64) (pages.UndoPlan, error) {
	plan, err := p.PlanUndo(ctx, c, number)
	out := pages.UndoPlan{Remove: plan.Remove, Changed: plan.Changed, BuiltOn: plan.BuiltOn, Proposals: plan.Proposals}
	for _, id := range plan.Stay {
		if rec, err := p.Get(ctx, c, id, memory.CurrentView); err == nil {
			out.Stay = append(out.Stay, rec)
		}
	}
	return out, err
}

// UndoImport begins to take an import back.
func (p ownerPages) UndoImport(ctx context.Context, c memory.Caller, number int64) error {
	all, err := p.Imports(ctx, c)
	if err != nil {
		return err
	}
	for _, i := range all {
		if i.Number != number || !isHere(importStates[vault.ImportStatusOf(i, time.Now())]) {
			continue
		}
		if err := p.inbox.DropImport(ctx, c, i.Digest); err != nil {
			return err
		}
		p.inbox.Undo(c, number)
		return nil
	}
	return &memory.Error{Kind: memory.NotFound, Op: "undo"}
}

// uploadOf says what became of a file, for its page.
func uploadOf(f upload.File) pages.Upload {
	r := f.Report
	out := pages.Upload{File: f.ID, Name: f.Name, Format: f.Format, Size: f.Size, State: uploadStates[f.State], Far: f.Done, Total: f.Total, Seen: f.Records,
		Read: r.Read, New: r.Created, Updated: r.Updated, Known: r.Merged, Left: r.Skipped + codec.LeftOutParts(r.Losses), Conflict: r.Conflicting, Narrowed: r.Narrowed, Units: r.Units, Before: r.Before,
		Masked: f.Masked, Again: r.Known, Reasons: reasonsOf(r.Skips), Conflicts: reasonsOf(r.Conflicts), Losses: lossesOf(r.Losses), Samples: r.Samples, Failure: f.Err}
	return out
}

// How many reasons a page has, and how many places for each.
const (
	mostReasons = 40
	mostPlaces  = 10
)

func reasonsOf(passed []vault.Passed) (all []pages.Reason) {
	for _, p := range passed {
		one := pages.Reason{Text: p.Reason, Count: p.Count}
		for _, by := range p.Some[:min(len(p.Some), mostPlaces)] {
			one.Where = append(one.Where, cmp.Or(by.Ref, string(by.ID)))
		}
		all = append(all, one)
	}
	return all[:min(len(all), mostReasons)]
}

// lossesOf counts losses by their reasons, the most frequent first.
func lossesOf(losses []codec.Loss) []pages.Reason {
	at := map[string]int{}
	var all []pages.Reason
	for _, l := range losses {
		i, ok := at[l.Reason]
		if !ok {
			i = len(all)
			at[l.Reason], all = i, append(all, pages.Reason{Text: l.Reason})
		}
		all[i].Count++
		if where := cmp.Or(l.Pointer, string(l.ID)); where != "" && len(all[i].Where) < mostPlaces {
			all[i].Where = append(all[i].Where, where)
		}
	}
	slices.SortStableFunc(all, func(a, b pages.Reason) int { return b.Count - a.Count })
	return all[:min(len(all), mostReasons)]
}
