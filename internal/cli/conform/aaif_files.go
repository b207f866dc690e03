package conform

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/conformance"
	aaifsuite "github.com/satchel-memory/satchel/conformance/aaif"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/agentdoc"
)

// maxDocuments limits how many documents of a folder are tested.
const maxDocuments = 10_000

// maxStream limits the size of a handoff in a file.
const maxStream = 16 << 20

// examinedFile is a document and its results, for machines.
type examinedFile struct {
	File   string               `json:"file"`
	Kind   aaif.Kind            `json:"kind"`
	Levels []string             `json:"levels"`
	OK     bool                 `json:"ok"`
	Rows   []conformance.Result `json:"rows"`
}

// documents tests files, and the files of folders.
func (c *conformanceAAIFCmd) documents(a *cli.App) error {
	level, err := agentdoc.LevelNamed(c.Level)
	if err != nil {
		return err
	}
	files, err := documentFiles(append([]string{c.URL}, c.More...))
	if err != nil {
		return err
	}
	counts, ok := map[conformance.Outcome]int{}, true
	all := make([]examinedFile, 0, len(files))
	for _, file := range files {
		if err := a.Ctx.Err(); err != nil {
			return err
		}
		d, err := c.document(a, file, level)
		if err != nil {
			return err
		}
		for _, r := range d.Rows {
			counts[r.Outcome]++
		}
		ok = ok && d.OK
		all = append(all, d)
	}
	if err := c.tellDocuments(a, all, counts, ok); err != nil {
		return err
	}
	if !ok {
		return cli.Silent(cli.ExitFailed)
	}
	return nil
}

// document tests one file.
func (c *conformanceAAIFCmd) document(a *cli.App, file string, level aaif.Level) (examinedFile, error) {
	raw, err := agentdoc.BytesOf(a, file, maxStream)
	if err != nil {
		return examinedFile{}, err
	}
	e, err := aaifsuite.Examine(raw, aaifsuite.DocumentOptions{Level: level, Strict: c.Strict, Now: a.Now()})
	if err != nil {
		return examinedFile{}, err
	}
	only := rowsOf("AAIF-", c.Only)
	e.Rows = slices.DeleteFunc(e.Rows, func(r conformance.Result) bool { return !conformance.Wants(only, r.ID) })
	d := examinedFile{File: file, Kind: e.Kind, Levels: []string{}, OK: e.OK(), Rows: cli.OrEmpty(e.Rows)}
	for _, l := range e.Levels {
		d.Levels = append(d.Levels, string(l))
	}
	return d, nil
}

// tellDocuments prints the results by document.
func (c *conformanceAAIFCmd) tellDocuments(a *cli.App, all []examinedFile, counts map[conformance.Outcome]int, ok bool) error {
	if a.JSON {
		return a.Emit(map[string]any{"documents": all, "strict": c.Strict, "ok": ok, "partial": len(c.Only) > 0, "counts": counts})
	}
	for _, d := range all {
		a.Print("%s: %s", cli.Clean(d.File), cli.Clean(plainly(d)))
		printRows(a, c.All, aaifRow, d.Rows)
	}
	verdict := "keep AAIF 3.4"
	switch {
	case len(all) == 1:
		verdict = standing("AAIF 3.4", ok, false)
	case !ok:
		verdict = "do not all keep AAIF 3.4"
	}
	a.Print("%s %s: %s", cli.Plural(len(all), "document", "documents"), verdict, tally(counts))
	return nil
}

// documentFiles lists the files that are named, and those of folders whose names end as
// those of documents do.
func documentFiles(named []string) ([]string, error) {
	var files []string
	for _, name := range named {
		info, err := os.Stat(name)
		if name == "-" || err == nil && !info.IsDir() {
			files = append(files, name)
			continue
		}
		if err != nil {
			return nil, err
		}
		before := len(files)
		err = filepath.WalkDir(name, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() || !slices.Contains([]string{".json", ".cbor", ".ndjson"}, strings.ToLower(filepath.Ext(path))) {
				return err
			}
			if len(files) == maxDocuments {
				return cli.Refusedf("there are more than %d documents in %s", maxDocuments, cli.Clean(name))
			}
			files = append(files, path)
			return nil
		})
		if err != nil {
			return nil, err
		}
		if len(files) == before {
			return nil, cli.Usagef("%s holds no documents: no file whose name ends in .json, .cbor or .ndjson", cli.Clean(name))
		}
	}
	if len(files) == 0 {
		return nil, errors.New("there are no documents")
	}
	return files, nil
}
