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
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/upload"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// newDesk returns the desk for the files that the owner's browser sends, or nil if there
// are no pages.
func newDesk(o Options) *upload.Desk {
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
	files, err := p.desk.Files(ctx, c)
	out := make([]pages.Import, len(all))
	for i, one := range all {
		out[i] = p.importOf(one, c, files)
	}
	return out, err
}

func (p ownerPages) importOf(i store.Import, c memory.Caller, files []upload.File) pages.Import {
	out := pages.Import{Number: i.Number, Name: i.Name, Format: titleOf(i.Format), At: i.At, New: i.Created, Known: i.Merged, Units: i.Units, State: importState(i, time.Now())}
	for _, f := range files {
		if f.Digest == "" || f.Digest != i.Digest {
			continue
		}
		if out.Upload = f.ID; f.State == upload.Importing && out.State == pages.InPart {
			out.State = pages.AtWork
		} else if f.State == upload.Stopped && out.State == pages.AtWork {
			out.State = pages.InPart // its lease has not ended yet
		}
	}
	if undo, ok := p.desk.Undone(c.Owner, i.Number); ok {
		out.Removed, out.Kept, out.Failure = undo.Report.Removed, undo.Report.Kept, undo.Err
		if !undo.Ended {
			out.State = pages.GoingBack
		}
	}
	return out
}

// titleOf names a format for people.
func titleOf(name string) string {
	if f, err := formats.ByName(name); err == nil {
		return f.Title
	}
	return name
}

func importState(i store.Import, now time.Time) pages.ImportState {
	switch {
	case i.State == store.Staging && i.Lease.After(now):
		return pages.AtWork
	case i.State == store.TakenBack:
		return pages.TakenBack
	case i.State == store.Published:
		return pages.Complete
	case i.State != store.Partial:
		return pages.NothingWas
	case i.Lease.IsZero():
		return pages.GoingBack
	case i.Lease.After(now):
		return pages.AtWork
	}
	return pages.InPart
}

// Upload keeps a file and begins to read it.
func (p ownerPages) Upload(ctx context.Context, c memory.Caller, name string, in io.Reader) (string, error) {
	return p.desk.Receive(ctx, c, name, in)
}

// UploadList lists the files that are here.
func (p ownerPages) UploadList(ctx context.Context, c memory.Caller) ([]pages.Upload, error) {
	files, err := p.desk.Files(ctx, c)
	out := make([]pages.Upload, len(files))
	for i, f := range files {
		out[i] = uploadOf(f)
	}
	return out, err
}

// UploadOf says how far a file is.
func (p ownerPages) UploadOf(ctx context.Context, c memory.Caller, file string) (pages.Upload, error) {
	f, err := p.desk.File(ctx, c, file)
	if err != nil {
		return pages.Upload{}, err
	}
	out := uploadOf(f)
	all, err := p.Imports(ctx, c)
	for _, i := range all {
		if f.Digest != "" && i.Digest == f.Digest && i.State != store.TakenBack && i.State != store.CutOff && out.Number == 0 {
			out.Number = i.Number
		}
	}
	return out, err
}

// StartUpload imports a file, or goes on.
func (p ownerPages) StartUpload(ctx context.Context, c memory.Caller, file string) error {
	return p.desk.Start(ctx, c, file)
}

// StopUpload ends the work on a file.
func (p ownerPages) StopUpload(ctx context.Context, c memory.Caller, file string) error {
	return p.desk.Stop(ctx, c, file)
}

// DropUpload removes a file.
func (p ownerPages) DropUpload(ctx context.Context, c memory.Caller, file string) error {
	return p.desk.Remove(ctx, c, file)
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

// TakeBack begins to take an import back.
func (p ownerPages) TakeBack(ctx context.Context, c memory.Caller, number int64) error {
	all, err := p.Imports(ctx, c)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(all, func(i store.Import) bool { return i.Number == number })
	if at < 0 || all[at].State == store.TakenBack || all[at].State == store.CutOff {
		return &memory.Error{Kind: memory.NotFound, Op: "undo"}
	}
	if err := p.desk.StopImport(ctx, c, all[at].Digest); err != nil {
		return err
	}
	p.desk.Undo(c, number)
	return nil
}

// uploadOf says what became of a file, for its page.
func uploadOf(f upload.File) pages.Upload {
	r := f.Report
	out := pages.Upload{File: f.ID, Name: f.Name, Format: f.Format, Size: f.Size, State: pages.UploadState(f.State), Done: f.Done, Total: f.Total, Seen: f.Records,
		Read: r.Read, New: r.Created, Updated: r.Updated, Known: r.Merged, Left: r.Skipped, Conflict: r.Conflicting, Narrowed: r.Narrowed, Units: r.Units, Before: r.Before,
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
