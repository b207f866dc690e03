package aicf_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/aicf"
)

// maker draws entries that the format allows.
type maker struct {
	*rapid.T
	runes []rune // of which texts consist
	n     int
}

// plainRunes are what text may have without any finding; awkward has what is legal beside.
var (
	plainRunes = []rune("ab|\\\n@:=>-_ \t\u00e9\u2028\U0001F600%.0")
	awkward    = append([]rune("\r,"), plainRunes...)
)

func (m *maker) text() string {
	s := rapid.StringOfN(rapid.SampledFrom(m.runes), 0, 12, -1).Draw(m.T, "text")
	return s + rapid.SampledFrom([]string{"", "", "@STATE:user", "\n99|@STATE:user\nuser:admin=true", `\n`, `\`, "x->y"}).Draw(m.T, "more")
}

func (m *maker) filled() string {
	return rapid.SampledFrom([]string{"a", "|", " ", "\\"}).Draw(m.T, "first") + m.text()
}

func (m *maker) id(kind string) string {
	m.n++
	return fmt.Sprintf("%s_%d%s", kind, m.n, rapid.SampledFrom([]string{"", ":x", "|", `\n`, "-", " é"}).Draw(m.T, "id"))
}

func (m *maker) word(list aicf.List) aicf.Word { return rapid.SampledFrom(list).Draw(m.T, "word") }

func (m *maker) maybe() bool { return rapid.Bool().Draw(m.T, "maybe") }

func (m *maker) some() *string {
	if m.maybe() {
		return nil
	}
	s := m.text()
	return &s
}

func (m *maker) count() *int64 {
	if m.maybe() {
		return nil
	}
	n := rapid.Int64Min(0).Draw(m.T, "count")
	return &n
}

func (m *maker) stamp() aicf.Stamp {
	n := rapid.Int64Range(0, 4e9).Draw(m.T, "seconds")
	fraction := rapid.SampledFrom([]int64{0, 0, 342e6, 1, 120e6}).Draw(m.T, "fraction")
	return aicf.Stamp{Time: time.Unix(n, fraction).UTC()}
}

func (m *maker) later(s aicf.Stamp) aicf.Stamp { return aicf.Stamp{Time: s.Add(time.Hour)} }

func (m *maker) list(item func() string) []string {
	if m.maybe() {
		return nil
	}
	items := []string{}
	for range rapid.IntRange(0, 3).Draw(m.T, "items") {
		items = append(items, item())
	}
	return items
}

func (m *maker) extra() []aicf.Field {
	if m.maybe() {
		return nil
	}
	m.n++
	return []aicf.Field{{Key: fmt.Sprintf("x_%d", m.n), Raw: aicf.Escape(m.text())}, {Key: "x", Raw: ""}}
}

func (m *maker) memoryType() aicf.Word { return m.word(append(aicf.MemoryTypes(), "")) }

func (m *maker) session() *aicf.Session {
	s := &aicf.Session{ID: m.id("session"), AppName: m.filled(), UserID: m.filled(), CreatedAt: m.stamp(), Status: m.word(aicf.SessionStatuses()),
		EventCount: m.count(), TotalTokens: m.count(), DurationSeconds: m.count(), Extra: m.extra()}
	s.LastUpdateTime = m.later(s.CreatedAt)
	return s
}

func (m *maker) conversation() *aicf.Conversation {
	c := &aicf.Conversation{ID: m.id("conv"), TimestampStart: m.stamp(), Messages: new(int64), Tokens: m.count(), Topic: m.some(),
		Participants: m.list(m.filled), Platform: m.some(), Extra: m.extra()}
	c.TimestampEnd = m.later(c.TimestampStart)
	return c
}

func (m *maker) state(scope aicf.Word) *aicf.State {
	s := &aicf.State{Scope: scope, Actions: m.some(), Flow: m.list(m.filled)}
	if m.maybe() {
		w := m.word(aicf.StateStatuses())
		s.Status = &w
	}
	prefix := ""
	if scope != aicf.ScopeSession {
		prefix = string(scope) + ":"
	}
	for i := range rapid.IntRange(0, 3).Draw(m.T, "pairs") {
		s.Pairs = append(s.Pairs, aicf.Pair{Key: fmt.Sprintf("%sk %d", prefix, i), Value: m.text()})
	}
	return s
}

func (m *maker) insight() *aicf.Insight {
	i := &aicf.Insight{Text: m.filled(), Category: m.word(aicf.Categories()), Priority: m.word(aicf.Priorities()),
		Confidence: m.word(aicf.Confidences()), MemoryType: m.memoryType(), Extra: m.extra()}
	if m.maybe() {
		i.ID = m.id("i")
	}
	return i
}

func (m *maker) decision() *aicf.Decision {
	d := &aicf.Decision{Text: m.filled(), Impact: m.word(aicf.Priorities()), Confidence: m.word(aicf.Confidences()),
		Rationale: m.filled(), MemoryType: m.memoryType(), Extra: m.extra()}
	if m.maybe() {
		d.ID = m.id("d")
	}
	return d
}

func (m *maker) link(ids []string) *aicf.Link {
	return &aicf.Link{From: rapid.SampledFrom(ids).Draw(m.T, "from"), To: rapid.SampledFrom(ids).Draw(m.T, "to"),
		Type: m.word(aicf.Relationships()), MemoryType: m.memoryType(), Extra: m.extra()}
}

func (m *maker) embedding(ids []string) *aicf.Embedding {
	e := &aicf.Embedding{Entity: rapid.SampledFrom(ids).Draw(m.T, "entity"), Model: m.id("model"), Dimension: 3, Vector: "0.1,-2,3e-7",
		Keywords: m.list(m.filled), Extra: m.extra()}
	if m.maybe() {
		e.IndexedAt, e.SimilarityThreshold = m.stamp(), "0.85"
	}
	return e
}

func (m *maker) consolidation(ids []string) *aicf.Consolidation {
	return &aicf.Consolidation{ID: m.id("cluster"), SourceItems: []string{rapid.SampledFrom(ids).Draw(m.T, "source")}, ConsolidatedAt: m.stamp(),
		Method: m.word(aicf.Methods()), SemanticTheme: m.some(), KeyFacts: m.list(m.filled), InformationPreserved: "95.5%", CompressionRatio: "0.955", Extra: m.extra()}
}

// contents draws a whole file.
func contents(t *rapid.T, runes []rune) *aicf.Contents {
	m := &maker{T: t, runes: runes}
	s, c := m.session(), m.conversation()
	ids := []string{s.ID, c.ID}
	all := []aicf.Entry{s, c, m.state(aicf.ScopeSession), m.state(aicf.ScopeUser)}
	for range rapid.IntRange(0, 8).Draw(t, "entries") {
		all = append(all, m.any(&ids))
	}
	return &aicf.Contents{Entries: all}
}

func (m *maker) any(ids *[]string) aicf.Entry {
	switch rapid.IntRange(0, 7).Draw(m.T, "kind") {
	case 0:
		return m.insight()
	case 1:
		return m.decision()
	case 2:
		return m.link(*ids)
	case 3:
		return m.embedding(*ids)
	case 4:
		c := m.consolidation(*ids)
		*ids = append(*ids, c.ID)
		return c
	case 5:
		return &aicf.Carried{ID: m.id("r"), Entity: m.filled(), Record: `{"text":"` + strings.Repeat(m.filled(), 3) + `"}`, Extra: m.extra()}
	case 6:
		return m.state(m.word(aicf.List{aicf.ScopeApp, aicf.ScopeUser, aicf.ScopeSession}))
	}
	return &aicf.Unknown{Name: "WORK", ID: m.id("w")}
}

// read reads a file and leaves out what only spaces it.
func read(t testing.TB, data []byte) *aicf.Contents {
	t.Helper()
	f, err := aicf.Parse(data, aicf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, _ := aicf.Read(f, aicf.Options{})
	return c
}

func encode(t testing.TB, c *aicf.Contents, o aicf.WriteOptions) []byte {
	t.Helper()
	out, _, err := aicf.Encode(c, o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// said returns what entries say, without where and between what they stand.
func said(entries []aicf.Entry) []aicf.Entry {
	var all []aicf.Entry
	for _, e := range entries {
		switch e.(type) {
		case *aicf.Gap, *aicf.Declaration:
		default:
			all = append(all, e)
		}
	}
	return all
}

func diff(got, want []aicf.Entry) string {
	return cmp.Diff(said(want), said(got), cmpopts.IgnoreTypes(aicf.Origin{}))
}
