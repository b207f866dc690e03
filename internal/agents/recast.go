package agents

import (
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/vault/agentstore"
)

// recasting applies a policy for personal data to checkpoints that are kept already,
// whatever policy was in force when they arrived (AAIF-12-10). Under anonymize it
// stores them in the form in which they are read from then on. Under reject it
// removes checkpoints with personal data. nil: the policy changes none.
func recasting(pii aaif.PII) *agentstore.Recasting {
	if pii.Stricter(aaif.PIIAnonymize) != pii {
		return nil
	}
	return &agentstore.Recasting{Rules: func(revision func(int64) (agentstore.KeptAgent, error)) func(agentstore.KeptState) (agentstore.Recast, error) {
		look := readOnce(revision)
		return func(s agentstore.KeptState) (agentstore.Recast, error) {
			newest, err := look(0)
			if err != nil {
				return agentstore.Recast{}, err
			}
			rules, err := rulesFor(newest, &s, look)
			if err != nil {
				return agentstore.Recast{}, err
			}
			return recast(s, rules.PII)
		}
	}}
}

// readOnce looks up and parses each revision once, since every checkpoint that
// arrived before needs them. It holds only the policy of a definition.
func readOnce(look func(int64) (agentstore.KeptAgent, error)) func(int64) (revisionRules, error) {
	seen := map[int64]revisionRules{}
	return func(revision int64) (revisionRules, error) {
		if r, known := seen[revision]; known {
			return r, nil
		}
		a, err := look(revision)
		if err != nil {
			return revisionRules{}, err
		}
		said, err := rulesOf(a)
		rules := aaif.Compliance{PII: aaif.PII(strings.Clone(string(said.PII)))}
		a.Document = nil
		r := revisionRules{a, func() (aaif.Compliance, error) { return rules, err }}
		seen[revision] = r
		return r, nil
	}
}

// recast applies a policy to a kept checkpoint.
func recast(s agentstore.KeptState, pii aaif.PII) (agentstore.Recast, error) {
	v, err := documentOf(s.Document)
	if err != nil {
		return agentstore.Recast{}, err
	}
	hidden, masked, err := ByPolicy(v, pii)
	switch {
	case aaif.CodeOf(err) == aaif.PIIRejected:
		return agentstore.Recast{Drop: true}, nil
	case err != nil || masked == "":
		return agentstore.Recast{}, err
	}
	return agentstore.Recast{Document: hidden.AppendCanonical(nil)}, nil
}

// recastWords describes what happened to the kept checkpoints, or would happen.
func recastWords(done *agentstore.Recasting, dry bool) (lines []string) {
	if done == nil {
		return nil
	}
	say := func(ids []string, was, would, why string) {
		if dry {
			was = would
		}
		if len(ids) > 0 {
			lines = append(lines, fmt.Sprintf("%s: %s; %s [AAIF-12-10]", was, someOf(ids), why))
		}
	}
	say(done.Dropped, "checkpoints that were kept are removed", "checkpoints that are kept would be removed",
		"they identify people, which this definition rejects")
	say(done.Changed, "what identifies people was replaced in checkpoints that are kept", "what identifies people would be replaced in checkpoints that are kept",
		"as this definition wants it")
	return lines
}

// someOf lists the first ids.
func someOf(ids []string) string {
	const most = 10
	var shown []string
	for _, id := range ids[:min(len(ids), most)] {
		shown = append(shown, aaif.Shown(id))
	}
	if more := len(ids) - most; more > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(shown, ", ")
}
