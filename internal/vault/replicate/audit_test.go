package replicate_test

import (
	"testing"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/vault/replicate"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// TestMachinesInTheAuditLog: a machine that joins, gets another name or is removed is an entry in
// the owner's log, on the machine where the owner does it and on those that learn of it.
func TestMachinesInTheAuditLog(t *testing.T) {
	all := machines(t, 2, embedded)
	here, there := all[0], all[1]
	entry := replica.Machine{ID: vaulttest.Seeded(t, 120).DID(), Name: "garden", Added: vaulttest.Start()}
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
