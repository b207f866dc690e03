package conform

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	aaifsuite "github.com/satchel-memory/satchel/conformance/aaif"
	"github.com/satchel-memory/satchel/internal/cli"
)

// shownRun is the result of the last complete run of conformance aaif against the store's
// own server: the server's published report rests on it (AAIF-6-19).
type shownRun struct {
	Platform string    `json:"platform"`
	Release  string    `json:"release"`
	InForce  string    `json:"in_force"`
	Corpus   string    `json:"corpus"`
	Passed   int       `json:"passed"`
	Total    int       `json:"total"`
	RanAt    time.Time `json:"ran_at"`
	Rows     []string  `json:"rows"` // that passed
}

// keepShown keeps a run's result, good or bad, unless the run tested another platform or
// only some rows.
func (c *conformanceAAIFCmd) keepShown(a *cli.App, s aaifsuite.Summary, began time.Time) error {
	if !c.Own || len(c.Only) > 0 {
		return nil
	}
	h, _, err := a.ExistingStore()
	if err != nil {
		return err
	}
	suite := s.Suite(began.UTC().Truncate(time.Second))
	if err := cli.WriteJSON(h.Shown(), shownRun{s.Platform, cli.Release(), s.InForce, suite.Corpus, suite.Passed, suite.Total, suite.RanAt, s.Shown()}); err != nil {
		return err
	}
	if suite.Passed == suite.Total {
		a.Say("%s/.well-known/aaif-conformance.json tells of this run now", cli.Clean(c.URL))
	} else {
		a.Say("no report is published: %d of the %d rows that concern it passed", suite.Passed, suite.Total)
	}
	return nil
}

// ReadShown returns a platform's results by this release; runs of other releases do not
// count. The zero Evidence: there was no run.
func ReadShown(o *cli.Session, platform string) (aaif.Evidence, error) {
	var r shownRun
	switch err := cli.ReadJSON(o.Shown(), &r); {
	case errors.Is(err, fs.ErrNotExist):
		return aaif.Evidence{}, nil
	case err != nil:
		return aaif.Evidence{}, fmt.Errorf("%w; satchel conformance aaif with --own writes it anew", err)
	}
	if r.Platform != platform || r.Release != cli.Release() || r.InForce == "" {
		return aaif.Evidence{}, nil
	}
	return aaif.Evidence{
		InForce:     r.InForce,
		Consumer:    aaif.Suite{Corpus: r.Corpus, Passed: r.Passed, Total: r.Total, RanAt: r.RanAt},
		Shown:       r.Rows,
		By:          string(o.Owner),
		GeneratedAt: r.RanAt,
	}, nil
}
