package aimemsuite

import (
	"errors"
	"fmt"
	"github.com/satchel-memory/satchel/conformance"
	"slices"
	"strings"
)

func levelChecks() []check {
	imported := once(noOp) // both roles are judged by the same import
	return []check{
		{"AIMEM-4-2", func(r *run) error {
			return first(r.takes(r.blank().sealed()), r.takes(r.sample().sealed()), r.takes(r.embedded().sealed()),
				r.takes(sample{r.single().Without(edges).Without(entities).Without(links)}.sealed()))
		}},
		{"AIMEM-4-4", imported},
		{"AIMEM-4-5", corpus},
		{"AIMEM-4-1", imported},
		{"AIMEM-4-3", bothRoles},
	}
}

// once returns a check that is made the first time only, and then has the same result.
func once(check func(*run) error) func(*run) error {
	done, result := false, error(nil)
	return func(r *run) error {
		if !done {
			done, result = true, check(r)
		}
		return result
	}
}

// noOp imports an export into its own server.
func noOp(r *run) error {
	if err := r.takes(r.sample().sealed()); err != nil {
		return err
	}
	a := r.get(exportPath)
	if err := a.Is(200); err != nil {
		return err
	}
	got := r.send(a.Body, "")
	if err := accounts(got, a.Value); err != nil {
		return err
	}
	if got.Value.Get("inserted").Float() != 0 || got.Value.Get("updated").Float() != 0 || len(got.Value.Get("rejected").Items()) > 0 {
		return fmt.Errorf("importing an export again inserts %s, updates %s, rejects %d",
			got.Value.Get("inserted").Append(nil), got.Value.Get("updated").Append(nil), len(got.Value.Get("rejected").Items()))
	}
	v, err := r.export("")
	for _, array := range arrays() {
		if before := len(a.Value.Get(array).Items()); err == nil && len(v.Get(array).Items()) != before {
			err = fmt.Errorf("there are %d %s after importing an export with %d", len(v.Get(array).Items()), array, before)
		}
	}
	return err
}

// corpus imports one bundle for each kind of fault, and compares the status with the
// required one.
func corpus(r *run) error {
	return both(
		variants(refused("", `format`, `format="other"`, `version="2"`, `producer="Upper"`, `scope="EVERYTHING"`, `scope="SINCE"`)),
		variants(refused(chunks, `id="not-a-urn"`, `content_hash="sha256:`+strings.Repeat("0", 64)+`"`, `memory_type="rumour"`, `embedding="`+vector+`"`)),
		variants(refused(edges, `weight=1.5`, `target_id="urn:aimem:$P:nowhere"`)),
		variants(accepted("", `format="memoryai-bundle"`, `scope="DNA_ONLY"`)),
	)(r)
}

// untried returns the MUST and MUST NOT rows of either role that the run can try and that
// have no verdict.
func (r *run) untried() (missing []string) {
	judged := map[string]bool{"AIMEM-4-3": true}
	for _, result := range r.Results {
		judged[result.ID] = result.Outcome != conformance.NotTried
	}
	for _, a := range absent() {
		judged[a[0]] = true
	}
	for _, w := range rows() {
		if strings.HasPrefix(w.Keyword, "MUST") && w.Level != "L3" && !judged[w.ID] {
			missing = append(missing, w.ID)
		}
	}
	return missing
}

// bothRoles checks that no row of either role has failed.
func bothRoles(r *run) error {
	var failed []string
	for _, result := range r.Results {
		if result.Outcome == conformance.Fail && slices.Contains([]string{"L1", "L2"}, result.Level) {
			failed = append(failed, result.ID)
		}
	}
	if len(failed) > 0 {
		return errors.New("these are not kept: " + strings.Join(failed, ", "))
	}
	if missing := r.untried(); len(missing) > 0 {
		return notTried("these were not tried: " + shortened(strings.Join(missing, ", ")))
	}
	return nil
}
