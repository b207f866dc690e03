package cli

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/keys"
)

// Producer is the name under which bundles are exported, and the generation of the key that
// signs them (AIMEM 2.3 and 5.3).
type Producer struct {
	Name       string `json:"name"`
	Generation int    `json:"generation"` // of the key, from 1
}

// CurrentProducer returns the producer in config.json. A folder of an earlier release has
// none.
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

// placeholders are names from examples: a user who keeps one shares it with everybody else
// who did.
func placeholders() []string {
	return []string{"memoryai-prod", "producer", "example", "example-org-home", "name", "placeholder", "conformance-test", "changeme", "satchel", "your-domain"}
}

// CheckProducer refuses a name that bundles cannot have; "" is none (AIMEM-2.3-6).
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

// ProducerKey is the key that signs this store's bundles, for every owner. The key of the
// home folder's owner must be open.
func (o *Session) ProducerKey() (keys.Private, error) {
	return aimem.ProducerKey(o.Key, o.Config.CurrentProducer().Generation)
}

// mostGenerations limits how many earlier keys are derived.
const mostGenerations = 64

// ProducerKeys are the public halves of the present key and of earlier ones, the present
// one first: bundles signed before a rotation stay this store's own.
func (o *Session) ProducerKeys() ([]aimem.Key, error) {
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
