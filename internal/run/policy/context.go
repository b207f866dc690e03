package policy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif"
)

// Reading is what was read of a context entry. A journal may keep it, so that a run that goes
// on elsewhere shows its model the same text.
type Reading struct {
	Type    string    // of the entry
	Value   string    // of the entry: where it was read
	Text    string    // what a model is told of it: clean, not framed
	At      time.Time // when it was read, or when that was last tried
	Missing bool      // it could not be read
}

// errDenied means that the operator does not let an entry be read.
var errDenied = errors.New("not within what may be read here")

// due reports whether an entry is to be read: it was not, or its time is up (AAIF-4-17).
func (r *Reading) due(entry aaif.ContextEntry, now time.Time) bool {
	return r == nil || entry.Refresh > 0 && !now.Before(r.At.Add(time.Duration(entry.Refresh)*time.Second))
}

// find returns what was read of an entry, nil if nothing was.
func (p *Prompter) find(entry aaif.ContextEntry) *Reading {
	i := slices.IndexFunc(p.Readings, func(r Reading) bool { return r.Type == entry.Type && r.Value == entry.Content })
	if i < 0 {
		return nil
	}
	return &p.Readings[i]
}

// resolve returns the text of an entry at a time, and notices about reading it. It reads the
// entry only if that is due, and keeps what it read. If reading again fails, the earlier text
// stands until the entry is due once more. An entry that cannot be read fails
// at the levels strict and regulated.
func (p *Prompter) resolve(ctx context.Context, entry aaif.ContextEntry, pointer string, strict bool, now time.Time) (Reading, []Notice, error) {
	known := p.find(entry)
	if !known.due(entry, now) && !(known.Missing && strict) {
		return *known, nil, nil
	}
	read, notices, err := p.read(ctx, entry, pointer)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return Reading{}, nil, ctx.Err()
	case known != nil && !known.Missing:
		read, notices = *known, []Notice{{eventStale, pointer, "could not be read again, so that what was read before stands: " + err.Error()}}
	case errors.Is(err, errDenied):
		return Reading{}, nil, fault(aaif.ContextDenied, "4-17", pointer, "%s", err)
	case strict:
		return Reading{}, nil, fault(aaif.ContextUnavailable, "4-17", pointer, "%s", err)
	default:
		read, notices = Reading{Missing: true}, []Notice{{eventMissing, pointer, err.Error()}}
	}
	read.Type, read.Value, read.At = entry.Type, entry.Content, now
	if known != nil {
		*known = read
	} else {
		p.Readings = append(p.Readings, read)
	}
	return read, notices, nil
}

// Try reads every context entry of an agent that may be read. The error joins what would end a
// run at its first turn. The notices are those that a run would report.
func (p *Prompter) Try(ctx context.Context, d aaif.Definition, now time.Time) ([]Notice, error) {
	var reasons []error
	var notices []Notice
	strict := aaif.RulesUnder(d, p.Over).Safety.IsStrict()
	p.personal = NewPersonal(d, p.Over...)
	for i, entry := range d.Agent.Context {
		if entry.Type == "text" || !p.allows(entry) { // Preflight refuses others
			continue
		}
		_, found, err := p.resolve(ctx, entry, contextAt(i), strict, now)
		if err != nil {
			reasons = append(reasons, err)
		}
		notices = append(notices, found...)
	}
	return notices, errors.Join(reasons...)
}

func contextAt(i int) string { return fmt.Sprintf("/agent/context/%d", i) }

// read reads an entry, and looks at what it read.
func (p *Prompter) read(ctx context.Context, entry aaif.ContextEntry, pointer string) (Reading, []Notice, error) {
	ctx, done := context.WithTimeout(ctx, p.timeout())
	defer done()
	body, media, err := p.open(ctx, entry)
	if err != nil {
		return Reading{}, nil, err
	}
	var notices []Notice
	if len(body) > mostEntry {
		body = body[:mostEntry]
		notices = append(notices, Notice{eventCut, pointer, fmt.Sprintf("longer than %d bytes: the rest is left out", mostEntry)})
	}
	source := strings.ToValidUTF8(string(body), "\ufffd")
	if found := Suspicious(source); len(found) > 0 {
		notices = append(notices, Notice{EventInjection, pointer, "data that speaks to the model: it " + strings.Join(found, ", ")})
	}
	text, found, err := p.personal.Text(Cleaned(readable(source, media)))
	for _, n := range found {
		n.Pointer = pointer
		notices = append(notices, n)
	}
	return Reading{Text: text}, notices, err
}

// allows reports whether an entry is of a kind, and at a place, that may be read here.
func (p *Prompter) allows(entry aaif.ContextEntry) bool {
	switch entry.Type {
	case "file":
		_, ok := p.inFolder(entry.Content)
		return ok
	case "url", "dataset", "schema_ref":
		return p.Fetch != nil && isAddress(entry.Content)
	}
	return false
}

// inFolder returns the path of a file in the operator's folder.
func (p *Prompter) inFolder(name string) (string, bool) {
	clean := path.Clean(strings.TrimPrefix(name, "./"))
	return clean, p.Files != nil && fs.ValidPath(clean) && clean != "." && !strings.ContainsAny(name, "\\\x00:")
}

// open reads the bytes of an entry, and their media type.
func (p *Prompter) open(ctx context.Context, entry aaif.ContextEntry) ([]byte, string, error) {
	switch entry.Type {
	case "file":
		return p.file(entry.Content)
	case "url", "dataset", "schema_ref":
		return p.fetch(ctx, entry.Content)
	}
	return nil, "", fmt.Errorf("of a type that cannot be read: %s", aaif.Shown(entry.Type))
}

// file reads a file of the operator's folder.
func (p *Prompter) file(name string) ([]byte, string, error) {
	clean, ok := p.inFolder(name)
	if !ok {
		return nil, "", fmt.Errorf("the file is %w", errDenied)
	}
	f, err := p.Files.Open(clean)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrInvalid) {
			return nil, "", errors.New("there is no such file in the operator's folder")
		}
		return nil, "", fmt.Errorf("the file is %w", errDenied) // os.Root refuses links that lead out of it
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, "", fmt.Errorf("no file: it is %w", errDenied)
	}
	body, err := io.ReadAll(io.LimitReader(f, mostEntry+1))
	if err != nil {
		return nil, "", errors.New("the file cannot be read")
	}
	return body, MediaOf(clean), nil
}

// fetch reads what lies at an address.
func (p *Prompter) fetch(ctx context.Context, address string) ([]byte, string, error) {
	if p.Fetch == nil || !isAddress(address) {
		return nil, "", fmt.Errorf("the address is %w", errDenied)
	}
	body, media, err := p.Fetch(ctx, address)
	if err != nil {
		return nil, "", fmt.Errorf("the address cannot be read: %w", err)
	}
	return body, media, nil
}

func isAddress(text string) bool {
	scheme, rest, ok := strings.Cut(text, "://")
	return ok && rest != "" && (strings.EqualFold(scheme, "https") || strings.EqualFold(scheme, "http"))
}
