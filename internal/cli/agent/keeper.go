package agent

import (
	"cmp"
	"crypto/ed25519"
	"crypto/rand"
	"os"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/memory"
)

// Keeper returns the service for the agents and checkpoints in the store. platform is the
// audience of migration tokens, and url its public address; empty: none. What runs have here
// is what the owner has set up for them.
func Keeper(o *cli.Session, a *cli.App, platform, url string, change ...func(*agents.Options)) (*agents.Service, error) {
	s, err := runTables(o, a, RunFiles{})
	if err != nil {
		return nil, err
	}
	return keeperWith(o, a, platform, url, append([]func(*agents.Options){running(s), requiring(o.Home)}, change...)...)
}

// keeperWith is Keeper for other settings for runs.
func keeperWith(o *cli.Session, a *cli.App, platform, url string, change ...func(*agents.Options)) (*agents.Service, error) {
	settings := agents.Options{
		Vault: o.Vault, Now: a.Now, Random: rand.Reader, Release: cli.Release(), URL: url, Signer: o.Key,
		Platform: cmp.Or(platform, o.Config.CurrentProducer().Name), Own: []string{o.Config.CurrentProducer().Name},
		OwnKeys: func(owner memory.DID) []ed25519.PublicKey { return tokenKeys(o, owner) },
	}
	for _, c := range change {
		c(&settings)
	}
	return agents.New(settings)
}

// withKeeper opens the store, calls do with its keeper of agents, and closes it.
func withKeeper(a *cli.App, need cli.Access, do func(*cli.Session, *agents.Service) error) error {
	return a.With(need, func(o *cli.Session) error {
		s, err := Keeper(o, a, "", "")
		if err != nil {
			return err
		}
		return do(o, s)
	})
}

// environmentSecrets returns the environment values whose names mark them as secret. No
// checkpoint leaves with them (AAIF-12-3).
func environmentSecrets() []string {
	var secrets []string
	for _, setting := range os.Environ() {
		name, value, _ := strings.Cut(setting, "=")
		name = strings.ToUpper(name)
		isOne := slices.ContainsFunc([]string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSPHRASE", "CREDENTIAL"}, func(part string) bool { return strings.Contains(name, part) })
		if isOne && len(value) >= leastSecret {
			secrets = append(secrets, value)
		}
	}
	return secrets
}

// leastSecret is the fewest bytes of such a value. A shorter one occurs in texts by
// chance.
const leastSecret = 8
