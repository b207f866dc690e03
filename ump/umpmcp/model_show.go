package umpmcp

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// hit is a memory in the form for a model.
type hit struct {
	id     memory.ID
	fields []ump.Field // all but id and text
	text   string
	offset int // characters of the text that the model already has
}

// ownerEnd is how many characters of another owner's DID a model sees: the last ones,
// because all DIDs begin alike.
const ownerEnd = 8

// facts are what a model is shown of a record.
type facts struct {
	id                              memory.ID
	kind, text, project, visibility string
	owner, status                   string
	from, to                        string // days; to is empty while the memory is valid
}

// factsOf returns the facts of a record.
func factsOf(r *memory.Record) facts {
	f := facts{id: r.ID, kind: string(r.Kind), text: r.Body.Text, project: r.Scope.Project, visibility: string(r.Scope.Visibility),
		owner: string(r.Scope.Owner), status: string(r.Lifecycle.Status), from: r.Time.From().Format(time.DateOnly)}
	if !r.Time.ValidTo.IsZero() {
		f.to = r.Time.ValidTo.Format(time.DateOnly)
	}
	return f
}

// factsIn returns the facts of a record in JSON.
func factsIn(record canon.Value) facts {
	scope, times := record.Get("scope"), record.Get("time")
	day := func(name string) string {
		said := times.Get(name).Text()
		return said[:min(len(said), len(time.DateOnly))]
	}
	return facts{id: memory.ID(record.Get("id").Text()), kind: record.Get("kind").Text(), text: record.Get("body").Get("text").Text(),
		project: scope.Get("project").Text(), visibility: scope.Get("visibility").Text(), owner: scope.Get("owner").Text(),
		status: record.Get("lifecycle").Get("status").Text(), from: cmp.Or(day("valid_from"), day("observed"), day("created")), to: day("valid_to")}
}

// hitOf returns facts in the form for a model. It leaves out the usual values: owner,
// visibility and status of an active private record of the owner.
func hitOf(f facts, owner memory.DID) hit {
	if f.visibility == string(memory.Private) {
		f.visibility = ""
	}
	if f.owner == string(owner) {
		f.owner = ""
	} else if end := len(f.owner) - ownerEnd; end > 0 {
		f.owner = "…" + f.owner[end:]
	}
	when := f.from
	if f.to != "" {
		when += " to " + f.to
	}
	h := hit{id: f.id, text: f.text, fields: []ump.Field{
		{Name: "kind", Value: f.kind}, {Name: "when", Value: when},
		{Name: "project", Value: f.project}, {Name: "visibility", Value: f.visibility},
		{Name: "status", Value: statusOf(f.status)}, {Name: "owner", Value: f.owner},
	}}
	for i, f := range h.fields {
		h.fields[i].Value = cutName(f.Value)
	}
	return h
}

// nameBytes is the most bytes of a name in an answer.
const nameBytes = 100

// cutName shortens a name to nameBytes.
func cutName(name string) string {
	if len(name) <= nameBytes/6 { // quoting makes at most six bytes of one
		return name
	}
	kept, size := 0, 0
	for i, r := range name {
		if size <= nameBytes-len("…") {
			kept = i
		}
		if size += len(codec.AppendQuoted(nil, string(r))) - len(`""`); size > nameBytes {
			return name[:kept] + "…"
		}
	}
	return name
}

func statusOf(status string) string {
	switch memory.Status(status) {
	case memory.Candidate:
		return "proposed"
	case memory.Tombstoned:
		return "forgotten"
	}
	return ""
}

// writeHits answers a recall; answer has the other members of the response.
func (m *modelView) writeHits(ctx context.Context, c memory.Caller, q question, results []memory.Hit, answer canon.Value) string {
	if len(results) == 0 {
		return "No memory answers that." + warnings(ump.OpRecall, answer)
	}
	hits := make([]hit, len(results))
	for i := range results {
		hits[i] = hitOf(factsOf(&results[i].Record), c.Owner)
	}
	first := ""
	if results[0].Score < memory.Certain {
		first = uncertain
	}
	return first + m.frame(ctx, c, hits, q.budget-(len(first)+tokenBytes-1)/tokenBytes) + warnings(ump.OpRecall, answer)
}

// uncertain introduces hits that probably do not answer the question.
const uncertain = "Probably not known; the nearest memories (other words in \"also\" may find more):\n"

const (
	mostLinks = 10 // most relations of a kind in an answer
	linkShare = 12 // relations of a kind may take this fraction of an answer
)

// writeRecord answers a get.
func (m *modelView) writeRecord(ctx context.Context, c memory.Caller, q question, record canon.Value) (string, error) {
	h := hitOf(factsIn(record), c.Owner)
	if length := utf8.RuneCountInString(h.text); q.offset > 0 && q.offset >= length {
		return "", argumentError("offset", fmt.Sprintf("the text has %d characters", length))
	}
	h.fields = append(h.fields, m.links(ctx, c, record, q.budget*tokenBytes/linkShare)...)
	saidBy := record.Get("provenance").Get("actor_kind").Text()
	if record.Get("scope").Get("owner").Text() != string(c.Owner) {
		saidBy = "" // the claim of another owner proves nothing
	}
	h.fields = append(h.fields,
		ump.Field{Name: "said_by", Value: cutName(saidBy)},
		ump.Field{Name: "created", Value: cutName(record.Get("time").Get("created").Text())})
	for range q.offset {
		_, size := utf8.DecodeRuneInString(h.text)
		h.text = h.text[size:]
	}
	h.offset = q.offset
	return m.frame(ctx, c, []hit{h}, q.budget), nil
}

// link is a relation of a record to another record or to an entity.
type link struct{ list, kind, target string }

// linksOf returns the first links of each kind, and one without a target if there are
// more.
func linksOf(record canon.Value) (links []link) {
	for _, list := range []string{"supersedes", "superseded_by", "relations"} {
		for i, item := range record.Get(list).Items() {
			if i == mostLinks {
				links = append(links, link{list: list})
				break
			}
			l := link{list: list, target: item.Text()}
			if list == "relations" {
				l.kind, l.target = item.Get("type").Text()+" ", item.Get("target").Text()
			}
			links = append(links, l)
		}
	}
	return links
}

// links lists other records by their short IDs and entities by their names. room is the
// most bytes of each list.
func (m *modelView) links(ctx context.Context, c memory.Caller, record canon.Value, room int) []ump.Field {
	all := linksOf(record)
	var ids []memory.ID
	for _, l := range all {
		if strings.HasPrefix(l.target, memory.IDPrefix) {
			ids = append(ids, memory.ID(l.target))
		}
	}
	short := m.short(ctx, c, ids...)
	var fields []ump.Field
	left := 0
	for _, l := range all {
		if len(fields) == 0 || fields[len(fields)-1].Name != l.list {
			fields, left = append(fields, ump.Field{Name: l.list}), room
		}
		last := &fields[len(fields)-1].Value
		said := cutName(l.kind + l.target)
		if id, ok := short[memory.ID(l.target)]; ok {
			said = cutName(l.kind + id)
		}
		if *last != "" {
			said = ", " + said
		}
		switch size := len(codec.AppendQuoted(nil, said)); {
		case left < 0:
		case l.target == "" || size > left:
			*last, left = strings.TrimPrefix(*last+", …", ", "), -1
		default:
			*last, left = *last+said, left-size
		}
	}
	return fields
}

// frame puts hits into a frame within a budget of tokens. For each text that it cuts, it
// names the call that returns the rest. It reports how many hits did not fit.
func (m *modelView) frame(ctx context.Context, c memory.Caller, hits []hit, budget int) string {
	ids := make([]memory.ID, len(hits))
	for i, h := range hits {
		ids[i] = h.id
	}
	short := m.short(ctx, c, ids...)
	room := budget*tokenBytes - ump.FrameSize
	shown, length := fit(hits, short, room)
	var lines []string
	var rest strings.Builder
	for _, h := range hits[:shown] {
		line, more := h.line(short[h.id], length)
		lines = append(lines, line)
		rest.WriteString(more)
	}
	if left := len(hits) - shown; left > 0 {
		rest.WriteString("\n" + leftOut(left))
	}
	return ump.Enclose(lines...) + rest.String()
}

func leftOut(n int) string {
	return strconv.Itoa(n) + " more did not fit; ask for less or with a larger budget."
}

// leastText is the fewest characters of a text that is cut while other hits follow it.
const leastText = 100

// fit returns how many of the hits fit into room bytes, and to how many characters to cut
// each text. Short texts stay whole, and long ones share the rest. At least one hit
// always fits, perhaps with a few words only.
func fit(hits []hit, short map[memory.ID]string, room int) (shown, length int) {
	p, longest := page{hits: hits, short: short, room: room, around: make([]int, len(hits))}, 0
	for i, h := range hits {
		p.around[i] = len(ump.FrameLine(append(h.header(short[h.id]), ump.Field{Name: "text", Value: "."})...)) - len(`"."`)
		longest = max(longest, len(h.text))
	}
	low, high := 1, max(min(room, longest)+1, 2) // low fits or is the least; high does not, or is more than enough
	if p.fits(len(hits), high-1) {               // most answers fit as a whole
		return len(hits), high - 1
	}
	for shown = len(hits); shown > 1 && !p.fits(shown, leastText); {
		shown--
	}
	for low+1 < high {
		if middle := (low + high) / 2; p.fits(shown, middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return shown, low
}

// page computes the size of an answer.
type page struct {
	hits   []hit
	short  map[memory.ID]string
	room   int    // bytes of the answer
	around []int  // bytes of each hit beside its text
	quoted []byte // scratch for a quoted text
}

// fits reports whether the first hits fit if each text is cut to length characters.
func (p *page) fits(shown, length int) bool {
	left := p.room
	if shown < len(p.hits) {
		left -= len(leftOut(len(p.hits))) + 1
	}
	for i, h := range p.hits[:shown] {
		end := h.cut(p.short[h.id], length)
		left -= p.around[i]
		if end < len(h.text) {
			left -= len("…") + len(h.continuation(p.short[h.id], length))
		}
		if left < end { // a text takes no fewer bytes than it has
			return false
		}
		p.quoted = codec.AppendQuoted(p.quoted[:0], h.text[:end])
		if left -= len(p.quoted); left < 0 {
			return false
		}
	}
	return true
}

// header returns the fields of a hit before its text.
func (h hit) header(short string) []ump.Field {
	return append([]ump.Field{{Name: "id", Value: short}}, h.fields...)
}

// continuation names the call that returns the text after length characters.
func (h hit) continuation(short string, length int) string {
	return fmt.Sprintf("\nThe text of %s goes on: ump_get {\"id\":%q,\"offset\":%d}", short, short, h.offset+length)
}

// line writes a hit with at most length characters of its text, and the call that returns
// the rest.
func (h hit) line(short string, length int) (line, more string) {
	text := h.text
	end := h.cut(short, length)
	if end < len(text) {
		more = h.continuation(short, length)
		text = text[:end] + "…"
	}
	return ump.FrameLine(append(h.header(short), ump.Field{Name: "text", Value: text})...), more
}

// cut returns how many bytes of the text to show if it may have length characters. It
// keeps the whole text if the rest is no longer than the note about the call for it.
func (h hit) cut(short string, length int) int {
	end := cutAt(h.text, length)
	if end == len(h.text) {
		return end
	}
	note := len("…") + len(h.continuation(short, length))
	if rest := h.text[end:]; len(rest) <= note && len(codec.AppendQuoted(nil, rest))-len(`""`) <= note {
		return len(h.text)
	}
	return end
}

// cutAt returns the number of bytes of the first characters of a text.
func cutAt(text string, characters int) int {
	if len(text) <= characters {
		return len(text)
	}
	for i := range text {
		if characters == 0 {
			return i
		}
		characters--
	}
	return len(text)
}

// appendShown writes JSON and escapes invisible characters and those that could form a
// tag.
func appendShown(dst []byte, v canon.Value) []byte {
	switch v.Type() {
	case canon.TypeString:
		return codec.AppendQuoted(dst, v.Text())
	case canon.TypeArray:
		dst = append(dst, '[')
		for i, item := range v.Items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendShown(dst, item)
		}
		return append(dst, ']')
	case canon.TypeObject:
		dst = append(dst, '{')
		for i, m := range v.Members() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(codec.AppendQuoted(dst, m.Name), ':')
			dst = appendShown(dst, m.Value)
		}
		return append(dst, '}')
	}
	return v.Append(dst)
}
