package umpsuite

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/satchel-memory/satchel/memory"
)

func hintChecks() []check {
	return []check{
		{"UMP-2.4-1", hintsOnly},
		{"UMP-2.4-2", salienceShown},
		{"UMP-2.4-3", confidenceNotInvented},
		{"UMP-2.5-1", unknownRelation},
		{"UMP-2.5-2", reservedRelations},
		{"UMP-2.5-3", relationTargets},
		{"UMP-2.5-4", danglingRelation},
		{"UMP-2.6-1", provenanceMembers},
		{"UMP-2.6-2", actorKinds},
		{"UMP-2.6-3", stamped},
		{"UMP-2.6-4", importNamesProvider},
		{"UMP-2.6-5", evidenceOrder},
		{"UMP-2.6-6", evidenceWeight},
	}
}

func hintsOnly(r *run) error {
	n, err := r.noted(`{"lifecycle":{"confidence":0,"salience":0,"decay":"at once"}}`)
	return first(err, r.finds(n.word, `{}`, []memory.ID{n.id}, nil))
}

func salienceShown(r *run) error {
	n, err := r.noted(`{"lifecycle":{"salience":0.25}}`)
	if err != nil {
		return err
	}
	hits, err := r.recall(n.word, `{}`)
	if err != nil {
		return err
	}
	at := slices.Index(idsOf(hits), n.id)
	if at < 0 {
		return errors.New("recall does not bring the record")
	}
	if got := hits[at].Get("signals").Get("salience").Float(); math.Abs(got-0.25) > 1e-6 {
		return fmt.Errorf("the signal is %v where the record states 0.25", got)
	}
	return nil
}

func confidenceNotInvented(r *run) error {
	n, err := r.plain()
	if err == nil && n.record.Get("lifecycle").Has("confidence") {
		err = errors.New("a confidence was made up")
	}
	return err
}

func unknownRelation(r *run) error {
	return r.keeps("/relations", `{"relations":[{"type":"x-foo","target":"entity:pnpm"}]}`)
}

func reservedRelations(r *run) error {
	n, err := r.plain()
	if err != nil {
		return err
	}
	for _, kind := range []string{memory.About, memory.Contradicts, memory.DependsOn, memory.DerivedFrom, memory.DuplicateOf} {
		if err := r.keeps("/relations", fmt.Sprintf(`{"relations":[{"type":%q,"target":%q}]}`, kind, n.id)); err != nil {
			return fmt.Errorf("the type %s: %w", kind, err)
		}
	}
	return nil
}

func relationTargets(r *run) error {
	return first(
		r.keeps("/relations", `{"relations":[{"type":"about","target":"entity:Pump no. 7: north"},{"type":"about","target":"urn:ump:abc"}]}`),
		r.refusesAll(memory.InvalidRecord, `{"relations":[{"type":"about","target":"http://x"}]}`, `{"relations":[{"type":"about","target":""}]}`))
}

func danglingRelation(r *run) error {
	return r.keeps("/relations", fmt.Sprintf(`{"relations":[{"type":"depends_on","target":"urn:ump:conformance%s"}]}`, r.word()))
}

func provenanceMembers(r *run) error {
	return first(
		r.keeps("/provenance/method", `{"provenance":{"actor":"a","actor_kind":"user","method":"said","source":{"ref":"turn 1"}}}`),
		r.refusesAll(memory.InvalidRecord,
			`{"provenance":{"actor_kind":"user","method":"said"}}`, `{"provenance":{"actor":"a","method":"said"}}`, `{"provenance":{"actor":"a","actor_kind":"user"}}`))
}

func actorKinds(r *run) error {
	for _, kind := range []memory.ActorKind{memory.ByUser, memory.ByAgent, memory.ByModel, memory.ByImport, memory.ByScan} {
		change := fmt.Sprintf(`{"provenance":{"actor":"a","actor_kind":%q,"method":"said","source":{"provider":"elsewhere"}}}`, kind)
		if err := r.keeps("/provenance/actor_kind", change); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	return r.refusesAll(memory.InvalidRecord, `{"provenance":{"actor":"a","actor_kind":"human","method":"said"}}`)
}

func stamped(r *run) error {
	n, err := r.plain()
	if err != nil {
		return err
	}
	p := n.record.Get("provenance")
	if p.Get("actor").Text() == "" || p.Get("method").Text() == "" || !memory.ActorKind(p.Get("actor_kind").Text()).Valid() {
		return errors.New("a draft without provenance was stored without saying who asserted it, and how")
	}
	return nil
}

func importNamesProvider(r *run) error {
	return first(
		r.keeps("/provenance/source/provider", `{"provenance":{"actor":"a","actor_kind":"import","method":"import","source":{"provider":"elsewhere"}}}`),
		r.refusesAll(memory.InvalidRecord,
			`{"provenance":{"actor":"a","actor_kind":"import","method":"import"}}`, `{"provenance":{"actor":"a","actor_kind":"import","method":"import","source":{"ref":"x"}}}`))
}

func evidenceOrder(r *run) error {
	return r.keeps("/provenance/evidence",
		`{"provenance":{"actor":"a","actor_kind":"agent","method":"concluded","evidence":[{"ref":"turn 3","weight":0.5},{"ref":"turn 1"},{"ref":"turn 2","weight":1}]}}`)
}

func evidenceWeight(r *run) error {
	const with = `{"provenance":{"actor":"a","actor_kind":"agent","method":"concluded","evidence":[{"ref":"turn 3","weight":%s}]}}`
	return r.refusesAll(memory.InvalidRecord, fmt.Sprintf(with, `"x"`), fmt.Sprintf(with, "2"), fmt.Sprintf(with, "-0.5"))
}
