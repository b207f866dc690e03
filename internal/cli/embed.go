package cli

import (
	"fmt"
	"net/url"

	"github.com/zalando/go-keyring"

	"github.com/satchel-memory/satchel/internal/embed"
	"github.com/satchel-memory/satchel/internal/vault/meaning"
	"github.com/satchel-memory/satchel/memory"
)

// Meaning returns the search by meaning of the open vault.
func (o *Session) Meaning() *meaning.Service { return meaning.Of(o.Vault) }

// EmbedUser is the name under which the system's keyring has the key of a server of vectors.
// It names the server, so that the key goes to no other.
func EmbedUser(owner memory.DID, address string) string {
	host := address
	if u, err := url.Parse(address); err == nil {
		host = u.Host
	}
	return "embed " + string(owner) + " " + host
}

// dialEmbed opens the client of an owner's server of vectors, with its key.
func dialEmbed(owner memory.DID, s meaning.Settings) (meaning.Embedder, error) {
	key := ""
	var err error
	switch {
	case s.KeyFile != "":
		if key, err = FirstLine(s.KeyFile, MaxSmall); err == nil && key == "" {
			err = fmt.Errorf("the first line of %s is empty", s.KeyFile)
		}
	case s.Keyring:
		if key, err = keyring.Get(KeyringService, EmbedUser(owner, s.URL)); err != nil {
			err = fmt.Errorf("the keyring has no key for the server: %w", err)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read the key of embed: %w", err)
	}
	return embed.NewClient(s.URL, s.Model, key, s.Dim)
}
