package pages

import (
	"context"
	"io"
	"net/http"

	"github.com/satchel-memory/satchel/memory"
)

// Exporter writes the memory of a caller in formats of other programs.
type Exporter interface {
	// ExportFormats lists the formats that can be downloaded as one file, the most faithful
	// first.
	ExportFormats() []ExportFormat
	// ExportPlan says what an export in a format would hold and leave out. It fails with
	// kind NotFound for a format that does not exist.
	ExportPlan(ctx context.Context, c memory.Caller, q ExportQuery) (ExportPlan, error)
	// ExportTo writes an export.
	ExportTo(ctx context.Context, c memory.Caller, q ExportQuery, w io.Writer) error
}

// ExportFormat is a format for downloads.
type ExportFormat struct {
	Name, Title, File string // File is what the download is called
	Whole             bool   // every memory comes back exactly as it was
}

// ExportQuery says what to export.
type ExportQuery struct {
	Format  string
	Project string // empty: all
	ToPeer  bool   // for somebody else: without private memories
}

// ExportPlan says what an export holds and what it leaves out.
type ExportPlan struct {
	Written int
	Earlier int      // of Written: replaced, forgotten or waiting
	Omitted []Reason // memories that do not leave
	Lost    []Reason // parts for which the format has no place
}

// Current counts what the owner calls memories.
func (p ExportPlan) Current() int { return p.Written - p.Earlier }

// exportHandler answers requests about exports.
type exportHandler struct{ *Handler }

// exportPage offers formats, and says what one of them would hold.
type exportPage struct {
	frame
	ExportPlan
	Formats  []choice
	Projects []choice
	Whom     []choice
	Query    ExportQuery
	Chosen   ExportFormat // the zero format: none was asked about
	Command  string
}

// exportQuery is the export that a form means.
func exportQuery(get func(string) string) ExportQuery {
	return ExportQuery{Format: get("format"), Project: get("project"), ToPeer: get("for") == "others"}
}

// exports shows the formats, and what is left out of an export in one of them.
func (h exportHandler) exports(w http.ResponseWriter, r *http.Request, v visitor) {
	p := exportPage{frame: h.frame(r, v, "Export", "export"), Query: exportQuery(r.URL.Query().Get), Command: command("export", "-o", "memory.ump.json")}
	projects, err := h.backend.ProjectNames(r.Context(), v.caller)
	if err == nil && p.Query.Format != "" {
		p.ExportPlan, err = h.backend.ExportPlan(r.Context(), v.caller, p.Query)
	}
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	for _, f := range h.backend.ExportFormats() {
		p.Formats = append(p.Formats, choice{f.Name, f.Title, f.Name == p.Query.Format})
		if f.Name == p.Query.Format {
			p.Chosen, p.Command = f, p.Query.command(f.File)
		}
	}
	p.Projects = projectChoices(projects, p.Query.Project)
	whom := "me"
	if p.Query.ToPeer {
		whom = "others"
	}
	p.Whom = choices(whom, "me", "Me", "others", "Somebody else")
	h.show(w, r, http.StatusOK, "export", p)
}

// command is the command line for the same export.
func (q ExportQuery) command(file string) string {
	words := []string{"export", "--to", q.Format, "-o", file}
	if q.Project != "" {
		words = append(words, "--project", quoted(q.Project))
	}
	if q.ToPeer {
		words = append(words, "--to-peer")
	}
	return command(words...)
}

// export sends the memory as a file.
func (h exportHandler) export(w http.ResponseWriter, r *http.Request, v visitor) {
	q := exportQuery(r.PostForm.Get)
	for _, f := range h.backend.ExportFormats() {
		if f.Name != q.Format {
			continue
		}
		h.send(w, r, v, "application/octet-stream", f.File, func(out io.Writer) error {
			return h.backend.ExportTo(r.Context(), v.caller, q, out)
		})
		return
	}
	h.fail(w, r, v, &memory.Error{Kind: memory.NotFound})
}
