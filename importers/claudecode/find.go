package claudecode

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/markdown"
)

// ruleFiles lists the files of rules in a folder. AGENTS.md comes last: if CLAUDE.md
// imports it, it is read there.
func ruleFiles() []string {
	return []string{"CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", "AGENTS.md"}
}

// finder finds the documents of a source (CLAUDE-8).
type finder struct {
	folder    folder
	listed    int // number of folder entries seen
	documents []document
	slugs     []string // folders of projects whose notes were found
	losses    codec.LossList
}

func (f *finder) find() error {
	if f.folder.src.Tree == nil {
		return f.single()
	}
	names, err := f.ruleNames()
	if err != nil {
		return err
	}
	for _, name := range names {
		switch info, err := fs.Stat(f.folder.src.Tree, name); {
		case err == nil && info.Mode().IsRegular():
			f.documents = append(f.documents, document{path: name, role: aRules})
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			f.lose(name, lossUnopened)
		}
	}
	if err := f.memories(); err != nil {
		return err
	}
	if len(f.documents) == 0 {
		return violation(ruleSource, "", 0, errors.New("no CLAUDE.md, AGENTS.md or memory folder; name the folder that holds one"))
	}
	return nil
}

// ruleNames lists the files that may hold the rules of a folder.
func (f *finder) ruleNames() ([]string, error) {
	names := ruleFiles()
	dir := ".claude/rules"
	if f.folder.src.Name == ".claude" {
		dir = "rules"
	}
	for _, pattern := range []string{"/*.md", "/*/*.md", "/*/*/*.md"} {
		found, err := fs.Glob(f.folder.src.Tree, dir+pattern)
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", dir, err)
		}
		if f.listed += len(found); f.listed > f.folder.limits.Files {
			return nil, violation(ruleLimit, dir, 0, fmt.Errorf("more than %d files; name a smaller folder, or raise the limit", f.folder.limits.Files))
		}
		names = append(names, found...)
	}
	return names, nil
}

// single decides what the only file is.
func (f *finder) single() error {
	if f.folder.src.File == nil {
		return violation(ruleSource, "", 0, errors.New("neither a file nor a folder"))
	}
	head, err := f.folder.head("")
	if err != nil {
		return fmt.Errorf("read %s: %w", f.folder.src.Name, err)
	}
	doc := document{role: aRules}
	switch {
	case f.folder.src.Name == "MEMORY.md":
		doc.role = anIndex
	case hasType(head):
		doc.role = aNote
	}
	f.documents = append(f.documents, doc)
	return nil
}

// hasType reports whether a file begins like a note with a known type. A name and a
// description are not enough: agents and skills have them, too.
func hasType(head []byte) bool {
	text := strings.ReplaceAll(strings.TrimPrefix(string(head), "\ufeff"), "\r\n", "\n")
	front, _, found, _ := markdown.Split(text)
	if !found {
		return false
	}
	for line := range strings.Lines(front) {
		if word, ok := strings.CutPrefix(strings.TrimSpace(line), "type:"); ok {
			switch strings.Trim(strings.TrimSpace(word), `"'`) {
			case "user", "feedback", "project", "reference":
				return true
			}
		}
	}
	return false
}

// memories finds the memory folders, here and one level down.
func (f *finder) memories() error {
	for _, dir := range []string{".", "memory"} {
		if err := f.memory(dir, ""); err != nil {
			return err
		}
	}
	for _, parent := range []string{".", "projects", ".claude/projects"} {
		entries, err := f.list(parent)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if !entry.IsDir() {
				continue
			}
			before := len(f.slugs)
			if err := f.memory(path.Join(parent, entry.Name(), "memory"), entry.Name()); err != nil {
				return err
			}
			if parent != "." || len(f.slugs) > before {
				f.sessions(path.Join(parent, entry.Name()))
			}
		}
	}
	return nil
}

// sessions tells the transcripts in the folder of a project, and those of the agents that a
// session started.
func (f *finder) sessions(dir string) {
	isTranscript := func(e fs.DirEntry) bool { return !e.IsDir() && path.Ext(e.Name()) == ".jsonl" }
	count := 0
	entries, _ := fs.ReadDir(f.folder.src.Tree, dir)
	for _, entry := range entries {
		switch {
		case isTranscript(entry):
			count++
		case entry.IsDir():
			below, _ := fs.ReadDir(f.folder.src.Tree, path.Join(dir, entry.Name(), "subagents"))
			for _, e := range below {
				if isTranscript(e) {
					count++
				}
			}
		}
	}
	if count > 0 {
		f.lose(dir, lossSessions+strconv.Itoa(count))
	}
}

// list returns the entries of a folder, none if the folder is missing.
func (f *finder) list(dir string) ([]fs.DirEntry, error) {
	info, err := fs.Stat(f.folder.src.Tree, dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir():
		return nil, nil
	case err != nil:
		f.lose(dir, lossUnopened)
		return nil, nil
	}
	entries, err := fs.ReadDir(f.folder.src.Tree, dir)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, err)
	}
	if f.listed += len(entries); f.listed > f.folder.limits.Files {
		return nil, violation(ruleLimit, dir, 0, fmt.Errorf("more than %d files; name a smaller folder, or raise the limit", f.folder.limits.Files))
	}
	return entries, nil
}

// memory adds a folder if it is one of notes.
func (f *finder) memory(dir, slug string) error {
	entries, err := f.list(dir)
	if err != nil {
		return err
	}
	var notes, others []string
	indexed, typed := hasIndex(entries), 0
	for _, entry := range entries {
		name := path.Join(dir, entry.Name())
		switch {
		case entry.IsDir() || path.Ext(name) != ".md":
			others = append(others, name)
		case entry.Name() == "MEMORY.md":
		case slices.Contains(ruleFiles(), name):
		case f.typed(name):
			typed++
			notes = append(notes, name)
		case dir != "." || indexed:
			notes = append(notes, name)
		}
	}
	if !indexed && typed == 0 {
		return nil
	}
	f.take(notes)
	if indexed {
		f.index(path.Join(dir, "MEMORY.md"), notes)
	}
	if slug != "" {
		f.slugs = append(f.slugs, dir)
	}
	if dir != "." || indexed {
		f.others(others)
	}
	return nil
}

func hasIndex(entries []fs.DirEntry) bool {
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == "MEMORY.md" && !e.IsDir() })
}

// typed reports whether a file is a note by itself. An unreadable file is not. If its
// folder makes it a note all the same, that is an error.
func (f *finder) typed(name string) bool {
	head, err := f.folder.head(name)
	return err == nil && hasType(head)
}

func (f *finder) take(notes []string) {
	for _, name := range notes {
		f.documents = append(f.documents, document{path: name, role: aNote})
	}
}

func (f *finder) index(name string, notes []string) {
	beside := map[string]bool{}
	for _, note := range notes {
		beside[path.Base(note)] = true
	}
	f.documents = append(f.documents, document{path: name, role: anIndex, notes: beside})
}

func (f *finder) others(names []string) {
	for _, name := range names {
		f.lose(name, lossOther)
	}
}

func (f *finder) lose(name, reason string) {
	f.losses.Add(codec.Loss{Pointer: name, Reason: reason})
}
