package cli

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/keys"
)

// Producer is under what name bundles leave, and with which of its keys they are
// signed (AIMEM 2.3 and 5.3).
type Producer struct {
	Name       string `json:"name"`
	Generation int    `json:"generation"` // of the key, from 1
}

// CurrentProducer returns what config.json says of it. A folder of an earlier release says
// nothing.
func (c Config) CurrentProducer() Producer {
	var p Producer
	if c.Producer != nil {
		p = *c.Producer
	}
	if !aimem.IsProducer(p.Name) {
		p.Name = aimem.ProducerName(c.Owner)
	}
	p.Generation = max(p.Generation, 1)
	return p
}

// placeholders are names that stand in examples: who takes one over shares it with
// everybody who did.
func placeholders() []string {
	return []string{"memoryai-prod", "producer", "example", "example-org-home", "name", "placeholder", "conformance-test", "changeme", "satchel", "your-domain"}
}

// CheckProducer refuses a name under which bundles cannot leave; "" is none
// (AIMEM-2.3-6).
func CheckProducer(name string) error {
	switch {
	case name == "":
		return nil
	case !aimem.IsProducer(name):
		return Usagef("%q is no name for a producer: write 1 to %d of a-z, 0-9 and -, such as the domain example.org as example-org-home", Clean(name), aimem.MaxProducer)
	case slices.Contains(placeholders(), name) || strings.HasPrefix(name, "your-"):
		return Usagef("%s stands in examples, and others have it too: take a name that begins like a domain that you control, or leave --producer out", name)
	}
	return nil
}

// ProducerKey is the key that signs bundles that leave this store, whoever's they
// are. The key of the owner of the home folder has to be open.
func (o *Opened) ProducerKey() (keys.Private, error) {
	return aimem.ProducerKey(o.Key, o.Config.CurrentProducer().Generation)
}

// mostGenerations bounds how many earlier keys are derived.
const mostGenerations = 64

// ProducerKeys are the public halves of the present key and of those before it, the
// present one first: what was signed before a rotation stays this store's own.
func (o *Opened) ProducerKeys() ([]aimem.Key, error) {
	var all []aimem.Key
	now := o.Config.CurrentProducer().Generation
	for generation := now; generation > max(0, now-mostGenerations); generation-- {
		key, err := aimem.ProducerKey(o.Key, generation)
		if err != nil {
			return nil, err
		}
		all = append(all, aimem.PublicKey(key))
	}
	return all, nil
}
