package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
)

// wild lets the machines of a trio do anything, and keeps the books.
type wild struct {
	*trio
	t              *testing.T
	rnd            *rand.Rand
	homes          []*home
	names          []string
	count, decided int
	word           map[string]string // of each acknowledged memory, by its id
	ids            []string          // of these, in order
	gone           map[string]bool   // an erasure may have reached it
	dead           map[string]bool   // words that were erased, acknowledged
	chosen         map[string]bool   // words that a decision may have said again, in a version that stays
}

// TestMachinesAtRandom: three machines do anything, and are killed at any moment, their server
// too. When all have met, they answer alike to the byte, nothing acknowledged is lost, and
// what was erased is in no file.
func TestMachinesAtRandom(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(26, 5))
	if os.Getenv("SATCHEL_LONG") == "" {
		goWild(t, rnd, 0)
		return
	}
	rnd = rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 5))
	if !pgtest.Available() {
		goWild(t, rnd, 5*time.Minute)
		return
	}
	url := pgtest.Start(t, pgtest.Options{}).Database(t) // for the second machine
	goWild(t, rnd, 5*time.Minute, "SATCHEL_STORE="+url, "SATCHEL_HOME="+filepath.Join(t.TempDir(), "second"))
}

// goWild lets three machines do some things, and more while there is time.
func goWild(t *testing.T, rnd *rand.Rand, lasts time.Duration, settings ...string) {
	t.Helper()
	w := &wild{trio: newTrio(t, settings...), t: t, rnd: rnd, names: []string{"the first", "the second", "the third"},
		word: map[string]string{}, gone: map[string]bool{}, dead: map[string]bool{}, chosen: map[string]bool{}}
	w.homes = []*home{w.a, w.b, w.c}
	until := time.Now().Add(lasts)
	for n := 0; n < 32 || time.Now().Before(until); n++ {
		if n%32 == 16 {
			w.revisedApart()
		}
		w.act()
	}
	w.check()
}

// act does something on one of the machines.
func (w *wild) act() {
	h := w.homes[w.rnd.IntN(len(w.homes))]
	switch w.rnd.IntN(12) {
	case 0, 1, 2:
		w.write(h, "remember", "")
	case 3, 4:
		if id := w.any(); id != "" {
			w.write(h, "revise", id)
		}
	case 5:
		if id := w.any(); id != "" {
			w.killable(h, "forget", id)
		}
	case 6:
		w.erase(h)
	case 7:
		w.decide(h)
	case 8:
		w.server.kill()
		w.server.start()
	default:
		w.meetOnce(h)
	}
}

// any returns the id of a memory that some machine has, mostly of a late one, or "".
func (w *wild) any() string {
	n := len(w.ids)
	if n == 0 {
		return ""
	}
	if w.rnd.IntN(3) > 0 {
		return w.ids[n-1-w.rnd.IntN(min(n, 3))]
	}
	return w.ids[w.rnd.IntN(n)]
}

// killable runs a command, and kills it at some moment in a third of all cases. It reports
// whether the command succeeded.
func (w *wild) killable(h *home, args ...string) (string, bool) {
	w.t.Helper()
	var out strings.Builder
	cmd := h.command(args...)
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	if w.rnd.IntN(3) == 0 {
		kill := time.AfterFunc(time.Duration(5+w.rnd.IntN(150))*time.Millisecond, func() { _ = cmd.Process.Kill() }) // it may have ended
		defer kill.Stop()
	}
	err := cmd.Wait()
	return out.String(), err == nil
}

func (w *wild) write(h *home, act, about string) {
	w.count++
	word := fmt.Sprintf("zq%xqz", 4096+w.count)
	text := "The heron " + word + " sat by the river"
	args := []string{"remember", text, "--json"}
	if act == "revise" {
		args = []string{"revise", about, "--text", text, "--json"}
	}
	out, ok := w.killable(h, args...)
	if !ok {
		return
	}
	var done struct{ ID string }
	if err := json.Unmarshal([]byte(out), &done); err != nil || done.ID == "" {
		w.t.Fatalf("satchel %s says %s", act, out)
	}
	w.word[done.ID], w.ids = word, append(w.ids, done.ID)
}

// erase erases a memory with the versions before it, as this machine knows them.
func (w *wild) erase(h *home) {
	about := w.any()
	out, _, err := h.try("history", about, "--json")
	if about == "" || err != nil {
		return // it is not here
	}
	for id := range w.word {
		if strings.Contains(out, id) {
			w.gone[id] = true
		}
	}
	w.gone[about] = true
	if _, ok := w.killable(h, "forget", about, "--hard", "--yes", "--json"); ok {
		w.dead[w.word[about]] = true
	}
}

// revisedApart lets two machines revise one memory, and one of them decide.
func (w *wild) revisedApart() {
	w.write(w.a, "remember", "")
	w.a.run("sync")
	w.b.run("sync", "stick")
	about := w.any()
	w.write(w.a, "revise", about)
	w.write(w.b, "revise", about)
	w.a.run("sync")
	w.b.run("sync", "stick")
	w.decide(w.b)
}

// decide decides between versions that were made apart, if there are any.
func (w *wild) decide(h *home) {
	var list struct{ Versions []struct{ ID string } }
	if err := json.Unmarshal([]byte(h.run("corrections", "list", "--json")), &list); err != nil {
		w.t.Fatal(err)
	}
	if n := len(list.Versions); n > 0 {
		w.decided++
		how, id := []string{"confirm", "reject"}[w.rnd.IntN(2)], list.Versions[w.rnd.IntN(n)].ID
		if how == "confirm" {
			w.chosen[w.word[id]] = true
		}
		w.killable(h, "corrections", how, id, "--yes")
	}
}

func (w *wild) meetOnce(h *home) {
	where := w.folder
	if h == w.c || h == w.a && w.rnd.IntN(2) == 0 {
		where = "http://" + w.server.at()
	}
	w.killable(h, "sync", where)
}

// ages are what an answer says of the time that has passed since.
var ages = regexp.MustCompile(`(?m)^ *"(recency|score)": .*$`)

// check lets all machines meet, and looks at each.
func (w *wild) check() {
	w.t.Helper()
	w.meet(w.t)
	w.meet(w.t)
	questions := [][]string{
		{"export", "-q"}, {"list", "--json", "--limit", "1000"}, {"list", "--all", "--json", "--limit", "1000"},
		{"recall", "where did the heron sit?", "--json", "--limit", "20"}, {"corrections", "list", "--json"},
	}
	for range min(3, len(w.ids)) {
		questions = append(questions, []string{"history", w.any(), "--json"})
	}
	for _, args := range questions {
		want, _, asked := w.a.try(args...) // a memory that was erased has no history
		for i, h := range w.homes[1:] {
			if got, _, err := h.try(args...); ages.ReplaceAllString(got, "") != ages.ReplaceAllString(want, "") || (err == nil) != (asked == nil) {
				w.t.Errorf("satchel %s: %s machine says\n%s\nnot\n%s", strings.Join(args, " "), w.names[i+1], got, want)
			}
		}
	}
	s := w.a.connect()
	defer s.Close()
	for id, word := range w.word {
		answer, err := s.call("ump.get", `{"id":"`+id+`"}`)
		if here := err == nil && strings.Contains(fmt.Sprint(answer), word); !here && !w.gone[id] {
			w.t.Errorf("%s %s was acknowledged and is lost: %v %v", id, word, answer, err)
		} else if here && w.dead[word] {
			w.t.Errorf("%s %s was erased and is here", id, word)
		}
	}
	w.server.stop() // it closes its files
	for _, dir := range []*home{w.a, w.b, w.c, {TB: w.t, dir: w.folder}} {
		for word := range w.dead {
			if w.chosen[word] {
				continue
			}
			if found := dir.tracks(word); len(found) > 0 {
				w.t.Errorf("%s was erased, and is in %v", word, found)
			}
		}
	}
	w.t.Logf("%d memories, %d erased, %d decisions", len(w.ids), len(w.dead), w.decided)
}
