package replicate_test

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault/replicate"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// TestMachinesInTheAuditLog: a machine that joins, gets another name or is removed is an entry in
// the owner's log, on the machine where the owner does it and on those that learn of it.
func TestMachinesInTheAuditLog(t *testing.T) {
	all := machines(t, 2, embedded)
	here, there := all[0], all[1]
	entry := replica.Machine{ID: vaulttest.Seeded(t, 120).DID(), Name: "garden", Added: vaulttest.Start()}.Proven(vaulttest.Seeded(t, 120))
	for _, step := range []struct {
		act    audit.Act
		change func()
	}{
		{audit.AddMachine, func() {}},
		{audit.NameMachine, func() { entry.Name, entry.Renamed = "shed", 1 }},
		{audit.DropMachine, func() { entry.Removed = vaulttest.Start().AddDate(0, 1, 0) }},
	} {
		step.change()
		for range 2 { // the second time says nothing new
			if err := replicate.Admit(here.Ctx, here.Vault, here.own, entry.Signed(here.House.Key)); err != nil {
				t.Fatal(err)
			}
		}
		meet(t, all)
		for _, m := range all {
			why := map[*machine]string{there: "other_machine"}[m]
			if e := m.Logged(step.act); e.Result != string(entry.ID) || e.Reason != why || e.Who != audit.Owner {
				t.Errorf("%s: %s is logged as %+v", m.Self().Name, step.act, e)
			}
			entries, err := m.Audit(m.Ctx, m.own, 0, 1000)
			if err != nil {
				t.Fatal(err)
			}
			times := 0
			for _, e := range entries {
				if e.Act == step.act && e.Result == string(entry.ID) {
					times++
				}
			}
			if times != 1 {
				t.Errorf("%s: %s is logged %d times", m.Self().Name, step.act, times)
			}
		}
	}
}

// TestACutAuditLogIsNoticed: machines keep the last head of each other's audit logs. A log that
// holds less than before is noticed: its store was put back to an earlier copy, or it was cut. What
// was on its way for long is no cut log.
func TestACutAuditLogIsNoticed(t *testing.T) {
	all := machines(t, 3, embedded)
	here, there, other := all[0], all[1], all[2]
	say := func(by *replicate.Memory) []byte {
		there.Pass(time.Minute)
		log, err := by.LogHead(there.Ctx)
		if err != nil || log == nil {
			t.Fatal(log, err)
		}
		return log
	}
	early, earlyHead := say(there.Memory), there.auditHead(t)
	path := filepath.Join(t.TempDir(), "earlier.db")
	there.copyTo(t, path)
	entry := replica.Machine{ID: vaulttest.Seeded(t, 121).DID(), Name: "garden", Added: vaulttest.Start()}.Proven(vaulttest.Seeded(t, 121))
	if err := replicate.Admit(there.Ctx, there.Vault, there.own, entry.Signed(there.House.Key)); err != nil {
		t.Fatal(err)
	}
	late := say(there.Memory)
	for _, step := range []struct {
		name string
		log  []byte
	}{
		{"an early head", early}, {"a late one", late}, {"the same", late}, {"the early one, that took another way", early},
		{"nonsense", []byte("x")}, {"the late one again", late},
	} {
		if !here.hearLog(t, there, step.log).IsZero() || !other.hearLog(t, there, step.log).IsZero() {
			t.Errorf("%s is told as a log that was cut", step.name)
		}
	}

	earlier := vaulttest.OpenAt(t, path)
	t.Cleanup(func() { _ = earlier.Store.Close() })
	earlier.Now = there.Now.Add(time.Hour)
	back, err := replicate.Of(there.Ctx, earlier.Vault, there.own.Owner, there.key.DID())
	if err != nil {
		t.Fatal(err)
	}
	cut := here.hearLog(t, there, say(back))
	if cut.IsZero() {
		t.Error("a store that was put back to an earlier copy is not noticed")
	}
	if again := here.hearLog(t, there, late); !again.Equal(cut) {
		t.Error("what was on its way before the log was cut is told as another cut")
	}

	err = there.Store.Update(there.Ctx, there.own.Owner, func(w store.Writer) error { return w.AuditKeeper().SetAuditHead(earlyHead) })
	if err != nil {
		t.Fatal(err)
	}
	if other.hearLog(t, there, say(there.Memory)).IsZero() {
		t.Error("a log that was cut is not noticed")
	}
}

// hearLog hears of another machine's log, and returns when it was last found cut.
func (m *machine) hearLog(t *testing.T, from *machine, log []byte) time.Time {
	t.Helper()
	m.Pass(time.Minute)
	if _, err := m.CheckLogHead(m.Ctx, from.key.DID(), log); err != nil {
		t.Fatal(err)
	}
	found, err := replicate.LogsCut(m.Ctx, m.Vault, m.own.Owner)
	if err != nil {
		t.Fatal(err)
	}
	return found[from.key.DID()]
}

func (m *machine) auditHead(t *testing.T) (head []byte) {
	m.view(t, func(r store.Reader) (err error) {
		head, err = r.Audit().AuditHead()
		return err
	})
	return head
}

// copyTo copies the machine's store.
func (m *machine) copyTo(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", m.Path)
	if err == nil {
		_, err = db.Exec("VACUUM INTO ?", path)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestALogThatGrewAgainIsNoticed: a log that was cut and then grew past what others had heard of it
// is noticed once the machines have told each other of their logs again, whatever its clock says.
func TestALogThatGrewAgainIsNoticed(t *testing.T) {
	for name, clock := range map[string]time.Duration{"with time": time.Hour, "with its clock set back": -10 * 365 * 24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			all := machines(t, 2, embedded)
			here, there := all[0], all[1]
			names := 0
			grow := func(m *machine, by int) {
				for range by {
					m.Pass(time.Minute)
					names++
					entry := replica.Machine{ID: vaulttest.Seeded(t, 122).DID(), Name: fmt.Sprint("shed ", names), Renamed: names, Added: vaulttest.Start()}
					if err := replicate.Admit(m.Ctx, m.Vault, m.own, entry.Proven(vaulttest.Seeded(t, 122)).Signed(m.House.Key)); err != nil {
						t.Fatal(err)
					}
				}
			}
			tell := func(from, to *machine) time.Time {
				from.Pass(time.Minute)
				log, err := from.LogHead(from.Ctx)
				if err != nil {
					t.Fatal(err)
				}
				return to.hearLog(t, from, log)
			}
			for range 3 {
				grow(there, 2)
				if !tell(there, here).IsZero() || !tell(here, there).IsZero() {
					t.Fatal("a log that grows is told as one that was cut")
				}
			}
			path := filepath.Join(t.TempDir(), "earlier.db")
			there.copyTo(t, path)
			grow(there, 5)
			if !tell(there, here).IsZero() {
				t.Fatal("a log that grows is told as one that was cut")
			}
			earlier := vaulttest.OpenAt(t, path)
			t.Cleanup(func() { _ = earlier.Store.Close() })
			earlier.Now = there.Now.Add(clock)
			again := &machine{House: earlier, key: there.key, own: there.own}
			again.restarted(t)
			grow(again, 9)
			found := false
			for range 3 {
				found = found || !tell(again, here).IsZero()
				tell(here, again)
				grow(again, 1)
			}
			if !found {
				t.Fatal("it is not noticed")
			}
			cut := tell(again, here)
			for range 3 {
				grow(again, 2)
				if tell(here, again); !tell(again, here).Equal(cut) {
					t.Error("one cut is told twice")
				}
			}
		})
	}
}
