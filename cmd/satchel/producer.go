package main

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/keys"
)

// producer is under what name bundles leave, and with which of its keys they are
// signed (AIMEM 2.3 and 5.3).
type producer struct {
	Name       string `json:"name"`
	Generation int    `json:"generation"` // of the key, from 1
}

// producer returns what config.json says of it. A folder of an earlier release says
// nothing.
func (c config) producer() producer {
	var p producer
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

// checkProducer refuses a name under which bundles cannot leave; "" is none
// (AIMEM-2.3-6).
func checkProducer(name string) error {
	switch {
	case name == "":
		return nil
	case !aimem.IsProducer(name):
		return usagef("%q is no name for a producer: write 1 to %d of a-z, 0-9 and -, such as the domain example.org as example-org-home", clean(name), aimem.MaxProducer)
	case slices.Contains(placeholders(), name) || strings.HasPrefix(name, "your-"):
		return usagef("%s stands in examples, and others have it too: take a name that begins like a domain that you control, or leave --producer out", name)
	}
	return nil
}

// producerKey is the key that signs bundles that leave this store, whoever's they
// are. The key of the owner of the home folder has to be open.
func (o *opened) producerKey() (keys.Private, error) {
	return aimem.ProducerKey(o.key, o.config.producer().Generation)
}

// mostGenerations bounds how many earlier keys are derived.
const mostGenerations = 64

// producerKeys are the public halves of the present key and of those before it, the
// present one first: what was signed before a rotation stays this store's own.
func (o *opened) producerKeys() ([]aimem.Key, error) {
	var all []aimem.Key
	now := o.config.producer().Generation
	for generation := now; generation > max(0, now-mostGenerations); generation-- {
		key, err := aimem.ProducerKey(o.key, generation)
		if err != nil {
			return nil, err
		}
		all = append(all, aimem.PublicKey(key))
	}
	return all, nil
}
