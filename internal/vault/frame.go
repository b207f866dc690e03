package vault

import (
	"crypto/rand"
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

func (v *Vault) framed(owner memory.DID, records []memory.Record, budget int) (memory.Framed, error) {
	var f memory.Framed
	for _, r := range records {
		f.Text += r.Body.Text + "\n"
	}
	return f, nil
}

// random returns 128 random bits in base32.
func (v *Vault) random() string { return strings.ToLower(rand.Text()) }
