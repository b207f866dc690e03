package claudecode

import (
	"crypto/sha256"
	"errors"
	"github.com/satchel-memory/satchel/text/markdown"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// maxDepth bounds the imports between the first file and an imported one.
const maxDepth = 5

// follow opens an imported file (CLAUDE-5). An import that cannot be followed is a loss,
// since an assistant would skip it, too.
func (r *reader) follow(b block, at *frame) error {
	where := pointer(at.file.path, b.line)
	name := path.Join(path.Dir(at.file.path), b.path)
	switch {
	case r.folder.src.Tree == nil:
		if pathLike(b.path) {
			r.lose(where, lossSingle)
		}
		return nil
	case strings.HasPrefix(b.path, "/") || strings.HasPrefix(b.path, "~") || !fs.ValidPath(name):
		r.lose(where, lossOutside)
		return nil
	}
	info, err := fs.Stat(r.folder.src.Tree, name)
	switch {
	case err != nil || !info.Mode().IsRegular():
		if pathLike(b.path) {
			r.lose(where, lossNothing)
		}
	case r.read[name]:
	case at.depth == maxDepth:
		r.lose(where, lossDeep)
	default:
		return r.enter(document{path: name, role: aRules}, at.depth+1)
	}
	return nil
}

// enter reads a file of rules, unless it or an equal file was read already. An imported
// file that is not text is a loss.
func (r *reader) enter(doc document, depth int) error {
	if r.read[doc.path] {
		return nil
	}
	r.read[doc.path] = true
	f, err := r.folder.read(doc.path)
	if p, ok := isViolation(err); ok && p.Rule == ruleUTF8 && depth > 0 {
		r.lose(doc.path, lossBinary)
		return nil
	}
	if err != nil {
		return err
	}
	digest := sha256.Sum256([]byte(f.text))
	if r.copies[digest] {
		return nil
	}
	r.copies[digest] = true
	return r.push(doc, f, depth)
}

// push parses a file of rules or an index, to be read next.
func (r *reader) push(doc document, f file, depth int) error {
	body, first := f.text, 1
	if front, rest, found, closed := markdown.Split(f.text); found && closed {
		y := yamlReader{file: f.path, limits: r.folder.limits}
		if v := y.frontMatter(front); len(y.found) == 0 && v.Len() > 0 {
			r.lose(pointer(f.path, 1), lossFront)
			body, first = rest, 3+strings.Count(front, "\n")
		}
	}
	p := parser{path: f.path, limits: r.folder.limits, imports: doc.role == aRules}
	if doc.role == aRules {
		m, line, err := findMarks(body)
		if err != nil {
			r.found = append(r.found, violation(ruleMarks, f.path, line+first-1, err))
			return nil
		}
		var inside []string
		body, inside = cutMarks(body, m)
		p.readBlock(inside, m.begin+first)
	}
	p.parse(body, first)
	slices.SortStableFunc(p.blocks, func(a, b block) int { return a.line - b.line })
	r.found = append(r.found, p.found...)
	if doc.role == anIndex {
		p.hollow = count{} // an index with links alone leaves nothing under its title
	}
	r.losses.Add(p.losses()...)
	r.frames = append(r.frames, &frame{doc: doc, file: f, blocks: p.blocks, titles: p.titles, depth: depth})
	return nil
}

var errNoDate = errors.New("nothing dates this; read it from a file, or give a date")
