package place

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/emersion/go-webdav"

	"github.com/satchel-memory/satchel/internal/replica/folder"
)

// WebDAV is a folder of a WebDAV server, such as Nextcloud.
type WebDAV struct {
	server
	dav *webdav.Client
}

var _ folder.Storage = (*WebDAV)(nil)

// server sends requests to a WebDAV server, with the owner's password.
type server struct {
	base           *url.URL
	user, password string
	http           *http.Client
}

// OpenWebDAV returns the folder at an address, without a request. The folder has to exist. It fails
// with [ErrAddress] for a malformed address. Without user and password it sends none.
func OpenWebDAV(at, user, password string) (*WebDAV, error) {
	base, err := address(at)
	if err != nil {
		return nil, err
	}
	if base.Path = path.Clean("/" + base.Path); base.Path != "/" {
		base.Path += "/"
	}
	s := server{base, user, password, client()}
	dav, err := webdav.NewClient(&s, base.String())
	if err != nil {
		return nil, ErrAddress
	}
	return &WebDAV{s, dav}, nil
}

// Do sends a request with the password. Every status but 2xx becomes a [refusal].
func (s *server) Do(r *http.Request) (*http.Response, error) {
	if s.user != "" || s.password != "" {
		r.SetBasicAuth(s.user, s.password)
	}
	answer, err := s.http.Do(r)
	if err != nil || answer.StatusCode/100 == 2 {
		return answer, err
	}
	return nil, errors.Join(&refusal{s.base.Host, r.Method, answer.StatusCode, ""}, answer.Body.Close())
}

// refusal is an answer with a status other than 2xx.
type refusal struct {
	host, method string
	status       int
	code         string // what the server calls it; empty: nothing
}

// Error names the host and the status, and says what to do if that is clear.
func (r *refusal) Error() string {
	said := fmt.Sprintf("%s answers %s with status %d", r.host, r.method, r.status)
	if r.code != "" {
		said += " (" + r.code + ")"
	}
	switch r.status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return said + ": check the user and the password"
	case http.StatusInsufficientStorage:
		return said + ": there is no space left"
	}
	return said
}

// Is reports a missing file as [fs.ErrNotExist].
func (r *refusal) Is(target error) bool {
	return target == fs.ErrNotExist && r.code == "" && (r.status == http.StatusNotFound || r.status == http.StatusGone)
}

// isStatus reports whether err is a refusal with one of some statuses.
func isStatus(err error, statuses ...int) bool {
	r, ok := errors.AsType[*refusal](err)
	for _, s := range statuses {
		if ok && r.status == s {
			return true
		}
	}
	return false
}

// temporary is the prefix of the names of unfinished files. List returns those that a killed
// machine left, so that the next sync deletes them.
const temporary = ".satchel-"

// isTemporary reports whether a file has a name of unfinished files.
func isTemporary(name string) bool { return strings.HasPrefix(path.Base(name), temporary) }

// List implements [folder.Storage]. It sends a request for each folder: servers refuse to list
// folders to any depth.
func (w *WebDAV) List(ctx context.Context, dir string) ([]folder.File, error) {
	infos, err := w.dav.ReadDir(ctx, dir, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var found []folder.File
	self := path.Join(w.base.Path, dir)
	for _, info := range infos {
		name := path.Join(dir, path.Base(info.Path))
		switch {
		case path.Clean(info.Path) == self || strings.HasPrefix(path.Base(info.Path), ".") && !isTemporary(info.Path):
		case info.IsDir && strings.Count(name, "/") < 2:
			var below []folder.File
			if below, err = w.List(ctx, name); err != nil {
				return nil, err
			}
			found = append(found, below...)
		case !info.IsDir:
			found = append(found, folder.File{Name: name, Size: info.Size})
		}
		if err := checkCount(len(found)); err != nil {
			return nil, err
		}
	}
	return found, err
}

// Get implements [folder.Storage].
func (w *WebDAV) Get(ctx context.Context, name string, most int64) ([]byte, error) {
	in, err := w.dav.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	return readAll(in, most)
}

// Put implements [folder.Storage]. A server may keep half of a file when the connection breaks.
// So Put writes under a temporary name first, and renames.
func (w *WebDAV) Put(ctx context.Context, name string, data []byte) error {
	random := make([]byte, 8)
	if _, err := rand.Read(random); err != nil {
		return err
	}
	temp := path.Join(path.Dir(name), temporary+hex.EncodeToString(random))
	err := w.send(ctx, temp, data)
	if isStatus(err, http.StatusNotFound, http.StatusConflict) {
		if err = w.makeFolders(ctx, path.Dir(name)); err == nil {
			err = w.send(ctx, temp, data)
		}
	}
	if err != nil {
		return err
	}
	return w.dav.Move(ctx, temp, name, nil)
}

// send writes a file. It sends the length, which some servers require.
func (w *WebDAV) send(ctx context.Context, name string, data []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, w.base.JoinPath(name).String(), bytes.NewReader(data))
	if err != nil {
		return err
	}
	answer, err := w.Do(r)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return errors.Join(err, answer.Body.Close())
}

// makeFolders makes a folder and those above it. A server answers Method Not Allowed for a folder
// that exists.
func (w *WebDAV) makeFolders(ctx context.Context, dir string) error {
	for i, c := range dir + "/" {
		if c != '/' {
			continue
		}
		if err := w.dav.Mkdir(ctx, dir[:i]); err != nil && !isStatus(err, http.StatusMethodNotAllowed) {
			return err
		}
	}
	return nil
}

// Delete implements [folder.Storage].
func (w *WebDAV) Delete(ctx context.Context, name string) error {
	err := w.dav.RemoveAll(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
