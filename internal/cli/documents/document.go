package documents

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/source"
	"github.com/satchel-memory/satchel/memory"
)

// document is an open source, and its format. Close it.
type document struct {
	*source.Input
	codec.Format
}

// ReadDocument opens a file, a folder or standard input. If from is empty, it detects
// the format.
func ReadDocument(a *cli.App, path, from string) (*document, error) {
	in, err := a.Source(path)
	if err != nil {
		return nil, err
	}
	if name := bundleWithin(in.Source); name != "" && from == "" {
		err := cli.Invalidf("%s has a bundle in it, %s: name that or another file of it, unpacked if it is an archive; import alone takes documents one by one", cli.Clean(path), cli.Clean(name))
		return nil, errors.Join(err, in.Close())
	}
	f, err := formatOf(in.Source, from)
	if memory.KindOf(err) == memory.Unsupported && from == "" && in.Tree != nil {
		if f, err = sole(a, in, err); err != nil {
			err = archiveWithin(in.Source, "", path, err)
		}
	}
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	if from != "" || !f.Beside {
		return &document{in, f}, nil
	}
	if list := formats.Beside(in.Source); len(list) > 1 {
		others := slices.DeleteFunc(list, func(other codec.Format) bool { return other.Name == f.Name })
		names := make([]string, len(others))
		for i, other := range others {
			names[i] = other.Name
		}
		a.Warn("%s is read as %s; it also holds files of %s: --from names one, import takes all", cli.Clean(in.Name), f.Name, strings.Join(names, ", "))
	}
	return &document{in, f}, nil
}

// sole opens the only document of a folder that has no format of its own. If there is
// none, it returns unknown.
func sole(a *cli.App, in *source.Input, unknown error) (codec.Format, error) {
	var found, other []string
	var name string
	for part, err := range formats.Each(in.Source) {
		if err != nil {
			other = append(other, cli.Clean(part.Source.Name))
			continue
		}
		name = part.Source.Name
		found = append(found, fmt.Sprintf("%s (%s)", cli.Clean(name), part.Format.Name))
	}
	switch {
	case len(found) == 0:
		return codec.Format{}, unknown
	case len(found) > 1:
		return codec.Format{}, cli.Invalidf("%s holds %s: name one of them; import and diff take them one after the other", cli.Clean(in.Name), few(found))
	}
	if len(other) > 0 {
		a.Warn("of %s, %s is read; passed over: %s", cli.Clean(in.Name), cli.Clean(name), few(other))
	}
	next, stop := iter.Pull2(formats.Each(in.Source))
	for {
		switch part, err, more := next(); {
		case !more:
			stop()
			return codec.Format{}, unknown // the file was removed meanwhile
		case err == nil:
			in.Enter(part.Source, stop)
			return part.Format, nil
		}
	}
}

// bundleWithin returns the first file of a folder with a bundle's name, "" if there
// is none.
func bundleWithin(src codec.Source) string {
	if src.Tree == nil {
		return ""
	}
	for _, ending := range []string{aimem.Extension, aimem.StreamExtension} {
		if found, err := fs.Glob(src.Tree, "*"+ending); err == nil && len(found) > 0 {
			return found[0]
		}
	}
	return ""
}

// archiveWithin says what to do with a source without a format: restore a backup, or name
// the archive in a folder; command precedes its name.
func archiveWithin(src codec.Source, command, path string, err error) error {
	if memory.KindOf(err) != memory.Unsupported {
		return err
	}
	if isBackup(src) {
		return cli.Invalidf("%s looks like a backup of a store: satchel --store NEW-FOLDER restore %s makes a store of it", cli.Clean(path), cli.Clean(path))
	}
	if src.Tree == nil {
		return err
	}
	if name := source.ArchiveIn(src.Tree); name != "" {
		return cli.Invalidf("%s holds an archive: name it itself: %s%s", cli.Clean(path), command, cli.Clean(filepath.Join(path, name)))
	}
	return err
}

// isBackup reports whether satchel backup wrote the source, or something encrypted
// like it.
func isBackup(src codec.Source) bool {
	if src.Tree == nil {
		head, err := src.Head()
		return err == nil && strings.HasPrefix(string(head), cli.AgeHead)
	}
	for _, name := range []string{"config.json", cli.DatabaseName, cli.BackupSums} {
		if _, err := fs.Stat(src.Tree, name); err != nil {
			return false
		}
	}
	return true
}

func formatOf(src codec.Source, from string) (codec.Format, error) {
	if from != "" {
		f, err := formats.ByName(cli.ClosestName(from, FormatNames()))
		return f, cli.WithStatus(cli.ExitUsage, err)
	}
	f, err := formats.Detect(src)
	if e, ok := errors.AsType[*memory.Error](err); ok && e.Kind == memory.Unsupported {
		told := *e
		told.Message += "; --from says which"
		err = &told
	}
	return f, cli.WithStatus(cli.ExitInvalid, err)
}

// writable returns the format with this name, if it can be written.
func writable(to string) (codec.Format, error) {
	f, err := formats.ByName(cli.ClosestName(to, FormatNames()))
	if err == nil && (f.Create != nil || f.CreateIn != nil) {
		return f, nil
	}
	what := "is no format that is known"
	if err == nil {
		what = "can be read only"
	}
	return f, cli.Usagef("%s %s; these can be written: %s", cli.Clean(to), what, strings.Join(WritableNames(), ", "))
}

// FormatNames lists the formats that Satchel reads.
func FormatNames() []string {
	var names []string
	for _, f := range formats.All() {
		names = append(names, f.Name)
	}
	return names
}

// WritableNames lists the formats that Satchel writes.
func WritableNames() []string {
	var names []string
	for _, f := range formats.All() {
		if f.Create != nil || f.CreateIn != nil {
			names = append(names, f.Name)
		}
	}
	return names
}

// read opens the document's records. It fills in the owner and the time where the
// document states none.
func (d *document) read(a *cli.App, owner memory.DID) (codec.Reader, error) {
	return d.Open(d.Source, codec.Options{Owner: owner, Now: a.Now})
}

// readToKeep is read for records that go into the store, under a project.
func (d *document) readToKeep(a *cli.App, owner memory.DID, project string) (codec.Reader, error) {
	return d.Open(d.Source, codec.Options{Owner: owner, Project: project, Now: a.Now, Apart: true, LeftOut: tellLeftOut(a, d.Source.Name)})
}

// tellLeftOut returns a function that warns of the first parts that a reader leaves
// out, as soon as the reader meets them. The account at the end lists the others.
func tellLeftOut(a *cli.App, name string) func(codec.Loss) {
	told := 0
	return func(l codec.Loss) {
		if told++; told <= leftOutTold {
			a.Warn("%s %s: %s", cli.Clean(name), cli.Clean(l.Pointer), cli.Clean(l.Reason))
		}
	}
}

// leftOutTold is how many unreadable parts are reported one by one.
const leftOutTold = 3

// each passes the records of a document to do, in order.
func each(r memory.Archive, do func(memory.Record) error) error {
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := do(rec); err != nil {
			return err
		}
	}
}

// lines reports whether a UMP document has one record after the other, rather than an
// array.
func (d *document) lines() bool {
	head := make([]byte, 512)
	n, err := io.NewSectionReader(d.File, 0, d.Size).Read(head)
	if err != nil {
		return false
	}
	return strings.HasPrefix(strings.TrimLeft(string(head[:n]), "\ufeff \t\r\n"), "{")
}
