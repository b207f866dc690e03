package rules

import (
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/markdown"
	"github.com/satchel-memory/satchel/text/notebook"
)

// find lists the files of the tool in a folder, and those that hold no rules.
func (t *tool) find(src codec.Source) (names, others []string, err error) {
	tree := src.Tree
	if names, err = t.look(src, t.files, math.MaxInt); err != nil {
		return nil, nil, err
	}
	own := len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool { return t.home(src.Name, name) == name })
	for _, pattern := range t.others {
		if _, inside, _ := strings.Cut(pattern, "/"); own { // the source is the tool's own folder
			pattern = inside
		}
		found, err := glob(tree, pattern)
		if err != nil {
			return nil, nil, err
		}
		others = append(others, found...)
	}
	for _, p := range t.files {
		if !p.nested || own {
			continue
		}
		found, stopped, err := nested(tree, p.pattern)
		if err != nil {
			return nil, nil, err
		}
		names = append(names, found...)
		if stopped != "" {
			others = append(others, stopped)
		}
	}
	slices.Sort(others)
	return names, slices.DeleteFunc(slices.Compact(others), func(name string) bool { return slices.Contains(names, name) }), nil
}

// look lists the files of the tool in some of its places. Of those whose name says nothing
// it looks into the first few of a pattern.
func (t *tool) look(src codec.Source, places []place, few int) ([]string, error) {
	tree := src.Tree
	var names []string
	seen := map[string]bool{}
	for _, p := range places {
		if p.bank && !isBank(tree) || p.named && path.Base(p.above) != src.Name {
			continue
		}
		found, err := glob(tree, p.pattern)
		if err != nil {
			return nil, err
		}
		if p.marked {
			found = found[:min(len(found), few)]
		}
		for _, name := range found {
			info, err := fs.Stat(tree, name)
			if err != nil || !info.Mode().IsRegular() || seen[name] || p.marked && !t.marked(codec.Source{Tree: tree}, name) {
				continue
			}
			seen[name] = true
			names = append(names, name)
		}
	}
	return names, nil
}

// sampled is how many files of a pattern are looked into to recognise a folder.
const sampled = 50

// fewBanked is how many of the files of a memory bank show a folder to be one.
const fewBanked = 2

// isBank reports whether a folder is a memory bank, whatever it is called.
func isBank(tree fs.FS) bool {
	n := 0
	for _, name := range banked {
		if info, err := fs.Stat(tree, name); err == nil && info.Mode().IsRegular() && name != common {
			n++
		}
	}
	return n >= fewBanked
}

// common is the name, among those of a memory bank, that other files have, too.
const common = "progress.md"

func isBanked(name string) bool { return slices.Contains(banked[:], path.Base(name)) }

// marked reports whether a file has a property that only the tool's files have.
func (t *tool) marked(src codec.Source, name string) bool {
	front, _ := notebook.LookSpelled(src, name, t.spell())
	return slices.ContainsFunc(t.marks, front.Has)
}

// detect recognises the tool's folders, and single files by their name or a mark.
func (t *tool) detect(src codec.Source) codec.Confidence {
	if src.Tree != nil {
		// A folder may be large and of something else: it is listed only if its name is that
		// of the tool's.
		places := slices.DeleteFunc(slices.Clone(t.files), func(p place) bool {
			return p.marked && path.Dir(p.pattern) == "." && strings.Contains(p.pattern, "*") && path.Base(p.above) != src.Name
		})
		names, err := t.look(src, places, sampled)
		names = slices.DeleteFunc(names, func(name string) bool { return t.isStray(src, name) })
		switch {
		case err != nil:
			return codec.No
		case len(names) == 0:
			return t.detectNested(src.Tree)
		case slices.ContainsFunc(names, func(name string) bool { return strings.Contains(name, "/") }):
			return codec.Likely
		}
		return codec.Possible
	}
	if src.File == nil {
		return codec.No
	}
	head, err := src.Head()
	if err != nil || len(strings.TrimSpace(string(head))) == 0 || !utf8.Valid(head[:max(0, len(head)-utf8.UTFMax)]) {
		return codec.No
	}
	return t.single(src)
}

// detectNested recognises a project that has files of the tool in its folders only.
func (t *tool) detectNested(tree fs.FS) codec.Confidence {
	for _, p := range t.files {
		if !p.nested {
			continue
		}
		if found, _, err := nested(tree, p.pattern); err == nil && len(found) > 0 {
			return codec.Possible
		}
	}
	return codec.No
}

// isStray reports whether a file in a folder called memory-bank is none of a memory bank by
// its name, and none of Satchel's.
func (t *tool) isStray(src codec.Source, name string) bool {
	if !strings.HasPrefix(t.home(src.Name, name), t.folder) || len(t.marks) > 0 || isBanked(name) {
		return false
	}
	front, _ := notebook.Look(src, name)
	return !strings.HasPrefix(front.Get(markdown.WrittenBy).Text(), markdown.Satchel)
}

// single judges a file by its name and its properties.
func (t *tool) single(src codec.Source) codec.Confidence {
	for _, p := range t.files {
		fits := match(p.pattern, src.Name)
		switch {
		case !fits:
		case p.marked && t.marked(src, ""):
			return codec.Likely
		case p.bank && isBanked(src.Name) && src.Name != common, !p.marked && !p.bank && !p.named:
			return codec.Possible
		}
	}
	return codec.No
}

// home returns the path in the project's folder of a file of the source. folder is the name
// of a source that is one.
func (t *tool) home(folder, name string) string {
	for _, p := range t.files {
		own, _, _ := strings.Cut(p.pattern, "/")
		if at := strings.Index(name, "/"+own+"/"); p.nested && at > 0 && match(p.pattern, name[at+1:]) {
			return name
		}
		if match(p.pattern, name) && (!p.named || path.Base(p.above) == folder) {
			return path.Join(p.above, name)
		}
	}
	return path.Join(t.folder, path.Base(name))
}

// spell returns how the tool's properties become YAML; nil: they are.
func (t *tool) spell() func(string) string {
	if t.bare {
		return quoteGlobs
	}
	return nil
}
