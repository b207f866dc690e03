package graphiti

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/pattern"
)

// What Zep takes.
const (
	mostEpisodes = 20     // in one request
	mostMetadata = 10     // members of an episode's metadata
	mostData     = 10_000 // characters in an episode
)

// writer writes one request a line, so that each line can be sent to Zep as it is.
type writer struct {
	out    io.Writer
	opt    codec.Options
	now    time.Time
	inLine int // episodes in the line that is begun; 0: none is
	any    bool
	losses []codec.Loss
	err    error
}

func create(out io.Writer, opt codec.Options) (codec.Writer, error) {
	opt.Limits = opt.Limits.Filled()
	w := &writer{out: out, opt: opt}
	if opt.Now != nil {
		w.now = opt.Now()
	}
	return w, nil
}

// Write implements [codec.Writer].
func (w *writer) Write(r memory.Record) error {
	switch {
	case w.err != nil:
		return w.err
	case !codec.Holds(r, w.now):
		w.lose(r, codec.NotHeld)
		return nil
	case blank(r.Body.Text):
		w.lose(r, lossBlank)
		return nil
	}
	for _, v := range []canon.Value{w.changed(r), show(r)} {
		episodes := split(v)
		if read, ok := w.read(episodes); ok {
			if idOf(r) == "" {
				read.Provenance.Source.Ref = sourceOf(r)
			}
			w.losses = append(w.losses, codec.RoundTripLosses(r, read)...)
			for _, e := range episodes {
				w.put(e)
			}
			return w.err
		}
	}
	w.lose(r, lossUnfit)
	return nil
}

func (w *writer) lose(r memory.Record, reason string) {
	w.losses = append(w.losses, codec.Loss{ID: r.ID, Reason: reason})
}

// changed returns the episode that a record comes from with the changes since, or a new
// one.
func (w *writer) changed(r memory.Record) canon.Value {
	after := show(r)
	residue, _ := codec.Residue(r, zepName)
	source := canon.Object(append([]canon.Member{{Name: "data", Value: canon.String(r.Body.Text)}}, residue.Members()...)...)
	if residue.Type() != canon.TypeObject || shape(source) != aRequest {
		return after
	}
	was, ok := w.read([]canon.Value{source})
	if !ok {
		return after
	}
	v, _ := codec.Reconcile(source, show(was), after)
	if v.Get("metadata").Len() > roomFor(r.Body.Text) {
		return show(r)
	}
	return v
}

// read reads episodes as the reader will; false: it would not make one record of them.
func (w *writer) read(episodes []canon.Value) (memory.Record, bool) {
	d := &document{
		JSONReader: &codec.JSONReader{Rules: rulesOf(zepName), Owned: ruleDraft, Options: w.opt},
		names:      map[string]string{}, seen: codec.TextSet{},
	}
	var made []memory.Record
	for _, v := range episodes {
		text := v.Append(nil)
		if _, err := canon.Parse(text, canon.Options{Bytes: w.opt.Limits.Record / mostEpisodes, Depth: w.opt.Limits.Depth - 2}); err != nil {
			return memory.Record{}, false
		}
		if len(d.One(v, func(c *codec.Checker) { made = append(made, d.item(c, place{})...) })) > 0 {
			return memory.Record{}, false
		}
	}
	if len(made) != 1 || len(made[0].Body.Text) > w.opt.Limits.Text {
		return memory.Record{}, false
	}
	return made[0], true
}

// put writes an episode into the present line.
func (w *writer) put(v canon.Value) {
	w.any = true
	lead := ","
	if w.inLine == 0 {
		lead = `{"episodes":[`
	}
	w.print(lead + string(v.Append(nil)))
	if w.inLine++; w.inLine == mostEpisodes {
		w.end()
	}
}

func (w *writer) end() {
	w.print("]}\n")
	w.inLine = 0
}

func (w *writer) print(s string) {
	if w.err == nil {
		_, w.err = io.WriteString(w.out, s)
	}
}

// Close implements [codec.Writer].
func (w *writer) Close() error {
	switch {
	case w.err != nil:
		return w.err
	case w.inLine > 0:
		w.end()
	case !w.any:
		w.print(nothingYet + "\n")
	}
	err := w.err
	w.err = errors.Join(err, errClosed)
	return err
}

var errClosed = errors.New("the document is complete")

// Losses implements [codec.Writer].
func (w *writer) Losses() []codec.Loss { return w.losses }

// speaker begins a text that Zep takes as a message.
var speaker = pattern.New(`^[^\s:][^\n:]{0,60}: `)

// show returns the episode that says what a record says, as far as Zep can.
func show(r memory.Record) canon.Value {
	var meta []canon.Member
	add := func(name string, v canon.Value) {
		if len(meta) < mostMetadata {
			meta = append(meta, canon.Member{Name: name, Value: v})
		}
	}
	say := func(name, s string) {
		if s != "" {
			add(name, canon.String(s))
		}
	}
	list := func(name string, all []canon.Value) {
		if len(all) > 0 {
			add(name, canon.Array(all...))
		}
	}
	moment := func(name string, t time.Time) {
		if !t.IsZero() {
			add(name, canon.String(t.UTC().Format(time.RFC3339Nano)))
		}
	}
	kind := "text"
	if r.Kind == memory.Episodic && speaker.MatchString(r.Body.Text) {
		kind = "message"
	}
	say(metaID, idOf(r))
	if r.Kind != usual(kind) {
		say(metaKind, string(r.Kind))
	}
	moment(metaFrom, r.Time.ValidFrom)
	moment(metaTo, r.Time.ValidTo)
	list(metaTags, texts(codec.Structured(r).Get("tags")))
	list(metaAbout, entities(r))
	say(metaUser, r.Scope.User)
	say(metaAgent, r.Scope.Agent)
	say(metaSession, r.Scope.Session)
	say(metaProject, r.Scope.Project)
	if len(meta) > roomFor(r.Body.Text) { // the text says best what it is about
		meta = slices.DeleteFunc(meta, func(m canon.Member) bool { return m.Name == metaAbout })
	}
	episode := []canon.Member{
		{Name: "data", Value: canon.String(r.Body.Text)},
		{Name: "type", Value: canon.String(kind)},
		{Name: "created_at", Value: canon.String(r.Time.Created.UTC().Format(time.RFC3339Nano))},
	}
	if len(meta) > 0 {
		episode = append(episode, canon.Member{Name: "metadata", Value: canon.Object(meta...)})
	}
	return canon.Object(episode...)
}

// texts returns the items of a list of texts; any other list gives none.
func texts(v canon.Value) []canon.Value {
	for _, item := range v.Items() {
		if item.Type() != canon.TypeString {
			return nil
		}
	}
	return v.Items()
}

// entities returns the names of what a record is about.
func entities(r memory.Record) (names []canon.Value) {
	for _, rel := range r.Relations {
		if name, ok := strings.CutPrefix(rel.Target, "entity:"); ok && rel.Type == memory.About {
			names = append(names, canon.String(name))
		}
	}
	return names
}

// idOf returns the id of an episode, or else the record's own; empty: it has none.
func idOf(r memory.Record) string {
	if p := r.Provenance; p != nil && p.Source != nil && p.Source.Provider == zepName {
		if id, ok := strings.CutPrefix(p.Source.Ref, refPrefix); ok {
			return id
		}
	}
	return string(r.ID)
}

// sourceOf returns the place that a record was read from.
func sourceOf(r memory.Record) string {
	if p := r.Provenance; p != nil && p.Source != nil {
		return p.Source.Ref
	}
	return ""
}

func withMeta(episode canon.Value, name string, v canon.Value) canon.Value {
	meta := episode.Get("metadata").With(name, v)
	if meta.Len() == 0 {
		return episode.Without("metadata")
	}
	return episode.With("metadata", meta)
}

// isLong reports whether Zep takes a text only in parts.
func isLong(text string) bool { return utf8.RuneCountInString(text) > mostData }

// roomFor returns how many metadata an episode may have: split adds one if its text is long.
func roomFor(text string) int {
	if isLong(text) {
		return mostMetadata - 1
	}
	return mostMetadata
}

// split cuts an episode with a longer text than Zep takes into parts, at a space or the end
// of a line where there is one. The first part has the metadata, the others say whose parts
// they are.
func split(episode canon.Value) []canon.Value {
	text := episode.Get("data").Text()
	if !isLong(text) {
		return []canon.Value{episode}
	}
	var pieces []string
	for text != "" {
		at := cut(text)
		pieces, text = append(pieces, text[:at]), text[at:]
	}
	made := make([]canon.Value, 0, len(pieces))
	for i, piece := range pieces {
		e := episode.With("data", canon.String(piece))
		if i > 0 {
			e = e.With("metadata", canon.Object(canon.Member{Name: metaID, Value: episode.Get("metadata").Get(metaID)}))
		}
		made = append(made, withMeta(e, metaPart, canon.String(fmt.Sprintf("%d/%d", i+1, len(pieces)))))
	}
	return made
}

// cut returns where the first part of a text ends.
func cut(text string) int {
	runes, space := 0, 0
	for i, r := range text {
		if runes++; runes > mostData {
			if space > 0 {
				return space
			}
			return i
		}
		if r == ' ' || r == '\n' {
			space = i + 1
		}
	}
	return len(text)
}
