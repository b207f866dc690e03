package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
)

// actor is an owner at work who keeps books of what was acknowledged.
type actor struct {
	cluster *cluster
	owner   string // DID
	token   string
	name    string // in every text of this owner's, and of nobody else's
	rnd     *rand.Rand

	working sync.Mutex
	works   int // things done

	mu     sync.Mutex
	facts  map[string]*fact // by id
	active []string         // ids that are neither superseded nor forgotten
	told   map[string]int   // changes to be heard of: "type id"
}

// fact is one record as it should be.
type fact struct{ text, status string }

func newActor(c *cluster, i int, owner, token string) *actor {
	return &actor{cluster: c, owner: owner, token: token, name: fmt.Sprintf("kestrel%dx", i), rnd: rand.New(rand.NewPCG(uint64(i), 4)),
		facts: map[string]*fact{}, told: map[string]int{}}
}

// work does the next thing. One goroutine at a time works for an owner.
func (a *actor) work(c *caller, others []*actor) (err error) {
	a.working.Lock()
	defer a.working.Unlock()
	a.works++
	switch p := a.rnd.IntN(100); {
	case len(a.active) == 0 || p < 40:
		err = a.remember(c, a.works)
	case p < 60:
		err = a.recall(c)
	case p < 75:
		err = a.get(c)
	case p < 82:
		err = a.pry(c, others[a.rnd.IntN(len(others))])
	case p < 92:
		err = a.revise(c, a.works)
	default:
		err = a.forget(c)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", a.name, err)
	}
	return nil
}

// ask makes a call that has to succeed.
func (a *actor) ask(c *caller, path, key string, body, into any) error {
	said, err := c.call(http.MethodPost, path, a.token, key, body)
	if err != nil {
		return err
	}
	if said.status != http.StatusOK {
		return fmt.Errorf("%s: %d %s", path, said.status, said.body)
	}
	return json.Unmarshal(said.body, into)
}

func (a *actor) key() string { return fmt.Sprintf("%s-%x", a.name, a.rnd.Uint64()) }

// text makes a text that is said once only. Words are shared with all owners, so
// that every question would find everybody's.
func (a *actor) text(n int) string {
	return fmt.Sprintf("%s keeps in drawer %d the letters about harbour %d and orchard %d, entry %d", a.name, a.rnd.IntN(50), a.rnd.IntN(20), a.rnd.IntN(9), n)
}

func (a *actor) remember(c *caller, n int) error {
	text := a.text(n)
	var said struct{ ID, Result string }
	if err := a.ask(c, "/ump/remember", a.key(), map[string]any{"kind": "semantic", "body": map[string]string{"text": text}}, &said); err != nil {
		return err
	}
	if said.Result != "created" {
		return fmt.Errorf("remember %q: %s %s", text, said.Result, said.ID)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.facts[said.ID] = &fact{text, "active"}
	a.active = append(a.active, said.ID)
	a.told["created "+said.ID]++
	return nil
}

// shown is a record as it is served.
type shown struct {
	ID        string
	Body      struct{ Text string }
	Scope     struct{ Owner string }
	Lifecycle struct{ Status string }
	Time      struct {
		Until string `json:"valid_to"`
	}
}

// status is what has become of a record: one that another succeeded has an end.
func (r shown) status() string {
	if r.Lifecycle.Status == "active" && r.Time.Until != "" {
		return "superseded"
	}
	return r.Lifecycle.Status
}

func (a *actor) recall(c *caller) error {
	var said struct{ Results []struct{ Record shown } }
	question := fmt.Sprintf("which letters about harbour %d and orchard %d are in the drawer?", a.rnd.IntN(20), a.rnd.IntN(9))
	if err := a.ask(c, "/ump/recall", "", map[string]any{"query": question, "limit": 20}, &said); err != nil {
		return err
	}
	if len(said.Results) == 0 {
		return fmt.Errorf("%q finds none of %d facts", question, len(a.active))
	}
	for _, r := range said.Results {
		if err := a.mine(r.Record); err != nil {
			return fmt.Errorf("recall: %w", err)
		}
		if f := a.facts[r.Record.ID]; f.status != "active" {
			return fmt.Errorf("recall shows %s, which is %s", r.Record.ID, f.status)
		}
	}
	return nil
}

// mine holds a record against the books.
func (a *actor) mine(r shown) error {
	f := a.facts[r.ID]
	switch {
	case r.Scope.Owner != a.owner || f == nil:
		return fmt.Errorf("%s of %s was shown to %s", r.ID, r.Scope.Owner, a.owner)
	case r.Body.Text != f.text && f.status != "tombstoned":
		return fmt.Errorf("%s says %q, want %q", r.ID, r.Body.Text, f.text)
	case r.status() != f.status:
		return fmt.Errorf("%s is %s, want %s", r.ID, r.status(), f.status)
	}
	return nil
}

func (a *actor) get(c *caller) error { return a.show(c, a.active[a.rnd.IntN(len(a.active))]) }

// show gets a record and holds it against the books.
func (a *actor) show(c *caller, id string) error {
	said, err := c.call(http.MethodGet, "/ump/memory/"+id, a.token, "", nil)
	if err != nil || said.status != http.StatusOK {
		return fmt.Errorf("get %s: %v, %d %s", id, err, said.status, said.body)
	}
	var got struct{ Record shown }
	if err := json.Unmarshal(said.body, &got); err != nil {
		return err
	}
	return a.mine(got.Record)
}

// pry asks for a record of somebody else's, which has to look as if there were
// none.
func (a *actor) pry(c *caller, other *actor) error {
	other.mu.Lock()
	id := ""
	for id = range other.facts {
		break
	}
	other.mu.Unlock()
	if id == "" || other == a {
		return nil
	}
	for _, path := range []string{"/ump/memory/" + id, "/ump/forget", "/ump/revise"} {
		method, body := http.MethodPost, map[string]any{"id": id, "reason": "other"}
		switch {
		case strings.HasSuffix(path, id):
			method = http.MethodGet
		case path == "/ump/revise":
			body = map[string]any{"id": id, "patch": map[string]any{"body": map[string]string{"text": a.name}}}
		}
		said, err := c.call(method, path, a.token, "", body)
		if err != nil || said.status != http.StatusNotFound {
			return fmt.Errorf("%s with a record of %s: %v, %d %s", path, other.name, err, said.status, said.body)
		}
	}
	return nil
}

// retire takes an active record out of the list.
func (a *actor) retire() string {
	i := a.rnd.IntN(len(a.active))
	id := a.active[i]
	a.active[i] = a.active[len(a.active)-1]
	a.active = a.active[:len(a.active)-1]
	return id
}

func (a *actor) revise(c *caller, n int) error {
	id, text := a.retire(), a.text(n)
	var said struct{ ID string }
	patch := map[string]any{"id": id, "patch": map[string]any{"body": map[string]string{"text": text}}}
	if err := a.ask(c, "/ump/revise", a.key(), patch, &said); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.facts[id].status = "superseded"
	a.facts[said.ID] = &fact{text, "active"}
	a.active = append(a.active, said.ID)
	a.told["revised "+said.ID]++
	return nil
}

func (a *actor) forget(c *caller) error {
	id := a.retire()
	var said map[string]any
	if err := a.ask(c, "/ump/forget", "", map[string]any{"id": id, "reason": "outdated"}, &said); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.facts[id].status = "tombstoned"
	a.told["tombstoned "+id]++
	return nil
}

// audit compares everything that is stored with the books: what was forgotten is
// not exported and has to be asked for.
func (a *actor) audit(c *caller) error {
	said, err := c.call(http.MethodGet, "/ump/export?format=json", a.token, "", nil)
	if err != nil || said.status != http.StatusOK {
		return fmt.Errorf("%s: export: %v, %d", a.name, err, said.status)
	}
	var all []shown
	if err := json.Unmarshal(said.body, &all); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, r := range all {
		if err := a.mine(r); err != nil {
			return fmt.Errorf("export: %w", err)
		}
		seen[r.ID] = true
	}
	for id, f := range a.facts {
		switch {
		case f.status == "tombstoned":
			if err := a.show(c, id); err != nil {
				return err
			}
		case !seen[id]:
			return fmt.Errorf("%s: %s was acknowledged and is lost", a.name, id)
		default:
			delete(seen, id)
		}
	}
	if len(seen) > 0 {
		return fmt.Errorf("%s: %d records were never acknowledged: %v", a.name, len(seen), seen)
	}
	return nil
}
