package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// entry is a file in an archive.
type entry struct {
	name string // with slashes, below the archive's root
	mode int64
	data []byte
}

// archives writes an archive for each platform: the program and its texts in one folder.
func (r *release) archives() error {
	for _, p := range platforms {
		folder := r.asset(p, "")
		files := []entry{{folder + "/" + p.binary(), 0o755, r.programs[p]}}
		for _, t := range r.texts {
			files = append(files, entry{folder + "/" + t.name, t.mode, t.data})
		}
		var err error
		if p.os == "windows" {
			err = r.putZip(r.asset(p, ".zip"), files)
		} else {
			err = r.putTar(r.asset(p, ".tar.gz"), files)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// putTar writes a compressed archive of the release.
func (r *release) putTar(name string, files []entry) error {
	var plain bytes.Buffer
	if err := writeTar(&plain, files, r.at); err != nil {
		return err
	}
	data, err := gzipped(plain.Bytes())
	if err != nil {
		return err
	}
	return r.put(name, data)
}

// gzipped compresses data, without a name or a time.
func gzipped(data []byte) ([]byte, error) {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// writeTar writes files, each after its folders, that belong to root and have one time.
func writeTar(out io.Writer, files []entry, at time.Time) error {
	w := tar.NewWriter(out)
	for _, f := range withFolders(files) {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode, Size: int64(len(f.data)), ModTime: at, Format: tar.FormatUSTAR}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		if _, err := w.Write(f.data); err != nil {
			return err
		}
	}
	return w.Close()
}

// withFolders adds the folders of the files, whose names end in a slash, and sorts by name.
func withFolders(files []entry) []entry {
	all := slices.Clone(files)
	seen := map[string]bool{}
	for _, f := range files {
		for dir := path.Dir(f.name); dir != "." && !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			all = append(all, entry{dir + "/", 0o755, nil})
		}
	}
	slices.SortFunc(all, byName)
	return all
}

func byName(a, b entry) int { return strings.Compare(a.name, b.name) }

// putZip writes a zip of the release, without entries for folders, over which the tool for MCP bundles
// stumbles.
func (r *release) putZip(name string, files []entry) error {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range slices.SortedFunc(slices.Values(files), byName) {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: r.at}
		h.SetMode(fs.FileMode(f.mode))
		file, err := w.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := file.Write(f.data); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return r.put(name, out.Bytes())
}
