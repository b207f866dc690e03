package pages

import (
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/size"
)

// maxUpload is the most bytes of a form with a file: the backend bounds the file itself.
const maxUpload = 2<<30 + 1<<20

// send takes a file from a page of the same visit. It reads the form piece by piece: the file
// never lies in memory, and nothing of it is read before the form's token.
func (h importHandler) send(w http.ResponseWriter, r *http.Request, v visitor) {
	whole := r.Body
	body := httpkit.NewBody(r, maxUpload).Within(httpkit.Patience, w, h.options.Now)
	r.Body = struct {
		io.Reader
		io.Closer
	}{body, r.Body}
	file, err := h.uploaded(r, v)
	switch {
	case errors.Is(err, errForeign):
		w.Header().Set("Connection", "close")
		h.refuse(w, r, foreignForm())
	case err != nil:
		w.Header().Set("Connection", "close") // the rest of the file is not wanted
		h.fail(w, r, v, err)
		if body.Broken() == nil {
			h.discard(w, whole)
		}
	default:
		body.Rest()
		http.Redirect(w, r, uploadPath(file), http.StatusSeeOther)
	}
}

// lateRest is how long the rest of a refused form may take.
const lateRest = 30 * time.Second

// discard sends the answer and reads the rest of a form, which nobody wants: a browser that is
// cut off while it sends shows no answer.
func (h importHandler) discard(w http.ResponseWriter, rest io.Reader) {
	control, now := http.NewResponseController(w), h.options.Now()
	if control.Flush() == nil && control.SetReadDeadline(now.Add(lateRest)) == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(rest, maxUpload)) // the sender may go at any time
	}
}

// errForeign is the error of a form that lacks the token of the visit.
var errForeign = errors.New("the form is not of this visit")

// uploaded reads a form with a token and a file, in this order.
func (h importHandler) uploaded(r *http.Request, v visitor) (string, error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return "", errForeign
	}
	token, err := parts.NextPart()
	if err != nil || token.FormName() != "token" {
		return "", errForeign
	}
	said, err := io.ReadAll(io.LimitReader(token, 1<<10))
	if err != nil || !v.isToken(string(said)) {
		return "", errForeign
	}
	var file *multipart.Part
	if file, err = parts.NextPart(); err != nil || file.FormName() != "file" {
		return "", &memory.Error{Kind: memory.InvalidRecord, Op: "import", Message: "the form holds no file"}
	}
	return h.backend.Upload(r.Context(), v.caller, file.FileName(), file)
}

// uploadPage shows what became of a file.
type uploadPage struct {
	frame
	Upload
	Mark     mark
	Percent  int // that are read; -1: unknown
	SizeText string
	Import   string // page of the import; empty: there is none yet
	Path     string
	Rows     []row // samples
	What     failure
	Lost     int // of Losses
	Command  string
}

// upload shows what became of a file.
func (h importHandler) upload(w http.ResponseWriter, r *http.Request, v visitor) {
	u, err := h.backend.UploadOf(r.Context(), v.caller, r.PathValue("file"))
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	name := cut(u.Name, 120)
	p := uploadPage{frame: h.frame(r, v, cut(name, 60), "imports"), Upload: u, Mark: uploadMark(u), Percent: -1, SizeText: size.Bytes(u.Size).String(), Path: uploadPath(u.File)}
	p.Name, p.Command = name, command("import", quoted(name))
	if u.Total > 0 {
		p.Percent = int(min(100, u.Far*100/u.Total))
	}
	if u.Number != 0 {
		p.Import = importPath(u.Number)
	}
	for _, l := range u.Losses {
		p.Lost += l.Count
	}
	if p.Rows, p.Refresh = rowsOf(u.Samples, p.Now), u.busy(); u.Failure != nil {
		p.What = failureOf(u.Failure)
	}
	h.show(w, r, http.StatusOK, "upload", p)
}

// uploadDo does something with a file, and shows it, or the list once it is gone.
func (h importHandler) uploadDo(do func(Importer, context.Context, memory.Caller, string) error) page {
	return func(w http.ResponseWriter, r *http.Request, v visitor) {
		file := r.PathValue("file")
		if err := do(h.backend, r.Context(), v.caller, file); err != nil {
			h.fail(w, r, v, err)
			return
		}
		to := uploadPath(file)
		if _, err := h.backend.UploadOf(r.Context(), v.caller, file); err != nil {
			to = Root + "imports"
		}
		http.Redirect(w, r, to, http.StatusSeeOther)
	}
}
