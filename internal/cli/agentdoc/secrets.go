package agentdoc

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/privacy"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/keys"
)

type agentSecretsCmd struct {
	Allow agentSecretsAllowCmd `cmd:"" help:"Sign a list of texts that look like secrets and are none, each with its place."`
}

type agentSecretsAllowCmd struct {
	File    string   `arg:"" help:"The document that holds the texts, or - for standard input."`
	Pointer []string `arg:"" help:"The place of a text, as satchel agent validate shows it: /agent/tools/0/auth/header."`
	Output  string   `short:"o" required:"" help:"The file for the list. An existing list with the same key is extended." placeholder:"FILE"`
	Key     string   `help:"Sign with this key file. Default: the owner's key." placeholder:"FILE"`
}

// allowRule says that one text at one place is no secret.
type allowRule struct {
	Pointer string `json:"pointer"`
	Sum     string `json:"sha256"`
}

// Run signs rules for texts that occur in a document. Each rule holds for one text at one
// place (decision R47).
func (c *agentSecretsAllowCmd) Run(a *cli.App) error {
	if cli.IsStdout(c.Output) {
		return cli.Usagef("-o names a file")
	}
	d, err := Read(a, c.File)
	if err != nil {
		return err
	}
	rules, err := c.rules(d)
	if err != nil {
		return err
	}
	key, err := SigningKey(a, c.Key)
	if err != nil {
		return err
	}
	list, err := c.list(a, key)
	if err != nil {
		return err
	}
	items := withRules(list.Get("allow"), rules)
	list = aaif.Attest(list.With("allow", items), key)
	if err := PlaceBytes(a, c.Output, JSON(list)); err != nil {
		return err
	}
	if a.JSON {
		return a.Emit(map[string]any{"file": c.Output, "signer": key.DID(), "allowed": rules, "rules": items.Len()})
	}
	a.Say("%s signed by %s, %s in all; use them with --allow %s", cli.Plural(len(rules), "rule", "rules"), key.DID(), cli.Plural(items.Len(), "rule", "rules"), cli.Clean(c.Output))
	return nil
}

// list returns the list to extend: the existing one, if the key signed it, or an empty
// one.
func (c *agentSecretsAllowCmd) list(a *cli.App, key keys.Private) (canon.Value, error) {
	if !cli.Exists(c.Output) {
		return ObjectOf("allow", canon.Array()), nil
	}
	list, err := readTree(a, c.Output)
	if err != nil {
		return list, err
	}
	if _, err := verifyAgent(aaif.Document{Kind: aaif.ReportKind, Value: list}, PublicOf(key)); err != nil {
		return list, cli.Refusedf("%s is no list that this key has signed, or was changed since; name another file with -o", cli.Clean(c.Output))
	}
	return list, nil
}

// withRules adds the new rules to a list.
func withRules(items canon.Value, rules []allowRule) canon.Value {
	for _, r := range rules {
		if !slices.ContainsFunc(items.Items(), func(v canon.Value) bool {
			return v.Get("pointer").Text() == r.Pointer && v.Get("sha256").Text() == r.Sum
		}) {
			items = items.WithItem(items.Len(), ObjectOf("pointer", canon.String(r.Pointer), "sha256", canon.String(r.Sum)))
		}
	}
	return items
}

// rules returns rules for the texts at the pointers. It refuses a place where nothing
// looks like a secret.
func (c *agentSecretsAllowCmd) rules(d aaif.Document) ([]allowRule, error) {
	texts := map[string]string{}
	found := privacy.Secrets(d, privacy.SecretOptions{Allow: func(pointer, text string) bool {
		texts[pointer] = text
		return false
	}})
	var rules []allowRule
	for _, pointer := range c.Pointer {
		text, ok := texts[pointer]
		if !ok {
			places := "there is none in this document"
			if len(found) > 0 {
				places = "there is one at " + found[0].Path
			}
			return nil, cli.Usagef("nothing at %s looks like a secret; %s", cli.Clean(cmp.Or(pointer, `""`)), cli.Clean(places))
		}
		sum := sha256.Sum256([]byte(text))
		rules = append(rules, allowRule{pointer, hex.EncodeToString(sum[:])})
	}
	return rules, nil
}
