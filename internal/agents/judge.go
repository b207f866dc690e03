package agents

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/aaif/privacy"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/vault/agentstore"
	"github.com/satchel-memory/satchel/memory"
)

// mostWarnings is how many warnings a receipt repeats.
const mostWarnings = 100

// judgement collects the findings about a definition.
type judgement struct {
	service     *Service
	caller      memory.Caller
	doc         aaif.Document
	definition  aaif.Definition
	vouched     voucher
	newest      agentstore.KeptAgent // the kept revision of the agent; revision 0: none
	kept        aaif.Definition      // the definition of that revision
	unfit       error                // why the definition may not follow it
	negotiation aaif.Negotiation
	warnings    []string
}

// fault returns the violation of a requirement at a pointer.
func fault(code aaif.Code, rule, pointer, text string, args ...any) *codec.ParseError {
	return aaif.Violation("aaif", code, rule, pointer, text, args...)
}

// read reads a definition within the limits of an intake.
func (j *judgement) read(raw []byte) error {
	l := j.service.opt.Limits
	if int64(len(raw)) > l.Body {
		return fault(aaif.TooLarge, "7-16", "", "longer than %d bytes", l.Body)
	}
	doc, err := aaif.Read(raw, aaif.ReadOptions{Bytes: l.Body, Depth: l.Depth, Values: l.Values})
	if err != nil {
		return err
	}
	if doc.Kind != aaif.AgentKind {
		return fault(aaif.UnknownType, "7-16", "", "no definition of an agent, which is what is taken in here")
	}
	j.doc, j.definition = doc, aaif.ReadDefinition(doc.Value)
	return namable("/agent_id", "4.1-2", j.definition.ID)
}

// valid refuses violations of the schema, and unreadable expressions. Other findings
// of lint are for the author, and do not block the agent.
func (j *judgement) valid() error {
	v := j.service.validator
	if err := j.take(v.Validate(j.doc)); err != nil {
		return err
	}
	for _, p := range v.Lint(j.doc) {
		if !p.Warning && aaif.CodeOf(p) == aaif.DraftInProduction && j.service.opt.Active {
			return p
		}
		if aaif.BlocksIntake(p) {
			return p
		}
		j.warn(p.Error())
	}
	if j.service.opt.Active && j.definition.Status == aaif.Draft && j.definition.Agent.Runtime.Environment == "production" {
		return fault(aaif.DraftInProduction, "4.1-9", "/status", "a draft, and meant for production")
	}
	return j.take(j.conditions())
}

// take adds warnings to the receipt, and returns the other findings, joined.
func (j *judgement) take(found []*codec.ParseError) error {
	var refused []error
	for _, p := range found {
		if p.Warning {
			j.warn(p.Error())
		} else {
			refused = append(refused, p)
		}
	}
	return errors.Join(refused...)
}

func (j *judgement) warn(text string) {
	if len(j.warnings) < mostWarnings && !slices.Contains(j.warnings, text) {
		j.warnings = append(j.warnings, text)
	}
}

// conditions parses every expression (decision R16).
func (j *judgement) conditions() (found []*codec.ParseError) {
	for _, p := range j.service.compiler.Check(j.definition, condition.CheckOptions{Bytes: j.service.opt.Limits.Conditions}) {
		found = append(found, fault(aaif.Code(condition.CodeOf(p)), p.Rule[len("AAIF-"):], p.Path, "%v", p.Err))
	}
	return found
}

// NotEvaluated is the code of an active definition that has not passed an evaluation.
const NotEvaluated aaif.Code = "NOT_EVALUATED"

// current refuses deprecated agents, unless the caller asks for them (AAIF-4.1-8), and active
// ones that were not evaluated, where that is required (AAIF-U.I-3).
func (j *judgement) current(o aaif.IntakeOptions) error {
	if j.definition.Status == aaif.Active && j.service.opt.Evaluated != nil {
		passed, err := j.service.opt.Evaluated(j.doc.Value)
		if err != nil {
			return err
		}
		if !passed {
			return fault(NotEvaluated, "U.I-3", "/status", "active, and it has not passed an evaluation here, which is required of active agents: satchel agent eval")
		}
	}
	if j.definition.Status != aaif.Deprecated {
		return nil
	}
	if !o.Deprecated {
		return fault(aaif.AgentDeprecated, "4.1-8", "/status", "the agent is deprecated, and kept for those who have it: say that it is wanted all the same")
	}
	j.warn("the agent is deprecated [AAIF-4.1-8]")
	return nil
}

// harmless refuses inline secrets in every case (AAIF-12-3, AAIF-12-4).
func (j *judgement) harmless() error {
	return j.take(privacy.Secrets(j.doc, privacy.SecretOptions{Allow: j.service.opt.Allow}))
}

// runnable refuses a definition whose agent cannot run here, for all reasons at once.
func (j *judgement) runnable(ctx context.Context, o aaif.IntakeOptions) error {
	var reasons []error
	for _, step := range []func() error{
		func() error { return j.possible(ctx, o) },
		func() error { return j.hooked(o) },
		func() error { return j.bound(o) },
		func() error { return j.together(ctx, o) },
	} {
		err := step()
		why, refused := errors.AsType[*aaif.NotRunnableError](err)
		if err != nil && !refused {
			return err
		}
		if refused {
			reasons = append(reasons, why.Err)
		}
	}
	return notRunnable(reasons)
}

// possible checks the definition against the features in force here.
func (j *judgement) possible(ctx context.Context, o aaif.IntakeOptions) error {
	n, err := j.negotiate(ctx)
	if err != nil {
		return err
	}
	j.negotiation = n
	err = n.Err()
	switch {
	case err == nil:
		for _, line := range n.Words() {
			j.warn(line)
		}
		return nil
	case o.Keep && !n.Stale:
		for _, line := range n.Refusals() {
			j.warn("kept, cannot run here: " + line)
		}
		return nil
	}
	if n.Stale { // it would not be kept either
		return err
	}
	return &aaif.NotRunnableError{Err: err}
}

// hooked refuses hooks that are not registered, at the levels strict and regulated. At other
// levels they are off, and it warns of them (AAIF-4-21).
func (j *judgement) hooked(o aaif.IntakeOptions) error {
	e, refused := j.definition.Agent.Events, []error(nil)
	for _, h := range []struct{ member, hook string }{
		{"on_start", e.OnStart}, {"on_complete", e.OnComplete}, {"on_error", e.OnError}, {"on_tool_call", e.OnToolCall},
	} {
		if h.hook == "" || slices.Contains(j.service.opt.Hooks, h.hook) {
			continue
		}
		at, text := "/agent/events/"+h.member, fmt.Sprintf("no hook %q is registered here", aaif.Shown(h.hook))
		if j.definition.Agent.Compliance.Safety.IsStrict() && !o.Keep {
			refused = append(refused, fault(aaif.HookUnresolved, "4-21", at, "%s", text))
			continue
		}
		j.warn(fault(aaif.HookUnresolved, "4-21", at, "%s: it is off", text).Error())
	}
	return notRunnable(refused)
}

// notRunnable refuses for all reasons at once; nil without any.
func notRunnable(reasons []error) error {
	if len(reasons) == 0 {
		return nil
	}
	return &aaif.NotRunnableError{Err: errors.Join(reasons...)}
}

// lacks says why agents of a definition cannot run here, by the features in force and
// the kept agents. It also names what they would have to do without.
func (s *Service) lacks(ctx context.Context, c memory.Caller, d aaif.Definition) (cannot, off []string, err error) {
	n := aaif.Negotiate(d, s.manifest, aaif.NegotiateOptions{CustomRegion: s.opt.CustomRegion})
	missing, err := s.missing(ctx, c, d)
	return append(n.Refusals(), missing...), append(n.Disabled(), s.off(d)...), err
}

// digestOf returns the SHA-256 of the canonical form of a document.
func digestOf(v canon.Value) string {
	sum := sha256.Sum256(v.AppendCanonical(nil))
	return hex.EncodeToString(sum[:])
}
