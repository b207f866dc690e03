package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
)

// TestOperated takes a store in a database through what owners and operators do.
func TestOperated(t *testing.T) {
	t.Parallel()
	operated(t, pgtest.Start(t, pgtest.Options{}), "PostgreSQL, schema")
}

// TestOperatedOnCitus does so on a cluster.
func TestOperatedOnCitus(t *testing.T) { operated(t, pgtest.Cluster(t), "distributed by Citus") }

func operated(t *testing.T, database *pgtest.Server, kind string) {
	url := database.Database(t)
	h := &home{TB: t, dir: t.TempDir()}
	owner, programs := "SATCHEL_STORE="+url, "SATCHEL_STORE="+pgtest.Program(t, url)
	h.settings = []string{owner, "SATCHEL_HOME=" + filepath.Join(h.dir, "operator")}
	h.run("init")
	h.settings[0] = programs
	h.run("owner", "add", "--label", "ada", "--records", "100")
	h.run("owner", "add", "--label", "ben")
	ben := h.owned("ben")

	h.run("--owner", "ada", "remember", "Ada keeps bees by the river")
	h.run("--owner", "ada", "remember", "Ada plays the cello")
	if said := h.run("--owner", "ada", "recall", "who keeps bees?"); !strings.Contains(said, "bees") {
		t.Errorf("recall says %q", said)
	}
	token := strings.TrimSpace(h.run("--owner", "ada", "token", "mint", "--self", "-q"))
	server := &replica{home: h, name: "server"}
	server.start()
	t.Cleanup(server.kill)
	events, stop := h.follow(server.at(), token, "")
	h.run("--owner", "ada", "remember", "Ada learns Dutch")
	if e := <-events; e.kind == "" {
		t.Errorf("the stream tells of %+v", e)
	}
	stop()

	bundle := filepath.Join(h.dir, "ada.json")
	h.run("--owner", "ada", "export", "-o", bundle)
	if info, err := os.Stat(bundle); err != nil || info.Size() == 0 {
		t.Fatalf("the export: %v", err)
	}
	notes := filepath.Join(h.dir, "notes.md")
	if err := os.WriteFile(notes, []byte("# Notes\n\nBen walks every morning.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.run("--owner", "ben", "import", notes)
	h.run("--owner", "ada", "import", bundle)

	var kept struct{ Records []struct{ ID string } }
	if err := json.Unmarshal([]byte(h.run("--owner", "ada", "list", "--json")), &kept); err != nil || len(kept.Records) != 3 {
		t.Fatalf("ada keeps %+v, %v", kept, err)
	}
	h.run("--owner", "ada", "forget", kept.Records[0].ID, "--hard", "--yes")
	h.run("owner", "remove", "ben", "--yes", "--confirm", ben)
	h.run("token", "mint", "--verb", "read", "--all")

	h.run("doctor", "--all")
	h.settings[0] = owner
	h.run("store", "migrate")
	h.run("store", "scrub", "--yes")
	if said := h.run("store", "status"); !strings.Contains(said, kind) {
		t.Errorf("store status says %q", said)
	}
	h.settings[0] = programs
	h.run("doctor", "--all")
	if said := h.run("owner", "list", "--all"); strings.Contains(said, ben) {
		t.Errorf("the store still knows who was removed and scrubbed away: %q", said)
	}

	folder := filepath.Join(h.dir, "folder")
	h.run("store", "move", url, folder, "--yes")
	server.kill()
	h.run("--store", folder, "doctor", "--all")
	back := database.Database(t)
	h.run("store", "move", folder, back, "--yes", "--home", filepath.Join(h.dir, "again"))
	h.settings = []string{"SATCHEL_STORE=" + pgtest.Program(t, back), "SATCHEL_HOME=" + filepath.Join(h.dir, "again")}
	h.run("doctor", "--all")
	if said := h.run("--owner", "ada", "list"); !strings.Contains(said, "cello") {
		t.Errorf("after moving out and in ada keeps %q", said)
	}
}

// owned returns the DID of an owner with a label.
func (h *home) owned(label string) string {
	h.Helper()
	var list struct {
		Owners []struct{ Owner, Label string }
	}
	if err := json.Unmarshal([]byte(h.run("owner", "list", "--json")), &list); err != nil {
		h.Fatal(err)
	}
	for _, o := range list.Owners {
		if o.Label == label {
			return o.Owner
		}
	}
	h.Fatalf("nobody is called %s", label)
	return ""
}
