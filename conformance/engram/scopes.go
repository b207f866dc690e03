package engramsuite

import (
	"errors"
	"fmt"
	"slices"

	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/engram"
)

func scopeChecks() []check {
	return []check{
		{"ENGRAM-3.9-SCOPE-1", func(r *run) error {
			for _, s := range engram.Scopes() {
				d, err := r.get("?scope=" + string(s)).document()
				if err != nil {
					return err
				}
				if d.Scope != s {
					return fmt.Errorf("scope %s answers with scope %q", s, d.Scope)
				}
			}
			return nil
		}},
		{"ENGRAM-3.9-SCOPE-2", func(r *run) error { return second(r.verified("?scope=minimal")) }},
		{"ENGRAM-3.9-SCOPE-3", refuses(engram.InvalidScope, "scope=work", "scope=", "scope=full&scope=minimal")},
		{"ENGRAM-3.9-SCOPE-4", func(r *run) error {
			d, err := r.get("?scope=custom&categories=health").document()
			if err == nil && d.Scope != engram.Custom {
				err = fmt.Errorf("scope custom answers with scope %q", d.Scope)
			}
			return conformance.First(err, r.get("?scope=custom").refused(engram.InvalidScope))
		}},
		{"ENGRAM-3.9-SCOPE-5", refuses(engram.InvalidScope, "scope=Professional")},
		{"ENGRAM-3.9-CAT-1", func(r *run) error {
			return conformance.First(r.holds("?categories=communication&categories=work_style", engram.Communication, engram.WorkStyle),
				r.holds("?categories=projects", engram.Projects))
		}},
		{"ENGRAM-3.9-CAT-2", func(r *run) error {
			d, err := r.get("?categories=communication&categories=work_style").document()
			if err == nil && (d.Scope != engram.Custom || d.Definition == nil || !slices.Equal(d.Definition.Included, []engram.Category{engram.Communication, engram.WorkStyle})) {
				err = errors.New("the scope is not custom, or its definition not what was asked for")
			}
			return err
		}},
		{"ENGRAM-3.9-CAT-3", refuses(engram.InvalidRequest, "categories=communication,work_style")},
		{"ENGRAM-3.9-CAT-4", refuses(engram.InvalidRequest, "categories=foo", "categories=")},
		{"ENGRAM-3.9-CAT-5", func(r *run) error {
			return conformance.First(r.holds("?scope=professional&categories=values", engram.Values),
				r.get("?scope=professional&categories=health").refused(engram.InvalidScope))
		}},
		{"ENGRAM-3.9-CAT-6", func(r *run) error { return r.closed("?categories=work_style") }},
		{"ENGRAM-3.7-9", func(r *run) error { return r.holds("?scope=full", engram.Categories()...) }},
		{"ENGRAM-3.7-10", standard(engram.Professional)},
		{"ENGRAM-3.7-11", standard(engram.Personal)},
		{"ENGRAM-3.7-12", standard(engram.Financial)},
		{"ENGRAM-3.7-13", standard(engram.Minimal)},
		{"ENGRAM-3.7-14", func(r *run) error {
			return r.holds("?categories=health&categories=values", engram.Health, engram.Values)
		}},
		{"ENGRAM-3.7-16", func(r *run) error { return r.closed("?scope=professional") }},
		{"ENGRAM-3.7-17", func(r *run) error { return r.closed("?scope=personal") }},
		{"ENGRAM-3.7-19", narrowIdentity},
		{"ENGRAM-3.7-21", func(r *run) error {
			whole, err := r.verified("?scope=full")
			if err != nil {
				return err
			}
			part, err := r.verified("?scope=minimal")
			if err == nil && part.Signature == whole.Signature {
				err = errors.New("the scoped export has the signature of the whole")
			}
			return err
		}},
		{"ENGRAM-3.4-31", func(r *run) error {
			for _, s := range []engram.Scope{engram.Professional, engram.Personal, engram.Minimal} {
				if err := standard(s)(r); err != nil {
					return err
				}
			}
			return nil
		}},
	}
}

func second[T any](_ T, err error) error { return err }

// refuses tries queries that the store must refuse with a code.
func refuses(code engram.Code, queries ...string) func(*run) error {
	return func(r *run) error {
		for _, q := range queries {
			if err := r.get("?" + q).refused(code); err != nil {
				return err
			}
		}
		return nil
	}
}

func standard(s engram.Scope) func(*run) error {
	return func(r *run) error { return r.holds("?scope="+string(s), s.Categories()...) }
}

// holds compares the categories of a context with the expected ones. The context must have
// the run's own beliefs; without hands, the matching beliefs of the whole context.
func (r *run) holds(query string, categories ...engram.Category) error {
	err := r.state()
	if err != nil && !conformance.IsSkipped(err) {
		return err
	}
	d, err := r.get(query).document()
	if err != nil {
		return err
	}
	if err := r.only(query, d, categories); err != nil || r.Hands != nil {
		return err
	}
	whole, err := r.get("").document()
	if err != nil {
		return err
	}
	return selects(query, d, whole, categories)
}

// only checks that a context has no beliefs of other categories and does have the run's
// beliefs.
func (r *run) only(query string, d engram.Document, categories []engram.Category) error {
	for _, b := range d.Beliefs {
		if (b.Status != engram.Deleted || b.Category != "") && !slices.Contains(categories, categoryOf(b)) {
			return fmt.Errorf("%s holds a belief of category %s", query, categoryOf(b))
		}
	}
	for _, category := range categories {
		if id := r.stated[category]; id != "" && !among(d.Beliefs, id) {
			return fmt.Errorf("%s lacks a belief of category %s", query, category)
		}
	}
	return nil
}

// selects checks that a part of the context has all beliefs of its categories. It ends the
// row as not tried unless the whole context has a belief to keep and one to leave out.
func selects(query string, part, whole engram.Document, categories []engram.Category) error {
	inside, outside := 0, 0
	for _, b := range whole.Beliefs {
		switch {
		case b.Status == engram.Deleted:
		case !slices.Contains(categories, categoryOf(b)):
			outside++
		case !among(part.Beliefs, b.ID):
			return fmt.Errorf("%s lacks a belief of category %s", query, categoryOf(b))
		default:
			inside++
		}
	}
	if inside == 0 || outside == 0 && len(categories) < len(engram.Categories()) {
		return conformance.Lacks("the store has no beliefs to tell " + query + " from the whole context")
	}
	return nil
}

// categoryOf returns the standard category of a belief.
func categoryOf(b engram.Belief) engram.Category {
	if b.Category.Standard() {
		return b.Category
	}
	return engram.CustomCategory
}

// history corrects a belief of each of two categories, once, to make history.
func (r *run) history() error {
	if r.Hands == nil || r.corrected {
		return nil
	}
	r.corrected = true
	for _, c := range []engram.Category{engram.Health, engram.Projects} {
		id, err := r.spareBelief(c)
		if err != nil {
			return err
		}
		if err := r.do(correct("corrected by "+r.nonce), id); err != nil {
			return err
		}
	}
	return nil
}

// closed checks that all history of a context belongs to its beliefs.
func (r *run) closed(query string) error {
	if err := r.history(); err != nil {
		return err
	}
	d, err := r.get(query).document()
	if err != nil {
		return err
	}
	has := func(id string) bool {
		return slices.ContainsFunc(d.Beliefs, func(b engram.Belief) bool { return b.ID == id })
	}
	for _, c := range d.Evolution {
		if !has(c.Belief) {
			return fmt.Errorf("%s has a change of a belief that is not there", query)
		}
	}
	for _, c := range d.Corrections {
		if !has(c.Belief) {
			return fmt.Errorf("%s has a correction of a belief that is not there", query)
		}
	}
	return nil
}

// narrowIdentity checks that some scopes show only a small part of the identity.
func narrowIdentity(r *run) error {
	for _, query := range []string{"?scope=financial", "?categories=projects"} {
		a := r.get(query)
		if err := a.Is(200); err != nil {
			return err
		}
		for _, m := range a.Value.Get("identity").Members() {
			if !slices.Contains([]string{"display_name", "timezone", "locale"}, m.Name) {
				return fmt.Errorf("%s tells %s of the identity", query, m.Name)
			}
		}
	}
	return nil
}
