package agentdoc

import (
	"cmp"
	"crypto/ed25519"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/aaif/privacy"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
)

// CheckFlags choose the registries and allow lists of a check.
type CheckFlags struct {
	RegistryDir string   `name:"registry-dir" help:"A folder of registries in JSON. Each replaces the built-in registry of its extension point." placeholder:"DIR"`
	Allow       []string `help:"A list of texts that look like secrets and are none, made by satchel agent secrets allow. May be repeated." placeholder:"FILE"`
	AllowKey    []string `name:"allow-key" help:"With --allow: the key that signed the lists, as a did:key, a file or a URL. May be repeated. Default: the owner's key." placeholder:"KEY"`
}

// Checker checks documents about agents.
type Checker struct {
	*aaif.Validator
	secrets privacy.SecretOptions
}

// Checker returns a checker of documents, by the named or the built-in registries.
func (f CheckFlags) Checker(a *cli.App) (Checker, error) {
	registries, err := f.registries(a)
	if err != nil {
		return Checker{}, err
	}
	if f.RegistryDir == "" {
		registries = nil // the standard ones, whose validator is made once
	}
	v, err := aaif.NewValidator(registries)
	if err != nil {
		return Checker{}, cli.WithStatus(cli.ExitInvalid, err)
	}
	allow, err := f.Allowed(a)
	return Checker{v, privacy.SecretOptions{Allow: allow}}, err
}

// maxRegistries is the most files that are read from a folder of registries.
const maxRegistries = 100

// registries returns the built-in registries, replaced by those of the folder
// (AAIF-13.2-1).
func (f CheckFlags) registries(a *cli.App) (aaif.Registries, error) {
	all := aaif.StandardRegistries()
	if f.RegistryDir == "" {
		return all, nil
	}
	entries, err := os.ReadDir(f.RegistryDir)
	if err != nil {
		return nil, err
	}
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return e.IsDir() || !strings.HasSuffix(e.Name(), ".json") })
	if len(entries) == 0 || len(entries) > maxRegistries {
		return nil, cli.Usagef("%s holds %s: name a folder of registries in JSON", cli.Clean(f.RegistryDir), cli.Plural(len(entries), "JSON file", "JSON files"))
	}
	for _, e := range entries {
		r, err := registryFile(a, filepath.Join(f.RegistryDir, e.Name()))
		if err != nil {
			return nil, err
		}
		all = all.With(r)
	}
	return all, nil
}

// registryFile reads a valid registry of a known extension point.
func registryFile(a *cli.App, path string) (aaif.Registry, error) {
	d, err := Read(a, path)
	if err != nil {
		return aaif.Registry{}, err
	}
	r := aaif.ReadRegistry(d.Value)
	switch {
	case d.Kind != aaif.RegistryKind:
		return r, cli.Invalidf("%s is a document of type %s, and no registry", cli.Clean(path), d.Kind)
	case !slices.Contains(aaif.Points(), r.Point):
		return r, cli.Invalidf("%s is a registry of %s, which is no extension point; there are %s", cli.Clean(path), cli.Clean(string(r.Point)), points())
	}
	if wrong := Errors(aaif.CheckRegistry(r)); len(wrong) > 0 {
		return r, cli.Invalidf("%s: %v; satchel agent registry check lists everything", cli.Clean(path), wrong[0])
	}
	return r, nil
}

func points() string {
	var names []string
	for _, p := range aaif.Points() {
		names = append(names, string(p))
	}
	return strings.Join(names, ", ")
}

// Allowed reads the lists of texts that are no secrets (decision R47).
func (f CheckFlags) Allowed(a *cli.App) (func(pointer, text string) bool, error) {
	if len(f.Allow) == 0 {
		if len(f.AllowKey) > 0 {
			return nil, cli.Usagef("--allow-key goes with --allow")
		}
		return nil, nil
	}
	trusted, err := publicKeys(a, f.AllowKey)
	if err == nil && len(f.AllowKey) == 0 {
		trusted, err = ownPublic(a)
	}
	if err != nil {
		return nil, err
	}
	var lists []func(pointer, text string) bool
	for _, path := range f.Allow {
		list, err := allowList(a, path, trusted)
		if err != nil {
			return nil, err
		}
		lists = append(lists, list)
	}
	return func(pointer, text string) bool {
		return slices.ContainsFunc(lists, func(list func(pointer, text string) bool) bool { return list(pointer, text) })
	}, nil
}

func allowList(a *cli.App, path string, trusted []ed25519.PublicKey) (func(pointer, text string) bool, error) {
	v, err := TreeFor(a, "--allow", path)
	if err != nil {
		return nil, err
	}
	if v.Get("allow").Type() != canon.TypeArray {
		return nil, cli.Invalidf("--allow %s: it has no list allow, as what satchel agent secrets allow writes has", cli.Clean(path))
	}
	list, err := privacy.AllowList(v, trusted)
	switch {
	case aaif.CodeOf(err) == aaif.SignatureMissing:
		return nil, cli.Refusedf("--allow %s: it is not signed, and such a list has to be: satchel agent secrets allow writes one that is", cli.Clean(path))
	case err != nil:
		return nil, cli.Refusedf("--allow %s: %v; name the key of whoever signed it with --allow-key", cli.Clean(path), err)
	}
	return list, nil
}

// Check reports what is wrong with a document, strictly for its author. It always looks
// for secrets and checks conditions (AAIF-5-19, AAIF-12-4).
func (j Checker) Check(d aaif.Document, strict bool) []*codec.ParseError {
	found := j.Validate(d)
	if strict {
		found = j.Lint(d)
	}
	if d.Kind == aaif.AgentKind {
		found = append(found, j.conditions(d, found, strict)...)
		if strict {
			found = append(found, unusableSchemas(aaif.ReadDefinition(d.Value))...)
		}
	}
	return append(found, privacy.Secrets(d, j.secrets)...)
}

// CheckDeparture checks a state that is about to leave: as a receiver does, and its time
// as senders have to write it (AAIF-8.1-4, decision R2).
func (j Checker) CheckDeparture(d aaif.Document) []*codec.ParseError {
	found := j.CheckState(d)
	for _, p := range j.Lint(d) {
		if p.Path == "/checkpoint_at" && !p.Warning && !slices.ContainsFunc(found, func(q *codec.ParseError) bool { return !q.Warning && q.Path == p.Path }) {
			found = append(found, p)
		}
	}
	return found
}

// conditions checks the conditions of a definition, except those that are already known
// to be wrong.
func (j Checker) conditions(d aaif.Document, known []*codec.ParseError, strict bool) []*codec.ParseError {
	wrong := func(pointer string) bool {
		return slices.ContainsFunc(known, func(p *codec.ParseError) bool {
			return !p.Warning && (p.Path == pointer || strings.HasPrefix(p.Path, pointer+"/"))
		})
	}
	compiler := condition.NewCompiler(condition.Options{ExtraLanguages: j.Languages()})
	return compiler.Check(aaif.ReadDefinition(d.Value), condition.CheckOptions{Lint: strict, Skip: wrong})
}

// parseErrors returns the violations in an error.
func parseErrors(err error) []*codec.ParseError {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []*codec.ParseError
		for _, one := range joined.Unwrap() {
			all = append(all, parseErrors(one)...)
		}
		return all
	}
	if p, ok := err.(*codec.ParseError); ok {
		return []*codec.ParseError{p}
	}
	return nil
}

// codeOf returns the code of an error about an agent.
func codeOf(err error) string {
	return cmp.Or(string(aaif.CodeOf(err)), string(condition.CodeOf(err)))
}

// requireSound refuses a document that is invalid or holds secrets, and lists why
// (AAIF-12-3). It lists what a valid document is warned of.
func (j Checker) requireSound(a *cli.App, d aaif.Document, path string) error {
	found := j.Check(d, false)
	wrong := Errors(found)
	if len(wrong) == 0 {
		tellFindings(a, found)
		return nil
	}
	if a.JSON {
		if err := a.Emit(agentVerdictOf(d, wrong)); err != nil {
			return err
		}
		return cli.Silent(cli.ExitInvalid)
	}
	tellFindings(a, wrong)
	return cli.Invalidf("%s is not valid: %s", cli.Clean(path), cli.Plural(len(wrong), "violation", "violations"))
}

// definition reads a definition that is valid and holds no secrets.
func (j Checker) definition(a *cli.App, path string) (aaif.Document, error) {
	d, err := Definition(a, path)
	if err == nil {
		err = j.requireSound(a, d, path)
	}
	return d, err
}

// definition returns a checker, and a definition that it finds valid and without secrets.
func (f CheckFlags) definition(a *cli.App, path string) (j Checker, d aaif.Document, err error) {
	if j, err = f.Checker(a); err == nil {
		d, err = j.definition(a, path)
	}
	return j, d, err
}

func tellFindings(a *cli.App, found []*codec.ParseError) {
	for _, f := range Findings(found) {
		a.Warn("%s  %s: %s [%s]", f.Code, cli.Clean(cmp.Or(f.Pointer, "the document")), cli.Clean(f.Message), f.Rule)
	}
}
