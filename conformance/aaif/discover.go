package aaifsuite

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/conformance"
)

func discoverChecks() []check {
	return []check{
		{"AAIF-7-13", published},
		{"AAIF-7-14", func(r *run) error {
			if err := r.manifest.is(http.StatusOK); err != nil {
				return blocked(err)
			}
			for _, at := range []string{"/platform/capabilities", "/platform/aaif_conformance_level", "/platform/aaif_versions_supported/0", "/platform/intake_endpoint/url"} {
				if _, ok := r.manifest.Value.At(at); !ok {
					return fmt.Errorf("the manifest has no %s", at)
				}
			}
			return nil
		}},
		{"AAIF-6-1", func(r *run) error {
			if err := r.manifest.is(http.StatusOK); err != nil {
				return blocked(err)
			}
			if !slices.Contains(aaif.Levels(), r.offer.Platform.Level) {
				return errors.New("aaif_conformance_level is none of the seven")
			}
			return nil
		}},
		{"AAIF-6-19", func(r *run) error {
			a, err := r.report()
			if err != nil {
				return err
			}
			return a.isJSON()
		}},
		{"AAIF-6-18", func(r *run) error {
			a, err := r.report()
			if err != nil {
				return err
			}
			d, err := aaif.Read(a.Body, aaif.ReadOptions{})
			if err == nil && d.Kind != aaif.ReportKind {
				err = errors.New("it is no conformance report")
			}
			return conformance.First(err, firstOf(r.validator.Validate(d)))
		}},
		{"AAIF-6-13", func(r *run) error {
			return r.eachClaim(func(c aaif.Claim) error {
				if !slices.Contains(aaif.Levels(), c.Level) || !slices.Contains([]aaif.Direction{aaif.Producer, aaif.Consumer, aaif.Both}, c.Direction) {
					return errors.New("a claim does not name a level and a direction")
				}
				return nil
			})
		}},
		{"AAIF-6-20", func(r *run) error {
			return r.eachClaim(func(c aaif.Claim) error {
				if c.Suite.Corpus == "" || c.Suite.Total < 1 || c.Suite.Passed != c.Suite.Total {
					return fmt.Errorf("the claim of %s rests on %d passed of %d", c.Level, c.Suite.Passed, c.Suite.Total)
				}
				return nil
			})
		}},
	}
}

// published checks that anybody may fetch and cache the manifest.
func published(r *run) error {
	a := r.manifest
	if err := conformance.First(a.is(http.StatusOK), a.isJSON()); err != nil {
		return err
	}
	d, err := aaif.Read(a.Body, aaif.ReadOptions{})
	if err == nil && d.Kind != aaif.ManifestKind {
		err = errors.New("it is no platform manifest")
	}
	if err := conformance.First(err, firstOf(r.validator.Validate(d))); err != nil {
		return err
	}
	tag := a.Header.Get("ETag")
	if tag == "" {
		return errors.New("the manifest has no ETag")
	}
	again := r.do(ask{method: http.MethodGet, path: manifestPath, open: true, header: http.Header{"If-None-Match": {tag}}})
	return named("whoever has it already", again.is(http.StatusNotModified))
}

// report fetches the report. A platform that claims nothing has none.
func (r *run) report() (answer, error) {
	a := r.open(reportPath)
	if a.Err == nil && a.Status == http.StatusNotFound {
		return a, conformance.NotOffered("a conformance report")
	}
	return a, a.is(http.StatusOK)
}

func (r *run) eachClaim(try func(aaif.Claim) error) error {
	a, err := r.report()
	if err != nil {
		return err
	}
	claims := aaif.ReadReport(a.Value).Claims
	if len(claims) == 0 {
		return errors.New("the report has no claims")
	}
	for _, c := range claims {
		if err := try(c); err != nil {
			return err
		}
	}
	return nil
}

// isJSON returns nil for an answer with the JSON media type.
func (a answer) isJSON() error {
	media, _, err := mime.ParseMediaType(a.Header.Get("Content-Type"))
	if err != nil || media != jsonType {
		return fmt.Errorf("%s answers with Content-Type %.60q", a.Asked, a.Header.Get("Content-Type"))
	}
	return nil
}

// firstOf returns the first violation that is no warning.
func firstOf(found []*codec.ParseError) error {
	for _, p := range found {
		if !p.Warning {
			return p
		}
	}
	return nil
}

// intakePath returns the path of the intake at the named platform. The run sends its token
// to no other platform, whatever the manifest says.
func (r *run) intakePath() string {
	u, err := url.Parse(r.offer.Platform.Intake.URL)
	if err != nil || u.Path == "" || u.Path[0] != '/' || u.RawQuery != "" {
		return agentsPath
	}
	own, err := url.Parse(r.client.Base)
	if err == nil && own.Path != "" && len(u.Path) > len(own.Path) && u.Path[:len(own.Path)+1] == own.Path+"/" {
		return u.EscapedPath()[len(own.EscapedPath()):]
	}
	return u.EscapedPath()
}
