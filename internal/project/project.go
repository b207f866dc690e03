package project

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Project is the project that a folder belongs to.
type Project struct {
	Name string // canonical name: "github.com/owner/repo", or a path with slashes
	Root string // root of the work tree, or the folder itself
	Git  bool   // the folder is in a git work tree
}

// most bounds the bytes of a repository's configuration or of a file that points to it;
// real ones are far smaller.
const most = 1 << 20

// Of returns the project of the folder dir. It fails if dir does not exist or if the
// repository around it cannot be read.
func Of(dir string) (Project, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return Project{}, fmt.Errorf("find the project's folder: %w", err)
	}
	for root := dir; ; root = filepath.Dir(root) {
		at := filepath.Join(root, ".git")
		info, err := os.Stat(at)
		switch {
		case err == nil:
			return repository(root, at, info.IsDir())
		case !errors.Is(err, fs.ErrNotExist):
			return Project{}, fmt.Errorf("look for a repository: %w", err)
		case root == filepath.Dir(root):
			return Project{Name: filepath.ToSlash(dir), Root: dir}, nil
		}
	}
}

// repository names the work tree at root. Its .git is a folder or, in linked work trees and
// submodules, a file that names the folder.
func repository(root, at string, folder bool) (Project, error) {
	if !folder {
		target, err := pointer(at, "gitdir:")
		if err != nil {
			return Project{}, err
		}
		at = beside(root, target)
	}
	common := at
	if target, err := pointer(filepath.Join(at, "commondir"), ""); err == nil {
		common = beside(at, target)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return Project{}, err
	}
	p := Project{Root: root, Git: true}
	text, err := read(filepath.Join(common, "config"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Project{}, err
	}
	for _, remote := range remotes(text) {
		if name, ok := normalize(remote); ok {
			p.Name = name
			return p, nil
		}
	}
	p.Name = filepath.ToSlash(root)
	if filepath.Base(common) == ".git" {
		p.Name = filepath.ToSlash(filepath.Dir(common)) // the same for every linked work tree
	}
	return p, nil
}

// pointer reads a one-line file that names a folder.
func pointer(name, prefix string) (string, error) {
	text, err := read(name)
	if err != nil {
		return "", err
	}
	target, ok := strings.CutPrefix(strings.TrimSpace(text), prefix)
	target = strings.TrimSpace(target)
	if !ok || target == "" || strings.ContainsAny(target, "\n\x00") {
		return "", fmt.Errorf("%s does not say where the repository is", name)
	}
	return target, nil
}

func beside(dir, target string) string {
	if filepath.IsAbs(target) {
		return filepath.Clean(target)
	}
	return filepath.Join(dir, target)
}

// read returns the beginning of a file. It refuses a file that is not regular before it
// opens it: a pipe might never end.
func read(name string) (string, error) {
	info, err := os.Stat(name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is no plain file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most))
	return string(text), err
}
