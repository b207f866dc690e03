package vault_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/agentstore"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	bundles "github.com/satchel-memory/satchel/internal/vault/bundle"
	"github.com/satchel-memory/satchel/internal/vault/edition"
	"github.com/satchel-memory/satchel/internal/vault/health"
	"github.com/satchel-memory/satchel/internal/vault/rekey"
	"github.com/satchel-memory/satchel/internal/vault/trust"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// walled is a vault over a store, one owner of two who live there, and a record of
// each.
type walled struct {
	*house
	key       keys.Private
	who       memory.Caller
	own       memory.ID
	theirs    memory.ID
	neighbour memory.DID
}

// visit is one method of the vault, called for the owner. What it returns is looked
// through for the words of the other.
type visit struct {
	name string
	call func(w *walled) (any, error)
}

// belief is the id of a belief of the other's.
func (w *walled) belief() string { return engram.IDFrom("engram-ump:" + string(w.theirs)) }

func visiting[T any](name string, call func(w *walled) (T, error)) visit {
	return visit{name, func(w *walled) (any, error) { return call(w) }}
}

func doing(name string, call func(w *walled) error) visit {
	return visit{name, func(w *walled) (any, error) { return nil, call(w) }}
}

// visits are all methods, those that make away with something at the end.
var visits = []visit{
	doing("Open", func(w *walled) error { return w.Vault.Open(w.Ctx, w.who.Owner) }),
	visiting("Admit", func(w *walled) (memory.Caller, error) { return w.Admit(w.Ctx, vaulttest.TokenOf(w.T, w.key, true)) }),
	visiting("Capabilities", func(w *walled) (memory.Capabilities, error) { return w.Capabilities(w.Ctx, w.who) }),
	visiting("Remember", func(w *walled) (memory.RememberResult, error) {
		return w.Remember(w.Ctx, w.who, memory.Draft{Key: "k", Record: memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: "another pear"}}})
	}),
	visiting("Recall", func(w *walled) ([]memory.Hit, error) {
		return w.Recall(w.Ctx, w.who, memory.Query{Text: "who likes quinces?"})
	}),
	visiting("RecallNoting", func(w *walled) ([]memory.Hit, error) {
		hits, _, err := w.RecallNoting(w.Ctx, w.who, memory.Query{Text: "who likes quinces?"})
		return hits, err
	}),
	visiting("Rehydrate", func(w *walled) (memory.Frame, error) {
		return w.Rehydrate(w.Ctx, w.who, memory.Query{Text: "who likes quinces?"})
	}),
	visiting("Brief", func(w *walled) (vault.Brief, error) {
		return w.Brief(w.Ctx, w.who, vault.BriefQuery{Project: "orchard"})
	}),
	visiting("Get", func(w *walled) (memory.Record, error) { return w.Get(w.Ctx, w.who, w.theirs, memory.CurrentView) }),
	visiting("History", func(w *walled) ([]memory.Record, error) { return w.History(w.Ctx, w.who, w.theirs) }),
	visiting("Find", func(w *walled) (memory.ID, error) { return w.Find(w.Ctx, w.who, string(w.theirs[:12])) }),
	visiting("ShortIDs", func(w *walled) (map[memory.ID]string, error) { return w.ShortIDs(w.Ctx, w.who, []memory.ID{w.theirs}) }),
	visiting("Relating", func(w *walled) ([]memory.Record, error) { return w.Relating(w.Ctx, w.who, string(w.theirs)) }),
	visiting("List", func(w *walled) (vault.Page, error) { return w.List(w.Ctx, w.who, vault.ListQuery{}) }),
	visiting("Projects", func(w *walled) ([]vault.ProjectInfo, error) { return w.Projects(w.Ctx, w.who, time.Time{}) }),
	doing("AliasProject", func(w *walled) error { return w.AliasProject(w.Ctx, w.who, "o", "orchard") }),
	visiting("Changes", func(w *walled) (any, error) {
		events, next, err := w.Changes(w.Ctx, w.who, memory.Subscription{})
		return []any{events, next}, err
	}),
	doing("Await", func(w *walled) error { return w.Await(w.Ctx, w.who, 0) }),
	visiting("State", func(w *walled) (int64, error) {
		state, _, err := w.State(w.Ctx, w.who)
		return state, err
	}),
	visiting("Twins", func(w *walled) ([]belief.Twin, error) { return w.Twins(w.Ctx, w.who) }),
	visiting("Context", func(w *walled) (engram.View, error) { return w.Context(w.Ctx, w.who, engram.Query{}) }),
	visiting("ExportContext", func(w *walled) (view engram.View, err error) {
		err = w.ExportContext(w.Ctx, w.who, engram.Query{}, func(v engram.View) error { view = v; return nil })
		return view, err
	}),
	visiting("Diff", func(w *walled) (engram.Delta, error) {
		return w.Diff(w.Ctx, w.who, engram.Query{}, vaulttest.Start().AddDate(-1, 0, 0))
	}),
	visiting("Head", func(w *walled) (int64, error) { return w.Head(w.Ctx, w.who) }),
	visiting("Export", func(w *walled) (any, error) {
		var all []memory.Record
		report, err := w.Export(w.Ctx, w.who, vault.ExportQuery{}, func(r memory.Record) error { all = append(all, r); return nil })
		return []any{all, report}, err
	}),
	visiting("Import", func(w *walled) (vault.ImportReport, error) {
		return w.Import(w.Ctx, w.who, vaulttest.Document(w.T, `{"ump":"0.1","records":[]}`), vault.ImportOptions{Name: "x"})
	}),
	visiting("Suggest", func(w *walled) (vault.Suggested, error) {
		found := memory.Record{
			Kind: memory.Semantic, Body: memory.Body{Text: "likes quinces"}, Scope: memory.Scope{Owner: w.who.Owner},
			Provenance: &memory.Provenance{Actor: string(w.who.Owner), ActorKind: memory.ByImport, Method: "distill"},
		}
		return w.Suggest(w.Ctx, w.who, []memory.Record{found}, false)
	}),
	visiting("Waiting", func(w *walled) ([]memory.Record, error) { return w.Waiting(w.Ctx, w.who) }),
	visiting("Spoken", func(w *walled) (any, error) {
		var all []memory.Record
		err := w.Spoken(w.Ctx, w.who, vault.Sessions{}, func(_ string, records []memory.Record) error { all = append(all, records...); return nil })
		return all, err
	}),
	visiting("KeepAgent", func(w *walled) (any, error) {
		a, _, err := w.KeepAgent(w.Ctx, w.who, agentstore.AgentDraft{KeptAgent: agentstore.KeptAgent{ID: "orchard", Digest: "d", Came: "d", Name: "pears", Document: []byte("{}")}})
		return a, err
	}),
	doing("MayKeepAgents", func(w *walled) error { return w.MayKeepAgents(w.who, true) }),
	visiting("KeptAgent", func(w *walled) (agentstore.KeptAgent, error) { return w.Agents.KeptAgent(w.Ctx, w.who, "quince", 0) }),
	visiting("KeptAgents", func(w *walled) ([]agentstore.KeptAgent, error) { return w.KeptAgents(w.Ctx, w.who, "", 9) }),
	visiting("FollowAgents", func(w *walled) (list []agentstore.KeptAgent, err error) {
		_, err = w.FollowAgents(w.Ctx, w.who, []string{"quince", "orchard"}, 9, func(a agentstore.KeptAgent) ([]string, error) {
			list = append(list, a)
			return nil, nil
		})
		return list, err
	}),
	doing("RejectAgent", func(w *walled) error {
		return w.RejectAgent(w.Ctx, w.who, "orchard", "UNSATISFIED_CAPABILITIES", []string{"tool.mcp"})
	}),
	doing("TokenSpent", func(w *walled) error {
		return w.TokenSpent(w.Ctx, w.who, agentstore.SpentToken{Issuer: "quince", JTI: "1"})
	}),
	visiting("ReceiveState", func(w *walled) (agentstore.KeptState, error) {
		return w.ReceiveState(w.Ctx, w.who, agentstore.Landing{State: agentstore.KeptState{ID: "x", Agent: "quince"}, Token: agentstore.SpentToken{Issuer: "i", JTI: "2", Until: vaulttest.Start()}, Revision: 1,
			Same: func([]byte) bool { return true }})
	}),
	visiting("KeptState", func(w *walled) (agentstore.KeptState, error) { return w.Agents.KeptState(w.Ctx, w.who, "quince") }),
	visiting("HandState", func(w *walled) (agentstore.KeptState, error) { return w.Agents.HandState(w.Ctx, w.who, "quince") }),
	doing("SendState", func(w *walled) error {
		return w.Agents.SendState(w.Ctx, w.who, agentstore.Departure{State: "x", Agent: "quince", Way: "file", For: "elsewhere", Again: true})
	}),
	doing("DepartState", func(w *walled) error {
		return w.DepartState(w.Ctx, w.who, "x", agentstore.Departed{For: "elsewhere", To: "https://elsewhere.example"})
	}),
	visiting("KeptStates", func(w *walled) ([]agentstore.KeptState, error) {
		return w.KeptStates(w.Ctx, w.who, "", agentstore.StatePlace{}, 9)
	}),
	visiting("RemoveAgent", func(w *walled) (agentstore.Removed, error) { return w.RemoveAgent(w.Ctx, w.who, "quince") }),
	visiting("RemoveState", func(w *walled) (agentstore.Removed, error) { return w.RemoveState(w.Ctx, w.who, "quince") }),
	visiting("AgentKeys", func(w *walled) (any, error) { return w.AgentKeys(w.Ctx, w.who, "quince", "https://quince.example") }),
	visiting("Imports", func(w *walled) ([]store.Import, error) { return w.Imports(w.Ctx, w.who) }),
	visiting("UndoTelling", func(w *walled) (vault.UndoReport, error) {
		return w.UndoTelling(w.Ctx, w.who, 1, func(vault.UndoReport) {})
	}),
	visiting("PlanUndo", func(w *walled) (vault.UndoPlan, error) { return w.PlanUndo(w.Ctx, w.who, 1) }),
	visiting("Undo", func(w *walled) (vault.UndoReport, error) { return w.Undo(w.Ctx, w.who, 1) }),
	visiting("Tokens", func(w *walled) ([]store.Grant, error) { return w.Tokens(w.Ctx, w.who) }),
	visiting("MintToken", func(w *walled) (store.Grant, error) {
		_, g, err := w.MintToken(w.Ctx, w.who, vault.TokenOrder{Verbs: []memory.Verb{memory.ReadVerb}, Expires: w.Now.Add(time.Hour)})
		return g, err
	}),
	doing("RevokeToken", func(w *walled) error { return w.RevokeToken(w.Ctx, w.who, "no-such-token") }),
	visiting("Audit", func(w *walled) (any, error) { return w.Vault.Audit(w.Ctx, w.who, 0, 100) }),
	visiting("AuditHead", func(w *walled) (any, error) { return w.AuditHead(w.Ctx, w.who) }),
	visiting("AuditMark", func(w *walled) (string, error) { return w.AuditMark(w.who, string(w.own)), nil }),
	visiting("VerifyAudit", func(w *walled) (any, error) { return w.VerifyAudit(w.Ctx, w.who, nil) }),
	visiting("TryAudit", func(w *walled) (any, error) {
		return health.New(w.Vault).TryAudit(w.Ctx, w.who, func(all [][]byte) [][]byte { return all })
	}),
	visiting("Examine", func(w *walled) (string, error) { return w.Examine(w.Ctx, w.who, w.theirs) }),
	visiting("ExamineAll", func(w *walled) (any, error) {
		var seen []string
		err := w.ExamineAll(w.Ctx, w.who, func(id memory.ID, why string) { seen = append(seen, string(id)+why) })
		return seen, err
	}),
	visiting("Expired", func(w *walled) (int, error) { return w.Expired(w.Ctx, w.who.Owner) }),
	visiting("Owner", func(w *walled) (vault.OwnerInfo, error) { return w.Vault.Owner(w.Ctx, w.who, w.who.Owner) }),
	visiting("Owners", func(w *walled) ([]vault.OwnerInfo, error) { return w.Owners(w.Ctx, w.who, "") }),
	visiting("AddOwner", func(w *walled) (vault.OwnerInfo, error) {
		return w.AddOwner(w.Ctx, w.who, vault.AccountOrder{Key: vaulttest.Seeded(w.T, 44)})
	}),
	doing("SetQuota", func(w *walled) error { return w.SetQuota(w.Ctx, w.who, w.neighbour, store.Quota{Records: 1}) }),
	visiting("RemoveOwner", func(w *walled) (bool, error) { return w.RemoveOwner(w.Ctx, w.who, w.neighbour) }),
	visiting("Take", func(w *walled) (int, error) {
		got, _, err := w.Take(w.Ctx, w.who.Owner, "payer", 1, 2, 1)
		return got, err
	}),
	visiting("Metrics", func(w *walled) (map[string]float64, error) { return w.Metrics(w.Ctx), nil }),
	visiting("Reached", func(w *walled) ([]string, error) { away, _, err := w.Reached(w.Ctx); return away, err }),
	visiting("HealthTelling", func(w *walled) ([]string, error) { return w.HealthTelling(w.Ctx, func(int) {}) }),
	visiting("Health", func(w *walled) ([]string, error) { return w.Health(w.Ctx) }),
	visiting("Erasures", func(w *walled) (int64, error) { return w.Erasures(w.Ctx, w.who.Owner) }),
	doing("Emit", func(w *walled) error { return w.Emit(w.Ctx, w.who.Owner, 0, func() error { return nil }) }),
	visiting("Pending", func(w *walled) (bool, error) { return w.Pending(w.Ctx) }),
	doing("Refused", func(w *walled) error { w.Refused(w.Ctx, memory.NotFound, "get"); return nil }),
	doing("Flush", func(w *walled) error { w.Flush(w.Ctx); return nil }),
	visiting("Tidy", func(w *walled) (int, error) { return w.Tidy(w.Ctx, w.who.Owner) }),
	doing("TidyAll", func(w *walled) error { return w.TidyAll(w.Ctx) }),
	visiting("ReindexDue", func(w *walled) (int, error) { return w.ReindexDue(w.Ctx) }),
	visiting("ReindexAll", func(w *walled) (int, error) { return w.ReindexAll(w.Ctx, func(int) {}) }),
	visiting("Sweep", func(w *walled) (int, error) { return w.Sweep(w.Ctx, w.who.Owner) }),
	visiting("SweepAgreed", func(w *walled) (int, error) { return w.SweepAgreed(w.Ctx, w.who.Owner) }),
	visiting("Held", func(w *walled) (vault.Hold, error) { return w.Held(w.Ctx, w.who.Owner) }),
	doing("SweepAll", func(w *walled) error { return w.SweepAll(w.Ctx) }),
	visiting("Propose", func(w *walled) (engram.Correction, error) {
		return w.Propose(w.Ctx, w.who, engram.Proposal{Belief: w.belief(), New: "x", Runtime: "r", ObservedAt: vaulttest.Start()})
	}),
	visiting("ProposeAll", func(w *walled) ([]engram.ProposalResult, error) {
		return w.ProposeAll(w.Ctx, w.who, []engram.Proposal{{Belief: w.belief(), New: "y", Runtime: "r", ObservedAt: vaulttest.Start()}}, false)
	}),
	visiting("Corrections", func(w *walled) ([]engram.Case, error) { return w.Corrections(w.Ctx, w.who, false) }),
	visiting("Resolve", func(w *walled) (engram.Case, error) { return w.Resolve(w.Ctx, w.who, "none", true, "") }),
	visiting("Believe", func(w *walled) (engram.StatementResult, error) {
		return w.Believe(w.Ctx, w.who, engram.Belief{Category: engram.Values, Key: "fruit", Text: "pears"}, true)
	}),
	visiting("Correct", func(w *walled) (engram.Belief, error) { return w.Correct(w.Ctx, w.who, w.belief(), "x", "") }),
	visiting("Confirm", func(w *walled) (engram.Belief, error) { return w.Confirm(w.Ctx, w.who, w.belief()) }),
	visiting("Archive", func(w *walled) (engram.Belief, error) { return w.Archive(w.Ctx, w.who, w.belief()) }),
	visiting("Delete", func(w *walled) (engram.Tombstone, error) { return w.Delete(w.Ctx, w.who, w.belief()) }),
	visiting("Identify", func(w *walled) (engram.Identity, error) {
		return w.Identify(w.Ctx, w.who, engram.Identity{DisplayName: "Ada", Timezone: "UTC"})
	}),
	visiting("Constrain", func(w *walled) (engram.Constraint, error) {
		return w.Constrain(w.Ctx, w.who, engram.Constraint{Rule: "Never prune"})
	}),
	visiting("Subscribe", func(w *walled) (engram.Subscription, error) {
		return w.Subscribe(w.Ctx, w.who, engram.Subscription{URL: "https://x.example", Events: engram.EventTypes(), Secret: "sixteen bytes at least"})
	}),
	doing("Unsubscribe", func(w *walled) error { return w.Unsubscribe(w.Ctx, w.who, "none") }),
	visiting("Subscriptions", func(w *walled) ([]engram.Subscription, error) { return w.Subscriptions(w.Ctx, w.who) }),
	visiting("Subscribed", func(w *walled) ([]memory.DID, error) { return w.Subscribed(w.Ctx) }),
	visiting("Deliveries", func(w *walled) ([]engram.Delivery, error) { return w.Deliveries(w.Ctx, w.who.Owner) }),
	visiting("Delivered", func(w *walled) (bool, error) {
		return w.Delivered(w.Ctx, w.who.Owner, engram.Delivery{}, true, false)
	}),
	visiting("ProposeConstraint", func(w *walled) (engram.Constraint, error) {
		return w.ProposeConstraint(w.Ctx, w.who, engram.Constraint{Rule: "Never graft"})
	}),
	visiting("Constraints", func(w *walled) ([]engram.Constraint, error) { return w.Constraints(w.Ctx, w.who, false) }),
	visiting("ResolveConstraint", func(w *walled) (engram.Constraint, error) { return w.ResolveConstraint(w.Ctx, w.who, "none", true) }),
	visiting("Unconstrain", func(w *walled) (engram.Tombstone, error) { return w.Unconstrain(w.Ctx, w.who, "none") }),
	visiting("ImportContext", func(w *walled) (engram.ImportResult, error) {
		return w.ImportContext(w.Ctx, w.who, engram.Document{Memory: engram.Memory{Beliefs: []engram.Belief{{
			ID: engram.IDFrom("another"), Category: engram.Values, Key: "k", Text: "v", Confidence: 1, Source: engram.UserStated, Status: engram.Active, CreatedAt: vaulttest.Start()}}}}, false)
	}),
	doing("Feedback", func(w *walled) error { return w.Feedback(w.Ctx, w.who, w.theirs, "followed", "") }),
	visiting("Revise", func(w *walled) (memory.RevisionResult, error) {
		return w.Revise(w.Ctx, w.who, memory.Revision{ID: w.theirs, Patch: []byte(`{"body":{"text":"x"}}`)})
	}),
	visiting("Forget", func(w *walled) (memory.ForgetOutcome, error) {
		return w.Forget(w.Ctx, w.who, memory.ForgetRequest{ID: w.theirs, Reason: "user_request", Hard: true})
	}),
	visiting("Rekey", func(w *walled) (rekey.Report, error) {
		return w.Rekey(w.Ctx, w.who, vaulttest.Seeded(w.T, 45), func(int) {})
	}),
	doing("AbandonRekey", func(w *walled) error { return w.AbandonRekey(w.Ctx, w.who, vaulttest.Seeded(w.T, 45).DID()) }),
	visiting("FinishRekey", func(w *walled) (bool, error) { return w.FinishRekey(w.Ctx, w.who, vaulttest.Seeded(w.T, 45).DID()) }),
	visiting("ExportBrain", func(w *walled) (told string, err error) {
		err = w.ExportBrain(w.Ctx, w.who, aimem.Export{Embeddings: true, History: true}, func(b aimem.Brain, _ aimem.ExportReport) error {
			var all strings.Builder
			defer func() { told = all.String() }()
			return aimem.WritePayload(&all, b)
		})
		return told, err
	}),
	doing("GrantConsent", func(w *walled) error { return w.GrantConsent(w.Ctx, w.who, trust.ExportEmbeddings) }),
	visiting("Consents", func(w *walled) ([]trust.Given, error) { return w.Consents(w.Ctx, w.who) }),
	doing("RevokeConsent", func(w *walled) error { return w.RevokeConsent(w.Ctx, w.who, trust.ExportEmbeddings) }),
	doing("TrustProducer", func(w *walled) error {
		return w.TrustProducer(w.Ctx, w.who, "elsewhere", []aimem.Key{aimem.PublicKey(vaulttest.Seeded(w.T, 46))})
	}),
	visiting("Trusts", func(w *walled) ([]trust.Trust, error) { return w.Trusts(w.Ctx, w.who) }),
	visiting("Trusted", func(w *walled) ([]aimem.Key, error) { return w.Trusted(w.Ctx, w.who, "elsewhere") }),
	doing("DistrustProducer", func(w *walled) error { return w.DistrustProducer(w.Ctx, w.who, "elsewhere") }),
	doing("TrustIssuer", func(w *walled) error {
		return w.TrustIssuer(w.Ctx, w.who, "https://elsewhere.example", []engram.Key{engram.NewKey("key-1", vaulttest.Seeded(w.T, 47).Public(), vaulttest.Start())})
	}),
	visiting("TrustedIssuers", func(w *walled) ([]trust.TrustedIssuer, error) { return w.TrustedIssuers(w.Ctx, w.who) }),
	doing("DistrustIssuer", func(w *walled) error { return w.DistrustIssuer(w.Ctx, w.who, "https://elsewhere.example") }),
	doing("ChangeProducer", func(w *walled) error {
		return w.ChangeProducer(w.Ctx, w.who, "elsewhere", "key", func() error { return nil })
	}),
	visiting("ImportBrain", func(w *walled) (aimem.Report, error) {
		const body = `"chunk_entities":[],"chunks":[{"content":"brought in","created_at":"2026-06-01T00:00:00Z","id":"urn:aimem:elsewhere:1","memory_type":"fact"}],"edges":[],"entities":[],` +
			`"exported_at":"2026-06-12T10:00:00Z","format":"aimem-bundle","producer":"elsewhere","scope":"FULL","tenant_id":"urn:uuid:1","version":"1"}`
		doc := fmt.Sprintf(`{"checksum":"sha256:%x",%s`, sha256.Sum256([]byte("{"+body)), body)
		b, err := aimem.Open(codec.Source{Name: "x.aimem.json", File: strings.NewReader(doc), Size: int64(len(doc))}, aimem.Options{})
		if err != nil {
			return aimem.Report{}, err
		}
		return w.ImportBrain(w.Ctx, w.who, b, aimem.Import{})
	}),
	visiting("Batch", func(w *walled) (int, error) { return w.Batch(), nil }),
	visiting("Edition", func(w *walled) (string, error) { return w.Edition(w.Ctx, w.who.Owner) }),
	visiting("EditionStatus", func(w *walled) (edition.Status, error) { return w.EditionStatus(w.Ctx, w.who) }),
	visiting("SetEdition", func(w *walled) (edition.Report, error) {
		return w.SetEdition(w.Ctx, w.who, ump.LaterEdition, func(int) {})
	}),
	visiting("EraseBrain", func(w *walled) (aimem.Erasure, error) { return w.EraseBrain(w.Ctx, w.who) }),
	visiting("EraseOwner", func(w *walled) (bool, error) { return w.EraseOwner(w.Ctx, w.who) }),
}

// TestSecondWall lets every statement of the store forget its owner, and calls every
// method of the vault for one of two owners: no word of the other's comes back, and
// nothing of the other's changes.
func TestSecondWall(t *testing.T) {
	racing.Skip(t)
	for _, service := range []reflect.Type{reflect.TypeFor[*vault.Vault](), reflect.TypeFor[*rekey.Service](), reflect.TypeFor[*bundles.Service](),
		reflect.TypeFor[*edition.Service](), reflect.TypeFor[*health.Service]()} {
		for m := range service.Methods() {
			if n := strings.Count(fmt.Sprint(names()), " "+m.Name+" "); n != 1 {
				t.Errorf("%s is called %d times", m.Name, n)
			}
		}
	}
	w, honest, _ := walls(t)
	for _, v := range visits {
		if said := v.said(w); strings.Contains(said, "quince") {
			t.Errorf("%s tells of another owner: %s", v.name, said)
		}
	}
	honest.Healthy()
	other := vaulttest.InPerson(vaulttest.Seeded(t, 22))
	vaulttest.WantTexts(t, honest.TextsFor(other, memory.Query{Text: "quinces"}), "bob likes quinces")
}

// TestWithoutSecondWall sees that the first test shows something: where the wall is
// down, the statements do reach the other owner.
func TestWithoutSecondWall(t *testing.T) {
	w, _, url := walls(t)
	for _, table := range pgtest.Query(t, url, `SELECT relname::text FROM pg_class WHERE relrowsecurity`) {
		pgtest.Query(t, url, `ALTER TABLE `+table+` DISABLE ROW LEVEL SECURITY`)
	}
	var failed []string
	for _, v := range visits {
		if said := v.said(w); strings.Contains(said, "quince") || strings.Contains(said, "internal") {
			failed = append(failed, v.name)
		}
	}
	if len(failed) < 5 {
		t.Errorf("without the wall only these meet another owner: %q", failed)
	}
}

func names() (all []string) {
	for _, v := range visits {
		all = append(all, " "+v.name+" ")
	}
	return all
}

// said is what a method answers, in words.
func (v visit) said(w *walled) string {
	answer, err := v.call(w)
	said := fmt.Sprintf("%+v ", answer)
	if err != nil {
		said += string(memory.KindOf(err)) + " " + err.Error()
	}
	return strings.ToLower(said)
}

var naming = regexp.MustCompile(`(\w+\.)?owner = \$1`)

// walls makes a store in which two owners live beside the operator's own, and a vault
// whose statements have forgotten their owner.
func walls(t *testing.T) (w *walled, honest *house, url string) {
	t.Helper()
	url = pgtest.Copy(t, func(url string) error { return postgres.Init(context.Background(), url, postgres.Options{}) })
	opening := func(url string) func(func(memory.DID) []byte) store.Store {
		return func(seal func(memory.DID) []byte) store.Store {
			s, err := postgres.Open(context.Background(), url, postgres.Options{Seal: seal})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return s
		}
	}
	honest = over(t, "", opening(url)).server()
	ada, bob := vaulttest.Seeded(t, 21), vaulttest.Seeded(t, 22)
	w = &walled{key: ada, who: vaulttest.InPerson(ada), neighbour: bob.DID()}
	for _, k := range []keys.Private{ada, bob} {
		honest.Order(vault.AccountOrder{Key: k})
	}
	w.own = honest.stocked(vaulttest.InPerson(ada), "ada likes pears", "orchard")
	w.theirs = honest.stocked(vaulttest.InPerson(bob), "bob likes quinces", "quince orchard")
	honest.Flush(honest.Ctx)
	forgetful := pgtest.Rewrite(t, url, func(s string) string { return naming.ReplaceAllString(s, "$$1::uuid IS NOT NULL") })
	w.house = over(t, "", opening(forgetful)).server()
	return w, honest, url
}

// stocked gives an owner a record, a project of two names, a token and what follows
// from them.
func (h *house) stocked(c memory.Caller, text, project string) memory.ID {
	h.T.Helper()
	id, err := h.Says(c, text, `"scope":{"project":`+vaulttest.Quote(project)+`}`)
	if err == nil {
		err = h.AliasProject(h.Ctx, c, project+"s", project)
	}
	if err == nil {
		_, _, err = h.MintToken(h.Ctx, c, vault.TokenOrder{Name: text, Verbs: []memory.Verb{memory.ReadVerb}, Expires: h.Now.Add(time.Hour)})
	}
	var agent agentstore.KeptAgent
	if err == nil {
		agent, _, err = h.KeepAgent(h.Ctx, c, agentstore.AgentDraft{KeptAgent: agentstore.KeptAgent{ID: project, Digest: text, Came: text, Name: text, Document: []byte(text)}})
	}
	if err == nil {
		_, err = h.ReceiveState(h.Ctx, c, agentstore.Landing{State: agentstore.KeptState{ID: text, Agent: project, Source: project, Document: []byte(text)},
			Token: agentstore.SpentToken{Issuer: project, JTI: text, Until: h.Now}, Revision: agent.Revision, Same: func([]byte) bool { return false }})
	}
	if err == nil {
		err = h.Feedback(h.Ctx, c, id, "followed", "")
	}
	if err != nil {
		h.T.Fatal(err)
	}
	return id
}
