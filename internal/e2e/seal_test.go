package e2e

import (
	"encoding/pem"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestSealingCosts seals the keys of a store with a passphrase, each guess of which costs
// scrypt's work factor 18, whatever other tests make it cost.
func TestSealingCosts(t *testing.T) {
	t.Parallel()
	h := &home{TB: t, dir: t.TempDir(), settings: []string{"SATCHEL_PASSPHRASE=quinces and kettles", "DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere"}}
	h.run("init", "--seal")
	for _, name := range []string{"owner", "store"} {
		text, err := os.ReadFile(filepath.Join(h.dir, "store", "keys", name+".key"))
		if err != nil {
			t.Fatal(err)
		}
		sealed, _ := pem.Decode(text) // the armour of age has this form
		if sealed == nil {
			t.Fatalf("the key %s is not sealed: %.40s", name, text)
		}
		if found := regexp.MustCompile(`-> scrypt \S+ (\d+)\n`).FindSubmatch(sealed.Bytes); found == nil || string(found[1]) != "18" {
			t.Errorf("the key %s: %q", name, found)
		}
	}
}
