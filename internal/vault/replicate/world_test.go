package replicate_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/replicate"
	"github.com/satchel-memory/satchel/internal/vault/takeback"
	"github.com/satchel-memory/satchel/internal/vault/trust"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// world is some machines of one owner, and what happens to them.
type world struct {
	all     []*machine
	told    int                  // texts so far: each has a word of its own
	word    map[memory.ID]string // of each record that was ever there
	dead    map[memory.ID]bool   // erased on some machine, and not brought back
	back    map[memory.ID]bool   // brought back somewhere: which of the two came later, only the machines know
	mailbox []parcel             // messages that may still arrive
	tokens  []string             // ids
	served  map[int]bool         // numbers of migration tokens
}

// parcel is a message on its way.
type parcel struct {
	from, to *machine
	msg      replica.Message
}

func newWorld(all []*machine) *world {
	w := &world{all: all, word: map[memory.ID]string{}, dead: map[memory.ID]bool{}, back: map[memory.ID]bool{}, served: map[int]bool{}}
	for i, m := range all {
		m.Now = m.Now.AddDate([]int{0, -3, 2, 0, -11}[i%5], 0, i)
	}
	return w
}

// acts are what may happen.
func (w *world) acts() map[string]func(*rapid.T) {
	acts := map[string]func(*rapid.T, *machine){
		"remember": w.remember, "remember again": w.rememberAgain, "revise": w.revise, "forget": w.forget, "erase": w.erase,
		"undo": w.undo, "import": w.importing, "undo import": w.undoImport, "restore": w.restore, "feedback": w.feedback,
		"token": w.token, "revoke": w.revoke, "alias": w.alias, "consent": w.consent, "sweep": w.sweep,
		"propose": w.propose, "decide": w.decide, "hear": w.hear, "post": w.post, "deliver": w.deliver, "forget the process": w.restart,
		"keep an agent": w.keepAgent, "remove an agent": w.removeAgent, "land": w.land, "depart": w.depart, "remove a checkpoint": w.removeState,
		"killed hearing": w.killedHearing, "killed acting": w.killedActing, "begin with a copy": w.beginWithCopy,
	}
	out := map[string]func(*rapid.T){}
	for name, act := range acts {
		out[name] = func(t *rapid.T) {
			m := w.all[rapid.IntRange(0, len(w.all)-1).Draw(t, "machine")]
			m.Pass(time.Duration(rapid.IntRange(1, 90).Draw(t, "minutes")) * time.Minute)
			before := m.ids(t)
			act(t, m)
			w.note(t, m, before, name)
		}
	}
	return out
}

// note keeps track of what was erased on a machine by its owner's acts.
func (w *world) note(t tb, m *machine, before map[memory.ID]bool, act string) {
	after := m.ids(t)
	for id := range after {
		if w.word[id] == "" {
			w.word[id] = m.word(t, id)
		}
	}
	if act == "hear" || act == "deliver" || act == "killed hearing" {
		return
	}
	for id := range before {
		if !after[id] {
			w.dead[id] = true
		}
	}
	for id := range after {
		if !before[id] && w.dead[id] {
			w.back[id] = true
		}
	}
}

func (m *machine) ids(t tb) map[memory.ID]bool {
	ids := map[memory.ID]bool{}
	m.view(t, func(r store.Reader) error {
		rows, err := r.Rows(store.Filter{}, store.Cursor{}, 100_000)
		for _, row := range rows {
			ids[row.ID] = true
		}
		return err
	})
	return ids
}

// words finds the words by which texts are told apart.
var words = regexp.MustCompile("q[xyz][0-9xyz]+q")

// word returns the word that a record has for itself.
func (m *machine) word(t tb, id memory.ID) (word string) {
	m.view(t, func(r store.Reader) error {
		row, err := r.Row(id)
		if err == nil {
			word = words.FindString(string(row.Origin))
		}
		return err
	})
	return word
}

func (m *machine) view(t tb, do func(store.Reader) error) {
	t.Helper()
	if err := m.Store.View(m.Ctx, m.House.Key.DID(), do); err != nil {
		t.Fatal(err)
	}
}

// may fails unless err is a refusal that the world can bring about.
func may(t tb, err error) bool {
	t.Helper()
	var refused *memory.Error
	if said := new(engram.Fault); errors.As(err, &said) {
		return false
	}
	if err != nil && (!errors.As(err, &refused) || refused.Kind == memory.Internal || refused.Kind == memory.SignatureInvalid) {
		t.Fatal(err)
	}
	return err == nil
}

func (w *world) text() (text, word string) {
	w.told++
	word = fmt.Sprintf("qx%dxq", w.told)
	return "the heron " + word + " sat by the river", word
}

func (w *world) draft(t *rapid.T, text string) memory.Draft {
	d := memory.Draft{Record: memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: text}}}
	d.Record.Scope.Project = rapid.SampledFrom([]string{"", "shop", "github.com/o/shop"}).Draw(t, "project")
	if rapid.IntRange(0, 4).Draw(t, "short-lived") == 0 {
		d.Record.Consent = &memory.Consent{Retention: "P30D"}
	}
	return d
}

func (w *world) remember(t *rapid.T, m *machine) {
	text, word := w.text()
	c := m.own
	if rapid.Bool().Draw(t, "agent") {
		c = m.Agent()
	}
	done, err := m.Remember(m.Ctx, c, w.draft(t, text))
	if may(t, err) {
		w.word[done.ID] = word
	}
}

func (w *world) rememberAgain(t *rapid.T, m *machine) {
	rec, ok := w.pick(t, m)
	if !ok {
		return
	}
	done, err := m.Remember(m.Ctx, m.Agent(), memory.Draft{Record: memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: rec.Body.Text}}})
	if may(t, err) && w.word[done.ID] == "" {
		w.word[done.ID] = w.word[rec.ID]
	}
}

// pick returns one of a machine's records, as its owner sees it.
func (w *world) pick(t *rapid.T, m *machine) (memory.Record, bool) {
	ids := w.known(t, m)
	if len(ids) == 0 {
		return memory.Record{}, false
	}
	rec, err := m.Get(m.Ctx, m.own, ids[rapid.IntRange(0, len(ids)-1).Draw(t, "record")], memory.CurrentView)
	return rec, may(t, err)
}

func (w *world) known(t tb, m *machine) (ids []memory.ID) {
	for id := range m.ids(t) {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b memory.ID) int { return strings.Compare(w.word[a]+string(a), w.word[b]+string(b)) })
	return ids
}

func (w *world) revise(t *rapid.T, m *machine) {
	rec, ok := w.pick(t, m)
	if !ok {
		return
	}
	text, word := w.text()
	done, err := m.Revise(m.Ctx, m.own, memory.Revision{ID: rec.ID, Patch: fmt.Appendf(nil, `{"body":{"text":%q}}`, text)})
	if may(t, err) {
		w.word[done.ID] = word
	}
}

func (w *world) forget(t *rapid.T, m *machine) {
	if rec, ok := w.pick(t, m); ok {
		_, err := m.Forget(m.Ctx, m.own, memory.ForgetRequest{ID: rec.ID, Reason: memory.Outdated, Chain: rapid.Bool().Draw(t, "all versions")})
		may(t, err)
	}
}

func (w *world) erase(t *rapid.T, m *machine) {
	if rec, ok := w.pick(t, m); ok {
		_, err := m.Forget(m.Ctx, m.own, memory.ForgetRequest{ID: rec.ID, Reason: memory.Outdated, Hard: true})
		may(t, err)
	}
}

func (w *world) undo(t *rapid.T, m *machine) {
	_, err := takeback.New(m.Vault).Undo(m.Ctx, m.own, "")
	may(t, err)
}

// document is one of three documents, which several machines may import.
func (w *world) document(t *rapid.T, m *machine) (*vaulttest.Run, vault.ImportOptions) {
	n := rapid.IntRange(1, 3).Draw(t, "document")
	run := vaulttest.Drafts(m.House.Key.DID(), 2)
	for i := range run.Records {
		run.Records[i].Body.Text = fmt.Sprintf("from a document qy%dy%dq", n, i)
	}
	return run, vault.ImportOptions{Name: "notes", Format: "test", Digest: fmt.Sprint("digest ", n)}
}

func (w *world) importing(t *rapid.T, m *machine) {
	run, o := w.document(t, m)
	_, err := m.Import(m.Ctx, m.own, run, o)
	may(t, err)
}

func (w *world) restore(t *rapid.T, m *machine) {
	run, o := w.document(t, m)
	o.Restore = true
	_, err := m.Import(m.Ctx, m.own, run, o)
	may(t, err)
}

func (w *world) undoImport(t *rapid.T, m *machine) {
	imports, err := m.Imports(m.Ctx, m.own)
	if !may(t, err) || len(imports) == 0 {
		return
	}
	_, err = m.House.Undo(m.Ctx, m.own, imports[rapid.IntRange(0, len(imports)-1).Draw(t, "import")].Number)
	may(t, err)
}

func (w *world) feedback(t *rapid.T, m *machine) {
	if rec, ok := w.pick(t, m); ok {
		may(t, m.Feedback(m.Ctx, m.Agent(), rec.ID, rapid.SampledFrom([]string{"followed", "ignored", "contradicted"}).Draw(t, "outcome"), ""))
	}
}

func (w *world) token(_ *rapid.T, m *machine) {
	_, g, err := m.MintToken(m.Ctx, m.own, vault.TokenOrder{Verbs: []memory.Verb{memory.ReadVerb}, Expires: m.Now.Add(time.Hour), Name: "t"})
	if err == nil {
		w.tokens = append(w.tokens, g.ID)
	}
}

func (w *world) revoke(t *rapid.T, m *machine) {
	if len(w.tokens) > 0 {
		may(t, m.RevokeToken(m.Ctx, m.own, rapid.SampledFrom(w.tokens).Draw(t, "token")))
	}
}

func (w *world) alias(t *rapid.T, m *machine) {
	names := []string{"shop", "github.com/o/shop", "kiosk", ""}
	may(t, m.AliasProject(m.Ctx, m.own, rapid.SampledFrom(names[:3]).Draw(t, "alias"), rapid.SampledFrom(names).Draw(t, "project")))
}

func (w *world) consent(t *rapid.T, m *machine) {
	if rapid.Bool().Draw(t, "given") {
		may(t, m.GrantConsent(m.Ctx, m.own, trust.ExportEmbeddings))
	} else {
		may(t, m.RevokeConsent(m.Ctx, m.own, trust.ExportEmbeddings))
	}
}

func (w *world) sweep(t *rapid.T, m *machine) {
	if rapid.Bool().Draw(t, "much later") {
		m.Pass(25 * 24 * time.Hour)
	}
	_, err := m.Sweep(m.Ctx, m.own.Owner)
	may(t, err)
}

func (w *world) propose(t *rapid.T, m *machine) {
	view := m.context(t)
	if len(view.Beliefs) == 0 {
		return
	}
	b := view.Beliefs[rapid.IntRange(0, len(view.Beliefs)-1).Draw(t, "belief")]
	_, err := m.Propose(m.Ctx, m.Agent(), engram.Proposal{Belief: b.ID, New: "a swan qz" + fmt.Sprint(w.told) + "zq", Runtime: "claude-code", ObservedAt: m.Now})
	may(t, err)
}

func (w *world) decide(t *rapid.T, m *machine) {
	cases, err := m.Corrections(m.Ctx, m.own, true)
	if !may(t, err) || len(cases) == 0 {
		return
	}
	_, err = m.Resolve(m.Ctx, m.own, cases[rapid.IntRange(0, len(cases)-1).Draw(t, "correction")].ID, rapid.Bool().Draw(t, "confirm"), "")
	may(t, err)
}

func (m *machine) context(t tb) (v engram.View) {
	err := m.ExportContext(m.Ctx, m.own, engram.Query{Scope: engram.Full, History: true}, func(all engram.View) error { v = all; return nil })
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (w *world) other(t *rapid.T, m *machine) *machine {
	others := slices.DeleteFunc(slices.Clone(w.all), func(o *machine) bool { return o == m })
	return others[rapid.IntRange(0, len(others)-1).Draw(t, "other")]
}

func (w *world) hear(t *rapid.T, m *machine) {
	m.hear(t, w.other(t, m), rapid.IntRange(1, 5000).Draw(t, "bytes"))
}

// post writes a message that arrives late, again, or never.
func (w *world) post(t *rapid.T, m *machine) {
	to := w.other(t, m)
	w.mailbox = append(w.mailbox, parcel{m, to, m.tell(t, to, 2000)})
}

func (w *world) deliver(t *rapid.T, _ *machine) {
	if len(w.mailbox) == 0 {
		return
	}
	p := w.mailbox[rapid.IntRange(0, len(w.mailbox)-1).Draw(t, "message")]
	was := p.to.seen[p.from]
	p.to.join(t, p.from, p.msg)
	if p.msg.After != was {
		p.to.seen[p.from] = was
	}
}

// restart forgets what only the process knows.
func (w *world) restart(t *rapid.T, m *machine) { m.restarted(t) }

func (m *machine) restarted(t tb) {
	t.Helper()
	again, err := replicate.Of(m.Ctx, m.Vault, m.House.Key.DID(), m.key.DID())
	if err != nil {
		t.Fatal(err)
	}
	m.Memory = again
}

// answers asks a machine a list of questions.
func (w *world) answers(t tb, m *machine) string {
	t.Helper()
	var b strings.Builder
	ids := w.known(t, m)
	for _, id := range ids {
		rec, err := m.Get(m.Ctx, m.own, id, memory.CurrentView)
		fmt.Fprintf(&b, "get %s %s %v\n", id, rec.Form(), err)
		versions, err := m.History(m.Ctx, m.own, id)
		for _, v := range versions {
			fmt.Fprintf(&b, "history %s %s\n", id, v.ID)
		}
		fmt.Fprintln(&b, "history", err)
	}
	for _, q := range []memory.Query{{Text: "where is the heron?"}, {Text: "river"}, {Text: "document"}, {Text: "swan"}, {Text: "heron", Limit: 50},
		{Text: "heron", Scope: memory.Scope{Project: "shop"}}, {Text: "heron", Filter: memory.Filter{Statuses: []memory.Status{memory.Tombstoned, memory.Candidate}}}} {
		hits, err := m.Recall(m.Ctx, m.own, q)
		for _, h := range hits {
			fmt.Fprintf(&b, "recall %+v: %s %v %v %+v\n", q, h.Record.ID, h.Score, h.Why, h.Signals)
		}
		fmt.Fprintln(&b, "recall", err)
	}
	for _, q := range []vault.ListQuery{{Limit: 3}, {Limit: 3, Newest: true, Forks: true, Statuses: []memory.Status{memory.Active, memory.Candidate, memory.Tombstoned}}} {
		for n := 0; n == 0 || q.After != ""; n++ {
			page, err := m.List(m.Ctx, m.own, q)
			for _, rec := range page.Records {
				fmt.Fprintln(&b, "list", n, rec.ID)
			}
			fmt.Fprintln(&b, "forks", page.Forked, err)
			q.After = page.Next
		}
	}
	brief, err := m.Brief(m.Ctx, m.own, vault.BriefQuery{Project: "shop"})
	for _, s := range brief.Sections {
		fmt.Fprintf(&b, "brief %s\n", s.Title)
		for _, rec := range s.Records {
			fmt.Fprintln(&b, rec.ID)
		}
	}
	fmt.Fprintln(&b, err)
	_, err = m.Export(m.Ctx, m.own, vault.ExportQuery{Verbatim: true}, func(rec memory.Record) error {
		fmt.Fprintf(&b, "export %s\n", rec.Form())
		return nil
	})
	fmt.Fprintln(&b, err)
	view := m.context(t)
	for _, one := range view.Beliefs {
		one.Value = canon.Value{}
		fmt.Fprintf(&b, "belief %+v\n", one)
	}
	for _, one := range view.Evolution {
		one.Value = canon.Value{}
		fmt.Fprintf(&b, "evolution %+v\n", one)
	}
	for _, one := range view.Corrections {
		one.Value = canon.Value{}
		fmt.Fprintf(&b, "correction %+v\n", one)
	}
	projects, err := m.Projects(m.Ctx, m.own, time.Time{})
	fmt.Fprintf(&b, "projects %+v %v\n", projects, err)
	grants, err := m.Tokens(m.Ctx, m.own)
	for _, g := range grants {
		fmt.Fprintln(&b, "token", g.ID, g.Name, g.Revoked, err)
	}
	consents, err := m.Consents(m.Ctx, m.own)
	fmt.Fprintln(&b, "consents", consents, err)
	fmt.Fprintln(&b, w.agents(t, m))
	return b.String()
}

// check lets all machines meet and compares them.
func (w *world) check(t tb) {
	t.Helper()
	meet(t, w.all)
	alike(t, w.all)
	now := w.all[0].Now
	for _, m := range w.all {
		if m.Now.After(now) {
			now = m.Now
		}
	}
	want := ""
	for _, m := range w.all {
		m.Now = now
		got := w.answers(t, m)
		if want == "" {
			want = got
		}
		if got != want {
			t.Fatalf("%s and %s answer differently:\n%s", m.Self().Name, w.all[0].Self().Name, cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
		}
	}
	w.missing(t)
	w.raw(t)
}

// missing fails if a machine lacks something that nobody erased.
func (w *world) missing(t tb) {
	t.Helper()
	here := w.all[0].ids(t)
	for id, word := range w.word {
		if here[id] == w.dead[id] && !w.back[id] {
			t.Fatalf("%s %s: erased %t, here %t", id, word, w.dead[id], here[id])
		}
	}
}

// raw fails if the files of a machine hold what is erased.
func (w *world) raw(t tb) {
	t.Helper()
	live := map[string]bool{} // a proposal repeats what it would replace
	w.all[0].view(t, func(r store.Reader) error {
		rows, err := r.Rows(store.Filter{}, store.Cursor{}, 100_000)
		for _, row := range rows {
			for _, word := range words.FindAllString(string(row.Origin)+string(row.Current), -1) {
				live[word] = true
			}
		}
		return err
	})
	for _, m := range w.all {
		if m.Path == "" {
			continue
		}
		files, err := filepath.Glob(m.Path + "*")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for id, word := range w.word {
				if w.dead[id] && !w.back[id] && !live[word] && word != "" && bytes.Contains(data, []byte(word)) {
					at := bytes.Index(data, []byte(word))
					t.Fatalf("%s holds %s, which was erased: %.600q", filepath.Base(name), word, data[max(0, at-300):])
				}
			}
		}
	}
}
