package agent

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/zalando/go-keyring"

	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/internal/access"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/pattern"
)

// runKeys finds the keys of the providers of models: in a file below the home folder, in
// the system's keyring, or in the variable that the provider's own programs read.
type runKeys struct {
	home   cli.Home
	owner  memory.DID
	env    func(string) string
	models route.Operator
}

var _ model.Keys = runKeys{}

// providerName is what a provider may be called, so that its key can lie in a file.
var providerName = pattern.New(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

// mostKey is the most bytes of a key of a provider.
const mostKey = 4 << 10

// keyVariables returns the variables of the environment that usually hold a provider's key.
func keyVariables(provider string) []string {
	usual := map[string][]string{
		"google": {"GEMINI_API_KEY", "GOOGLE_API_KEY"}, "azure_openai": {"AZURE_OPENAI_API_KEY"},
		"bedrock": {"AWS_BEARER_TOKEN_BEDROCK"}, "huggingface": {"HF_TOKEN"}, "vertex_ai": {"VERTEX_AI_ACCESS_TOKEN"},
	}
	if names, ok := usual[provider]; ok {
		return names
	}
	switch provider {
	case "openai", "anthropic", "mistral", "cohere", "groq", "together", "fireworks", "deepseek", "xai", "openrouter":
		return []string{strings.ToUpper(provider) + "_API_KEY"}
	}
	return nil // of others nothing is usual, and a definition names no variable
}

// Key implements [model.Keys].
func (k runKeys) Key(provider string) (string, error) {
	if !providerName.MatchString(provider) {
		return "", fmt.Errorf("the provider %s has no key here: its name is not one of a file", cli.OneLine(provider, 80))
	}
	key, err := k.inFile(provider)
	if key != "" || err != nil {
		return key, err
	}
	if key, err := keyring.Get(cli.KeyringService, modelUser(k.owner, provider)); err == nil && key != "" {
		return key, nil
	}
	names := keyVariables(provider)
	for _, name := range names {
		if key := strings.TrimSpace(k.env(name)); key != "" {
			return key, nil
		}
	}
	if k.needsNone(provider) {
		return "", nil
	}
	or := ""
	if len(names) > 0 {
		or = ", or set " + names[0]
	}
	return "", fmt.Errorf("there is no key for the provider %s: satchel agent key %s keeps one%s", provider, provider, or)
}

// inFile returns the key in the provider's file, "" if there is no such file.
func (k runKeys) inFile(provider string) (string, error) {
	path := runPath(k.home, runKeyDir, provider)
	raw, err := ownFile(path, "others can read the key in %s: chmod 600 it, and have the provider issue another key if somebody may have read it")
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(raw), "\n")
	if line = strings.TrimSpace(line); line == "" {
		err = fmt.Errorf("the first line of %s is empty; satchel agent key %s writes it", path, provider)
	}
	return line, err
}

// ownFile reads a short file that only its owner can read; [fs.ErrNotExist] if there is
// none. advice is the refusal of a file that others can read, with its path as %s.
func ownFile(path, advice string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if access.OpenToOthers(path, info) {
		return nil, cli.Refusedf(advice, path)
	}
	return cli.ReadBounded(path, mostKey)
}

// needsNone reports whether a provider is asked on this machine, and so without a key.
func (k runKeys) needsNone(provider string) bool {
	for _, p := range k.models.Providers {
		if p.Name == provider && p.BaseURL != "" {
			return isHere(p.BaseURL)
		}
	}
	return provider == "ollama"
}

// modelUser is the name under which the system's keyring has the key of a provider.
func modelUser(owner memory.DID, provider string) string {
	return "model " + string(owner) + " " + provider
}

type agentKeyCmd struct {
	Provider string `arg:"" help:"The provider of models, as definitions name it, such as openai or anthropic."`
	Keyring  bool   `help:"Keep the key in the system's keyring. Default: in a file that only you can read, run/keys/PROVIDER in the store's folder."`
	Remove   bool   `help:"Remove the key, from the file and from the keyring."`
}

// Run keeps the key of a provider, which it reads from the terminal or from standard input.
func (c *agentKeyCmd) Run(a *cli.App) error {
	if !providerName.MatchString(c.Provider) {
		return cli.Usagef("%s is no name of a provider, such as openai", cli.OneLine(c.Provider, 80))
	}
	if c.Remove && c.Keyring {
		return cli.Usagef("--remove removes the key wherever it is; leave --keyring out")
	}
	h, config, err := a.ExistingStore()
	if err != nil {
		return err
	}
	path := runPath(h, runKeyDir, c.Provider)
	if c.Remove {
		return c.remove(a, path, config.Owner)
	}
	key, err := c.read(a)
	if err != nil {
		return err
	}
	where := path
	if c.Keyring {
		where = "the keyring"
		if err := keyring.Set(cli.KeyringService, modelUser(config.Owner, c.Provider), key); err != nil {
			return fmt.Errorf("the keyring does not take the key: %w; without --keyring it lies in %s", err, path)
		}
	} else if err := putRunFile(path, []byte(key+"\n")); err != nil {
		return err
	}
	if a.JSON {
		return a.Emit(map[string]any{"provider": c.Provider, "keyring": c.Keyring, "file": where})
	}
	a.Print("the key of %s is kept in %s", c.Provider, cli.Clean(where))
	return nil
}

func (c *agentKeyCmd) read(a *cli.App) (key string, err error) {
	if a.Interactive() {
		key, err = a.Secret("Key of " + c.Provider)
	} else {
		key, err = a.Line()
	}
	if key = strings.TrimSpace(key); err == nil && key == "" {
		err = cli.Usagef("the key is empty; write it on standard input: satchel agent key %s < FILE", c.Provider)
	}
	return key, err
}

func (c *agentKeyCmd) remove(a *cli.App, path string, owner memory.DID) error {
	err := os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	failed := keyring.Delete(cli.KeyringService, modelUser(owner, c.Provider))
	if failed != nil && !errors.Is(failed, keyring.ErrNotFound) {
		a.Detail("the keyring cannot be asked: %v", failed)
	}
	if err == nil && a.JSON {
		return a.Emit(map[string]any{"provider": c.Provider, "removed": true})
	}
	if err == nil {
		a.Print("no key of %s is kept here", c.Provider)
	}
	return err
}

// putRunFile writes a file for runs, wholly or not at all, which only its owner can read.
func putRunFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return cli.PlaceAs(path, 0o600, nil, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
