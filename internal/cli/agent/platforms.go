package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/agentdoc"
)

// Platforms are the names that platforms go by to whom runs were sent, by the origin of
// their addresses. A migration token names a platform and no address. A server at another
// address that claimed the same name could use the token at that platform (AAIF-8.2-8).
type Platforms map[string]string

// ReadPlatforms reads the names of platforms that were remembered, by origin.
func ReadPlatforms(h cli.Home) (Platforms, error) {
	return readKnown[Platforms](platformsFile(h))
}

// readKnown reads what is remembered by name in a file of the home folder; nothing is, if
// there is no file.
func readKnown[M ~map[string]V, V any](file string) (M, error) {
	known := M{}
	err := cli.ReadJSON(file, &known)
	if errors.Is(err, fs.ErrNotExist) {
		return known, nil
	}
	return known, err
}

// changeKnown changes what is remembered by name in a file of the home folder. change reports
// whether it changed anything. Programs that change the file at once take turns.
func changeKnown[M ~map[string]V, V any](file string, change func(known M) (changed bool, err error)) error {
	return cli.InTurn(file, func() error {
		known, err := readKnown[M](file)
		if err != nil {
			return err
		}
		if changed, err := change(known); err != nil || !changed {
			return err
		}
		return cli.WriteJSON(file, known)
	})
}

// RememberPlatform stores a name for an origin. If there are too many, it drops some;
// their age is unknown.
func RememberPlatform(h cli.Home, origin, name string) error {
	return changeKnown(platformsFile(h), func(known Platforms) (bool, error) {
		if known[origin] == name {
			return false, nil
		}
		known[origin] = name
		for _, old := range slices.Sorted(maps.Keys(known)) {
			if agentdoc.IsSmall(known) {
				break
			}
			if old != origin {
				delete(known, old)
			}
		}
		return true, nil
	})
}

// checkName decides whether a platform may go by its name. The platform passes if it had this
// name when a run was last sent to it. expects refuses another name, and a name that another
// platform has. For a new name it asks the person at the terminal, if there is one.
func (m *migration) checkName(origin, name string) error {
	known, err := ReadPlatforms(m.opened.Home)
	if err != nil {
		return err
	}
	elsewhere := ""
	for _, other := range slices.Sorted(maps.Keys(known)) {
		if other != origin && known[other] == name {
			elsewhere = other
		}
	}
	quoted := fmt.Sprintf("%q", cli.OneLine(name, 80))
	const instead = "a token for that name could be used there; if you know that it is right: --audience"
	switch was, ok := known[origin]; {
	case ok && was == name:
		return nil
	case ok:
		return cli.Refusedf("%s: %s now calls itself %s, and was %q when a run went there: %s", aaif.TokenAudience, cli.Clean(origin), quoted, cli.OneLine(was, 80), instead)
	case elsewhere != "":
		return cli.Refusedf("%s: %s calls itself %s, which is what %s is called: %s", aaif.TokenAudience, cli.Clean(origin), quoted, cli.Clean(elsewhere), instead)
	case name == m.opened.CurrentProducer().Name:
		return cli.Refusedf("%s: %s calls itself %s, as you do here; if that is your own server, --audience %s sends it there, and if it is not, somebody goes by your name",
			aaif.TokenAudience, cli.Clean(origin), quoted, cli.OneLine(name, 80))
	case m.app.Interactive():
		yes, err := m.app.Confirm(fmt.Sprintf("%s calls itself %s. Is that the platform you mean?", cli.Clean(origin), quoted))
		if err == nil && !yes {
			err = cli.Refusedf("nothing left")
		}
		return err
	}
	m.app.Say("%s calls itself %s: that is remembered once it has the run, and another name or another address of that name is refused; --audience says which is meant", cli.Clean(origin), quoted)
	return nil
}

// warnTokenUsed says what may happen with the token of a state that was sent without
// confirmation.
func (m *migration) warnTokenUsed() {
	m.app.Warn("its token may have left with it, and whoever has that can bring the run to %s until %s: ask there before it goes on anywhere", cli.OneLine(m.to, 80), cli.Local(m.expires))
}

func platformsFile(h cli.Home) string { return filepath.Join(h.Dir, "aaif-platforms.json") }
