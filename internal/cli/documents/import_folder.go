package documents

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/source"
	"github.com/satchel-memory/satchel/memory"
)

// failed is a document of a folder that was not imported, for machines.
type failed struct {
	Name  string `json:"name"`
	Error any    `json:"error"`
}

// folder imports a folder of documents in different formats, one after the other. It
// reports a failed one and goes on; the first failure decides the exit status.
func (c *ImportCmd) folder(a *cli.App, in *source.Input, project string) error {
	if c.Signature != "" {
		return cli.Usagef("%s is a folder; --signature goes with one bundle. Those of a folder lie beside its bundles", cli.Clean(c.Path))
	}
	c.within = in.Tree
	signatures, err := besides(in.Tree)
	if err != nil {
		return err
	}
	return a.With(cli.Writing, func(o *cli.Session) error {
		all, bundles := gathered{list: []any{}}, map[string]bool{}
		for part, err := range formats.Each(in.Source) {
			if bundles[signatures[part.Source.Name]] {
				continue // read with its bundle, whose name comes first
			}
			bundles[part.Source.Name] = err == nil && (&document{Format: part.Format}).isBundle()
			var done importResult
			if err == nil {
				done, err = c.part(a, o, part, project)
			}
			if memory.KindOf(err) == memory.Unsupported && source.IsArchive(part.Source) {
				a.Warn("passed over: %s is an archive: name it itself: satchel import %s", cli.Clean(part.Source.Name), cli.Clean(filepath.Join(c.Path, part.Source.Name)))
				continue
			}
			if memory.KindOf(err) == memory.Unsupported && part.Tree != nil && !part.IsEmpty() {
				c.tellFolder(a, part.Source)
				continue
			}
			if err = all.add(a, part.Source.Name, done, err); err != nil {
				return err
			}
		}
		c.besides.tell(a, in.Tree)
		if err := c.end(a, all.list); err != nil {
			return err
		}
		return all.first
	})
}

// tellFolder names a folder of no known format, and the folders in it from which an import
// takes files.
func (c *ImportCmd) tellFolder(a *cli.App, src codec.Source) {
	a.Warn("passed over: %s is a folder in no format known here%s", cli.Clean(src.Name), foldersWithin(src, filepath.Join(c.Path, src.Name)))
}

// foldersWithin names the folders in a folder from which an import takes files; empty: there
// are none. Those in an archive have no path until it is unpacked.
func foldersWithin(src codec.Source, at string) (said string) {
	archive := archiveAt(at)
	for i, below := range formats.Folders(src) {
		from := filepath.Join(at, filepath.FromSlash(below))
		if archive != "" {
			from = strings.TrimPrefix(strings.TrimPrefix(from, archive), string(filepath.Separator))
		}
		said += map[bool]string{true: "", false: ", and "}[i == 0] + "satchel import " + cli.Clean(from)
	}
	switch {
	case said == "":
		return ""
	case archive != "":
		said = "unpack the archive, then " + said
	}
	return ": " + said + " takes files one by one"
}

// archiveAt returns the file on the way to a path, or the name of standard input; empty: the
// path is in the file system.
func archiveAt(at string) string {
	for at = filepath.Clean(at); ; at = filepath.Dir(at) {
		switch info, err := os.Stat(at); {
		case at == "-", err == nil && !info.IsDir():
			return at
		case err == nil, at == filepath.Dir(at):
			return ""
		}
	}
}

// gathered is the result of a folder's documents.
type gathered struct {
	list  []any // for machines
	first error // the first of the errors that decide the exit status
}

// add reports the result of one document. Its error ends the import.
func (g *gathered) add(a *cli.App, name string, done importResult, err error) error {
	switch {
	case err == nil:
		out, err := tell(a, done)
		if a.JSON && err == nil {
			g.list = append(g.list, out)
		}
		g.first = cmp.Or(g.first, allRead(a, done))
		return err
	case a.Ctx.Err() != nil:
		cutOff(a, done)
		return err
	case memory.KindOf(err) == memory.Unsupported && name != "":
		said, _, _ := strings.Cut(cli.Describe(err), "; known are ") // the formats are not listed for each of many files
		a.Warn("passed over: %s", said)
	default:
		status := cli.StatusOf(err)
		g.first = cmp.Or(g.first, cli.Silent(status))
		g.list = append(g.list, failed{name, cli.Envelope(err, status, cli.Describe(err))["error"]})
		a.Warn("not taken over, %s: %s", cli.Clean(name), cli.Describe(err))
	}
	return nil
}

// tell shows the result of a document, or returns it for machines.
func tell(a *cli.App, done importResult) (any, error) {
	if a.JSON {
		return done.machineReadable()
	}
	done.show(a)
	return nil, nil
}

// part imports one document of a folder.
func (c *ImportCmd) part(a *cli.App, o *cli.Session, part formats.Part, project string) (importResult, error) {
	d := &document{&source.Input{Source: part.Source}, part.Format}
	if err := c.fits(d, false); err != nil {
		return nil, err
	}
	path := c.Path
	if part.Whole && c.besides == nil {
		c.besides = &unreadByAll{opened: map[string]bool{}}
	}
	if !part.Whole {
		path = filepath.Join(path, filepath.FromSlash(part.Source.Name))
	}
	return c.one(a, o, d, path, project)
}

// besides returns the names of what may be signature files in a folder, and the file that
// each would belong to.
func besides(tree fs.FS) (map[string]string, error) {
	entries, err := fs.ReadDir(tree, ".")
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, entry := range entries {
		for _, name := range aimem.SignatureNames(entry.Name()) {
			names[name] = entry.Name()
		}
	}
	return names, nil
}
