package pages

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// importHandler answers requests about imports.
type importHandler struct{ *Handler }

// importsPage lists imports.
type importsPage struct {
	frame
	Rows    []importRow
	Uploads []uploadRow
	More    int      // imports that are not shown
	Lines   []string // that bring a file in, for an owner who keeps their own key
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
	if v.keepsKey {
		p.Lines = h.importLines(r).Lines
	}
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
