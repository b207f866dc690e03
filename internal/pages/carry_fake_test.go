package pages_test

import (
	"context"
	"io"
	"slices"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/memory"
)

// fakeImporter has imports and files, and notes what is done with them.
type fakeImporter struct {
	imports []pages.Import
	uploads []pages.Upload
	plan    pages.UndoPlan
	sent    string   // the content of the last file
	brought []string // acts, in order
}

func (f *fakeImporter) ImportList(context.Context, memory.Caller) ([]pages.Import, error) {
	return f.imports, nil
}

func (f *fakeImporter) UndoPlan(context.Context, memory.Caller, int64) (pages.UndoPlan, error) {
	return f.plan, nil
}

func (f *fakeImporter) UndoImport(context.Context, memory.Caller, int64) error {
	return f.note("take back")
}

func (f *fakeImporter) Upload(_ context.Context, _ memory.Caller, name string, in io.Reader) (string, error) {
	content, err := io.ReadAll(in)
	f.sent = string(content)
	f.brought = append(f.brought, "upload "+name)
	return "file1", err
}

func (f *fakeImporter) UploadList(context.Context, memory.Caller) ([]pages.Upload, error) {
	return f.uploads, nil
}

func (f *fakeImporter) UploadOf(_ context.Context, _ memory.Caller, file string) (pages.Upload, error) {
	at := slices.IndexFunc(f.uploads, func(u pages.Upload) bool { return u.File == file })
	if at < 0 {
		return pages.Upload{}, &memory.Error{Kind: memory.NotFound}
	}
	return f.uploads[at], nil
}

func (f *fakeImporter) StartUpload(_ context.Context, _ memory.Caller, file string) error {
	return f.note("start " + file)
}

func (f *fakeImporter) StopUpload(_ context.Context, _ memory.Caller, file string) error {
	return f.note("stop " + file)
}

func (f *fakeImporter) DropUpload(_ context.Context, _ memory.Caller, file string) error {
	f.uploads = nil
	return f.note("drop " + file)
}

func (f *fakeImporter) note(act string) error { f.brought = append(f.brought, act); return nil }

// fakeHouse is what surrounds a memory: its health, projects, agents and exports.
type fakeHouse struct {
	checkup  pages.Checkup
	projects []pages.Project
	agents   []pages.Agent // revisions of one agent, oldest first
	states   []pages.Checkpoint
	around   map[string][]memory.Record
	planned  pages.ExportPlan
	acts     []string
}

func (f *fakeHouse) Checkup(context.Context, memory.Caller) (pages.Checkup, error) {
	return f.checkup, nil
}

func (f *fakeHouse) Examine(_ context.Context, _ memory.Caller, mend bool) error {
	f.acts = append(f.acts, map[bool]string{true: "mend", false: "check"}[mend])
	return nil
}

func (f *fakeHouse) Around(_ context.Context, _ memory.Caller, target string) ([]memory.Record, error) {
	return f.around[target], nil
}

func (f *fakeHouse) AliasProject(_ context.Context, _ memory.Caller, alias, project string) error {
	f.acts = append(f.acts, alias+" -> "+project)
	return nil
}

func (f *fakeHouse) AgentList(context.Context, memory.Caller, string) ([]pages.Agent, error) {
	return f.agents[:min(1, len(f.agents))], nil
}

func (f *fakeHouse) AgentOf(_ context.Context, _ memory.Caller, id string, revision int) (pages.Agent, error) {
	if revision == 0 {
		revision = len(f.agents)
	}
	if id != "agent1" || revision < 1 || revision > len(f.agents) {
		return pages.Agent{}, &memory.Error{Kind: memory.NotFound}
	}
	return f.agents[revision-1], nil
}

func (f *fakeHouse) Checkpoints(context.Context, memory.Caller, string) ([]pages.Checkpoint, error) {
	return f.states, nil
}

func (f *fakeHouse) CheckpointOf(_ context.Context, _ memory.Caller, id string) ([]byte, error) {
	if id != "state1" {
		return nil, &memory.Error{Kind: memory.NotFound}
	}
	f.acts = append(f.acts, "checkpoint")
	return []byte(`{"state":1}`), nil
}

func (f *fakeHouse) ExportFormats() []pages.ExportFormat {
	return []pages.ExportFormat{{Name: "ump", Title: "UMP records", File: "memory.ump.json", Whole: true}, {Name: "plain", Title: "Plain", File: "memory.txt"}}
}

func (f *fakeHouse) ExportPlan(context.Context, memory.Caller, pages.ExportQuery) (pages.ExportPlan, error) {
	return f.planned, nil
}

func (f *fakeHouse) ExportTo(_ context.Context, _ memory.Caller, q pages.ExportQuery, w io.Writer) error {
	f.acts = append(f.acts, "export "+q.Format)
	_, err := w.Write([]byte("the export"))
	return err
}

func (f *fakeHouse) RemoveAgent(_ context.Context, _ memory.Caller, id string) error {
	f.acts = append(f.acts, "remove "+id)
	return nil
}

func (f *fakeHouse) RemoveCheckpoint(_ context.Context, _ memory.Caller, id string) error {
	f.acts = append(f.acts, "remove "+id)
	return nil
}
