package pages

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed static
var staticFiles embed.FS

// asset is a file that browsers load besides a page.
type asset struct {
	kind   string // its media type
	digest string
	plain  []byte
	packed []byte // with gzip; nil: that is no smaller
}

// assetKinds are the media types by the endings of names. Other files are not served.
var assetKinds = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

// assets are the files of folder static by their last names, packed once.
var assets = sync.OnceValue(func() map[string]asset {
	all := map[string]asset{}
	err := fs.WalkDir(staticFiles, "static", func(name string, entry fs.DirEntry, err error) error {
		kind := assetKinds[path.Ext(name)]
		if err != nil || entry.IsDir() || kind == "" {
			return err
		}
		data, err := staticFiles.ReadFile(name)
		if err == nil {
			all[path.Base(name)] = newAsset(kind, data)
		}
		return err
	})
	if err != nil {
		panic(err) // impossible: the files are in the program
	}
	var script []byte
	for _, name := range pageScripts() {
		script = append(append(script, all[name].plain...), '\n')
	}
	all["pages.js"] = newAsset(assetKinds[".js"], script)
	return all
})

// pageScripts are the scripts of every page. Browsers load them as one file, pages.js.
func pageScripts() []string { return []string{"htmx.min.js", "keys.js", "live.js"} }

func newAsset(kind string, data []byte) asset {
	sum := sha256.Sum256(data)
	a := asset{kind: kind, digest: hex.EncodeToString(sum[:8]), plain: data}
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is valid
	_, err := z.Write(data)
	if err == nil && z.Close() == nil && b.Len() < len(data) {
		a.packed = b.Bytes()
	}
	return a
}

// assetPath returns the address of a file. It changes with the content, so that browsers
// may keep what they have for ever.
func assetPath(name string) string { return Root + "static/" + assets()[name].digest + "/" + name }

// Style returns the looks of the pages, for other pages of the program.
func Style() []byte { return slices.Clone(assets()["style.css"].plain) }

// static serves a file to everybody: it says nothing of anybody.
func (h *Handler) static(w http.ResponseWriter, r *http.Request) {
	a, ok := assets()[r.PathValue("name")]
	switch {
	case !ok || a.digest != r.PathValue("digest"):
		h.refuse(w, r, failure{http.StatusNotFound, "There is nothing here", "No file of these pages has this address.", "Load the page again."})
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		h.refuse(w, r, wrongMethod())
		return
	}
	header := w.Header()
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	header.Set("ETag", `"`+a.digest+`"`)
	header.Set("Vary", "Accept-Encoding")
	header.Set("Content-Type", a.kind)
	if strings.Contains(r.Header.Get("If-None-Match"), a.digest) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := a.plain
	if a.packed != nil && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		header.Set("Content-Encoding", "gzip")
		body = a.packed
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // the client has gone; nobody reads an error
	}
}
