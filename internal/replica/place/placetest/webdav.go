package placetest

import (
	"context"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"testing"

	emersion "github.com/emersion/go-webdav"
	"golang.org/x/net/webdav"
)

// WebDAV is the path of the folder that [ServeWebDAV] serves.
const WebDAV = "/remote.php/dav"

// share is a folder served by WebDAV.
type share struct {
	http.Handler
	list func() map[string]string
}

// ServeWebDAV serves an empty folder on the disk to [User].
func ServeWebDAV(t testing.TB) *Server {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(dir+WebDAV, 0o700); err != nil {
		t.Fatal(err)
	}
	return serve(t, &share{&emersion.Handler{FileSystem: emersion.LocalFileSystem(dir)}, func() map[string]string { return onDisk(dir) }})
}

func onDisk(dir string) map[string]string {
	all := map[string]string{}
	_ = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error { // a file may go meanwhile
		if err == nil && entry.Type().IsRegular() {
			if data, err := os.ReadFile(name); err == nil {
				all[name[len(dir):]] = string(data)
			}
		}
		return nil
	})
	return all
}

// ServeWebDAVInMemory serves an empty folder to [User], by another library than that of
// [ServeWebDAV].
func ServeWebDAVInMemory(t testing.TB) *Server {
	t.Helper()
	files := webdav.NewMemFS()
	h := &webdav.Handler{Prefix: WebDAV, FileSystem: files, LockSystem: webdav.NewMemLS()}
	return serve(t, &share{h, func() map[string]string { return inMemory(files, "/") }})
}

func inMemory(files webdav.FileSystem, dir string) map[string]string {
	all := map[string]string{}
	open, err := files.OpenFile(context.Background(), dir, os.O_RDONLY, 0)
	if err != nil {
		return all
	}
	defer open.Close()
	if infos, err := open.Readdir(-1); err == nil {
		for _, info := range infos {
			for name, text := range inMemory(files, path.Join(dir, info.Name())) {
				all[name] = text
			}
		}
		return all
	}
	if data, err := io.ReadAll(open); err == nil {
		all[dir] = string(data)
	}
	return all
}

// ServeHTTP implements [http.Handler]. It refuses a body of unknown length, as some servers do.
func (s *share) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user, password, _ := r.BasicAuth()
	switch {
	case user != User || password != Password:
		w.WriteHeader(http.StatusUnauthorized)
	case r.Method == http.MethodPut && r.ContentLength < 0:
		w.WriteHeader(http.StatusLengthRequired)
	default:
		s.Handler.ServeHTTP(w, r)
	}
}

func (s *share) files() map[string]string { return s.list() }
