package pages

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Importer imports what the owner's browser sends, and takes it back.
type Importer interface {
	Uploads
	// ImportList lists the imports, newest first.
	ImportList(ctx context.Context, c memory.Caller) ([]Import, error)
	// UndoPlan says what taking an import back would do. It fails with kind NotFound for an
	// import that does not exist or was taken back.
	UndoPlan(ctx context.Context, c memory.Caller, number int64) (UndoPlan, error)
	// UndoImport begins to take an import back, and stops one that is under way.
	UndoImport(ctx context.Context, c memory.Caller, number int64) error
}

// Uploads keeps files while they are imported. Every method fails with kind NotFound for a
// file that is not here any more.
type Uploads interface {
	// Upload keeps a file and begins to read it. It returns the file's name in addresses.
	Upload(ctx context.Context, c memory.Caller, name string, in io.Reader) (string, error)
	// UploadList lists the files that are here, newest first.
	UploadList(ctx context.Context, c memory.Caller) ([]Upload, error)
	// UploadOf says how far a file is.
	UploadOf(ctx context.Context, c memory.Caller, file string) (Upload, error)
	// StartUpload imports a file that was read, or goes on with one that was stopped.
	StartUpload(ctx context.Context, c memory.Caller, file string) error
	// StopUpload ends the reading or importing of a file.
	StopUpload(ctx context.Context, c memory.Caller, file string) error
	// DropUpload removes a file.
	DropUpload(ctx context.Context, c memory.Caller, file string) error
}

// ImportState says how far an import has come.
type ImportState string

// The states of an import.
const (
	AtWork     ImportState = "at work"
	InPart     ImportState = "in part" // it was stopped, and can go on
	Complete   ImportState = "imported"
	GoingBack  ImportState = "being taken back" // by this server
	PartlyBack ImportState = "partly taken back"
	TakenBack  ImportState = "undone"
	NothingWas ImportState = "cut off" // and nothing of it was kept
)

// Import is a document that was imported.
type Import struct {
	Number  int64
	Name    string
	Format  string
	At      time.Time
	State   ImportState
	New     int
	Known   int
	Units   int    // conversations of an archive that are done
	Upload  string // the file that it comes from; empty: that is not here any more
	Removed int    // while it is taken back: memories that are gone
	Kept    int    // and those that stay
	Failure error  // why taking it back failed
}

// UndoPlan says what taking an import back would do.
type UndoPlan struct {
	Remove    int
	Changed   int // stay, because they were changed since
	BuiltOn   int // stay, because others build on them
	Proposals int // go, because they were found in those that go
	Stay      []memory.Record
}

// UploadState says how far a file has come.
type UploadState string

// The states of a file.
const (
	UploadReading   UploadState = "reading"
	UploadRead      UploadState = "read"
	UploadImporting UploadState = "importing"
	UploadStopped   UploadState = "stopped"
	UploadImported  UploadState = "imported"
	UploadFailed    UploadState = "failed"
)

// Upload is a file that was sent, and what the import of it does or would do.
type Upload struct {
	File                                      string // its name in addresses
	Name                                      string
	Format                                    string
	Size                                      int64
	State                                     UploadState
	Far, Total                                int64 // bytes that are read; Total 0: not known
	Number                                    int64 // of the import; 0: there is none yet
	Seen                                      int   // records that are read
	Read, New, Updated, Known, Left, Conflict int
	Narrowed, Units, Before, Masked           int
	Again                                     bool     // it was imported before
	Reasons                                   []Reason // why something is left out
	Conflicts                                 []Reason
	Losses                                    []Reason // what did not survive, by reason
	Samples                                   []memory.Record
	Failure                                   error // why it cannot be imported
}

// Reason counts what is left out for one reason, and names the first of it.
type Reason struct {
	Text  string
	Count int
	Where []string
}

// importRoutes are the addresses of the pages about imports.
func importRoutes() []string {
	return []string{"/me/imports", "/me/imports/{n}", "/me/imports/{n}/undo", "/me/uploads/{file}", "/me/uploads/{file}/start",
		"/me/uploads/{file}/stop", "/me/uploads/{file}/drop"}
}

// importHandler answers requests about imports.
type importHandler struct{ *Handler }

func (all *Handler) routeImports() {
	h := importHandler{all}
	h.mux.Handle("/me/imports", h.either(h.reads(h.imports), h.uploads()))
	h.mux.Handle("/me/imports/{n}", h.reads(h.importOf))
	h.mux.Handle("/me/imports/{n}/undo", h.either(h.reads(h.undoOf), h.writes(h.undo)))
	h.mux.Handle("/me/uploads/{file}", h.reads(h.upload))
	for word, do := range map[string]func(context.Context, memory.Caller, string) error{"start": h.backend.StartUpload, "stop": h.backend.StopUpload, "drop": h.backend.DropUpload} {
		h.mux.Handle("/me/uploads/{file}/"+word, h.writes(h.uploadDo(do)))
	}
}

// importsPage lists imports.
type importsPage struct {
	frame
	Rows    []importRow
	Uploads []uploadRow
	More    int // imports that are not shown
}

// mostImports is how many imports a page lists.
const mostImports = 200

// importRow is an import in a list.
type importRow struct {
	Import
	Path string
	When moment
	Mark mark
	Say  string
}

// uploadRow is a file in a list.
type uploadRow struct {
	Upload
	Path string
	Mark mark
}

// imports lists the imports and takes files.
func (h importHandler) imports(w http.ResponseWriter, r *http.Request, v visitor) {
	p := importsPage{frame: h.frame(r, v, "Imports", "imports")}
	all, err := h.backend.ImportList(r.Context(), v.caller)
	var files []Upload
	if err == nil {
		files, err = h.backend.UploadList(r.Context(), v.caller)
	}
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	for _, i := range all[:min(len(all), mostImports)] {
		p.Rows = append(p.Rows, importRowOf(i, p.Now))
		p.Refresh = p.Refresh || i.State == AtWork || i.State == GoingBack
	}
	for _, u := range files {
		p.Uploads = append(p.Uploads, uploadRow{u, uploadPath(u.File), uploadMark(u)})
		p.Refresh = p.Refresh || u.busy()
	}
	p.More = len(all) - len(p.Rows)
	h.show(w, r, http.StatusOK, "imports", p)
}

func importPath(number int64) string { return Root + "imports/" + strconv.FormatInt(number, 10) }

func uploadPath(file string) string { return Root + "uploads/" + url.PathEscape(file) }

func importRowOf(i Import, now time.Time) importRow {
	row := importRow{Import: i, Path: importPath(i.Number), When: momentOf(i.At, now)}
	row.Name = cut(i.Name, 120)
	switch i.State {
	case AtWork:
		row.Mark, row.Say = mark{"at work", "wait"}, "It is being imported. You may leave this page."
	case InPart:
		row.Mark, row.Say = mark{"in part", "wait"}, "It was stopped. What came in so far is here and stays; sending the same file again goes on from there."
	case Complete:
		row.Mark, row.Say = mark{"imported", "good"}, "All of it is here."
	case GoingBack:
		row.Mark, row.Say = mark{"being taken back", "wait"}, "Its memories are being erased. You may leave this page."
	case PartlyBack:
		row.Mark, row.Say = mark{"partly taken back", "wait"}, "Taking it back stopped, or another program does it. What is left is still here."
	case TakenBack:
		row.Mark, row.Say = mark{"taken back", "gone"}, "It was taken back. Its memories are erased, but for those that were changed or built on."
	default:
		row.Mark, row.Say = mark{"cut off", "gone"}, "It was cut off, and nothing of it was kept."
	}
	return row
}

func uploadMark(u Upload) mark {
	switch u.State {
	case UploadReading:
		return mark{"being read", "wait"}
	case UploadRead:
		if u.Again {
			return mark{"here already", "plain"}
		}
		return mark{"ready to import", "wait"}
	case UploadImporting:
		return mark{"at work", "wait"}
	case UploadImported:
		return mark{"imported", "good"}
	case UploadFailed:
		return mark{"not imported", "bad"}
	}
	return mark{"stopped", "wait"}
}

// busy reports whether the page of a file changes by itself.
func (u Upload) busy() bool { return u.State == UploadReading || u.State == UploadImporting }

// importPage shows one import.
type importPage struct {
	frame
	Row     importRow
	Back    string // where its memories are listed
	Undo    string // the page that asks; empty: it cannot be taken back now
	File    string // the page of its file; empty: it is not here
	Broken  string // why taking it back failed
	Command string
}

// importNamed returns the import that an address names.
func (h importHandler) importNamed(r *http.Request, v visitor) (Import, error) {
	number, err := strconv.ParseInt(r.PathValue("n"), 10, 64)
	if err != nil || strconv.FormatInt(number, 10) != r.PathValue("n") {
		return Import{}, &memory.Error{Kind: memory.NotFound}
	}
	all, err := h.backend.ImportList(r.Context(), v.caller)
	for _, i := range all {
		if i.Number == number {
			return i, err
		}
	}
	if err == nil {
		err = &memory.Error{Kind: memory.NotFound}
	}
	return Import{}, err
}

// importOf shows one import.
func (h importHandler) importOf(w http.ResponseWriter, r *http.Request, v visitor) {
	i, err := h.importNamed(r, v)
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	number := strconv.FormatInt(i.Number, 10)
	p := importPage{frame: h.frame(r, v, "Import "+number, "imports"), Command: command("list", "--import", number)}
	p.Row = importRowOf(i, p.Now)
	p.Back = listPath("import", number, "state", "all")
	if i.State == Complete || i.State == InPart || i.State == AtWork || i.State == PartlyBack {
		p.Undo = p.Row.Path + "/undo"
	}
	if i.Upload != "" {
		p.File = uploadPath(i.Upload)
	}
	if i.Failure != nil {
		p.Broken = failureOf(i.Failure).Text
	}
	p.Refresh = i.State == AtWork || i.State == GoingBack
	h.show(w, r, http.StatusOK, "import", p)
}

// undoPage asks before an import is taken back.
type undoPage struct {
	frame
	Row     importRow
	Plan    UndoPlan
	Stay    []row
	Command string
}

// undoOf says what taking an import back would do, and asks.
func (h importHandler) undoOf(w http.ResponseWriter, r *http.Request, v visitor) {
	i, err := h.importNamed(r, v)
	p := undoPage{frame: h.frame(r, v, "Take import "+r.PathValue("n")+" back", "imports"), Command: command("import", "--undo", strconv.FormatInt(i.Number, 10))}
	if err == nil {
		p.Plan, err = h.backend.UndoPlan(r.Context(), v.caller, i.Number)
	}
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	p.Row, p.Stay = importRowOf(i, p.Now), rowsOf(p.Plan.Stay, p.Now)
	h.show(w, r, http.StatusOK, "undo", p)
}

// undo takes an import back.
func (h importHandler) undo(w http.ResponseWriter, r *http.Request, v visitor) {
	i, err := h.importNamed(r, v)
	if err == nil {
		err = h.backend.UndoImport(r.Context(), v.caller, i.Number)
	}
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	http.Redirect(w, r, importPath(i.Number), http.StatusSeeOther)
}
