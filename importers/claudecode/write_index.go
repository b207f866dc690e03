package claudecode

import (
	"fmt"
	"io/fs"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/codec"
)

// The part of an index that an assistant reads: this many lines, which should be short.
const (
	indexName = "MEMORY.md"
	mostLine  = 150 // characters of a line
	mostTitle = 60  // characters
	mostHook  = 100 // characters
	mostLines = 200
)

// indexText makes the line of a note: its name, or its first words if the name is only the
// file's, and its description if that adds to it.
func indexText(name, data string) string {
	n, _ := readNote(newFile(name, data, time.Time{}), codec.Limits{}.Filled(), false)
	hook := n.Description
	if hook == "" {
		hook = n.Body
	}
	title := n.Name
	if title == "" || title == stem(name) {
		title = hook
	}
	room := mostLine - utf8.RuneCountInString("- []()"+name)
	if title = firstWords(plainWords(title), min(room, mostTitle)); title == "" {
		title = stem(name)
	}
	line := "- [" + title + "](" + name + ")"
	room = mostLine - utf8.RuneCountInString(line+" — ")
	hook = firstWords(plainWords(hook), min(room, mostHook))
	if room <= 0 || strings.HasPrefix(title, hook) {
		return line
	}
	return line + " — " + hook
}

// plainWords removes the characters with a meaning in an index.
func plainWords(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	text = strings.TrimPrefix(strings.ReplaceAll(text, " @", " "), "@") // an import, for some assistants
	text = strings.NewReplacer("[", "", "]", "", "(", "", ")", "", "<!--", "").Replace(text)
	return strings.Map(func(c rune) rune {
		if unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return c
	}, text)
}

// index updates MEMORY.md: it adds lines for the written notes and removes those of missing
// notes of an earlier run. All other lines stay unchanged.
func (w *notes) index() error {
	before, err := w.held(indexName)
	if err != nil {
		return fmt.Errorf("read %s: %w", indexName, err)
	}
	if refused := notText(indexName, []byte(before)); refused != nil {
		return refused
	}
	after, err := w.revised(before)
	if err != nil || after == before && before != "" {
		return err
	}
	if strings.Count(after, "\n") > mostLines {
		w.losses = append(w.losses, codec.Loss{Pointer: indexName, Reason: lossIndex})
	}
	if err := w.in.Put(indexName, []byte(after)); err != nil {
		return fmt.Errorf("write %s: %w", indexName, err)
	}
	return nil
}

func (w *notes) revised(before string) (string, error) {
	mine := map[string]indexEntry{}
	for _, line := range w.lines {
		mine[line.name] = line
	}
	end := "\n"
	if strings.Contains(before, "\r\n") {
		end = "\r\n"
	}
	var out strings.Builder
	for line := range strings.Lines(before) {
		p, _ := indexLine(bulletText(line))
		is, written := mine[p.target]
		switch {
		case written && !is.foreign:
			line = is.text + end
		case !written:
			if gone, err := w.gone(p.target); gone || err != nil {
				if err != nil {
					return "", err
				}
				continue
			}
		}
		delete(mine, p.target)
		out.WriteString(line)
	}
	for _, line := range w.lines {
		if _, left := mine[line.name]; !left {
			continue
		}
		if text := out.String(); text != "" && !strings.HasSuffix(text, "\n") {
			out.WriteString(end)
		}
		out.WriteString(line.text + end)
	}
	return out.String(), nil
}

// bulletText removes the marker of a list item.
func bulletText(line string) string {
	width, _ := listMarker(strings.TrimRight(line, "\r\n"))
	return strings.TrimSpace(line[width:])
}

// gone reports whether a note was written in an earlier run, but not in this one.
func (w *notes) gone(name string) (bool, error) {
	if !fs.ValidPath(name) || strings.Contains(name, "/") || name == "." {
		return false, nil
	}
	held, err := w.held(name)
	return held != "" && wrote(name, []byte(held)), err
}
