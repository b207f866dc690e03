package server_test

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/handoff"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
	aaifsuite "github.com/satchel-memory/satchel/conformance/aaif"
	"github.com/satchel-memory/satchel/internal/racing"
)

// between stands between a run and the platform, and lets it break a rule.
type between struct {
	next   http.RoundTripper
	act    func(asked string, q *http.Request, got *reply)
	greedy bool // hands nothing on before all of it has come
	// edit changes a request; nil: nothing does.
	edit func(q *http.Request, body []byte) []byte
}

// RoundTrip sends a request, and changes the answer.
func (b between) RoundTrip(q *http.Request) (*http.Response, error) {
	asked := ""
	if q.ContentLength > 0 && q.ContentLength < 1<<19 { // what is larger comes slowly
		body, err := io.ReadAll(q.Body)
		if err != nil {
			return nil, err
		}
		asked = string(body)
		q = q.Clone(q.Context())
		if b.edit != nil {
			body = b.edit(q, body)
		}
		replaceBody(q, body)
	}
	if b.greedy && q.Method == http.MethodPost && q.ContentLength <= 0 { // a stream
		body, err := io.ReadAll(q.Body)
		if err != nil {
			return nil, err
		}
		q = q.Clone(q.Context())
		replaceBody(q, body)
	}
	response, err := b.next.RoundTrip(q)
	if err != nil && q.URL.Scheme == "http" { // where nobody listens
		response, err = &http.Response{StatusCode: http.StatusNotFound, Header: http.Header{}, Body: http.NoBody, Request: q}, nil
	}
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	got := &reply{response.StatusCode, response.Header, body}
	b.act(asked, q, got)
	response.StatusCode, response.Body = got.status, io.NopCloser(bytes.NewReader(got.body))
	return response, nil
}

// agentMutant is a platform that breaks a rule, and the rows that have to fail of it.
type agentMutant struct {
	name, rows string
	act        func(asked string, q *http.Request, got *reply)
}

// shows changes a public document.
func shows(path string, edit func(*reply)) func(string, *http.Request, *reply) {
	return func(_ string, q *http.Request, got *reply) {
		if strings.HasSuffix(q.URL.Path, path) && got.ok() {
			edit(got)
		}
	}
}

// memberIs changes a member of a public document.
func memberIs(path, pointer string, v canon.Value) func(string, *http.Request, *reply) {
	return shows(path, func(got *reply) {
		keys := strings.Split(pointer, "/")
		got.set(placed(got.json(), keys[1:], v))
	})
}

func placed(v canon.Value, keys []string, to canon.Value) canon.Value {
	if len(keys) > 1 {
		to = placed(v.Get(keys[0]), keys[1:], to)
	}
	if to.Type() == canon.TypeUndefined {
		return v.Without(keys[0])
	}
	return v.With(keys[0], to)
}

// lets takes in what is refused with a code.
func lets(in string, codes ...aaif.Code) func(string, *http.Request, *reply) {
	return func(asked string, q *http.Request, got *reply) {
		code := aaif.Code(codeOf(got))
		if q.Method != http.MethodPost || !strings.Contains(asked, in) || !slices.Contains(codes, code) {
			return
		}
		got.status = http.StatusCreated
		if q.URL.Path == "/aaif/handoff" {
			got.set(canon.Object(canon.Member{Name: "type", Value: canon.String(string(handoff.Complete))}))
			return
		}
		got.set(canon.Object(canon.Member{Name: "warnings", Value: canon.Array(canon.String(asked))}))
	}
}

func codeOf(got *reply) string {
	v, _ := canon.Parse(bytes.TrimSpace(got.body), canon.Options{})
	return v.Get("code").Text()
}

// calls gives one code of refusals another name.
func calls(path string, code, other aaif.Code, when string) func(string, *http.Request, *reply) {
	return func(asked string, q *http.Request, got *reply) {
		if q.URL.Path == path && got.status >= 400 && codeOf(got) == string(code) && strings.Contains(asked, when) {
			got.body = bytes.Replace(got.body, []byte(code), []byte(other), 1)
		}
	}
}

// answersWith gives refusals another status.
func answersWith(path string, from, to int, when string) func(string, *http.Request, *reply) {
	return func(asked string, q *http.Request, got *reply) {
		if q.Method == http.MethodPost && q.URL.Path == path && got.status == from && strings.Contains(asked, when) {
			got.status = to
		}
	}
}

// receipts changes what intakes answer.
func receipts(when string, edit func(*reply)) func(string, *http.Request, *reply) {
	return func(asked string, q *http.Request, got *reply) {
		if q.Method == http.MethodPost && q.URL.Path == "/aaif/agents" && got.status < 300 && strings.Contains(asked, when) {
			edit(got)
		}
	}
}

func unwarned(got *reply) {
	got.set(got.json().With("warnings", canon.Array(canon.String("the definition is not signed"))))
}

// discoveryMutants break what anybody may see.
func discoveryMutants() []agentMutant {
	const manifest, report = aaifManifest, "/.well-known/aaif-conformance.json"
	return []agentMutant{
		{"no ETag", "AAIF-7-13", shows(manifest, func(got *reply) { got.header.Del("ETag") })},
		{"the manifest is text", "AAIF-7-13", shows(manifest, func(got *reply) { got.header.Set("Content-Type", "text/plain") })},
		{"the manifest is invalid", "AAIF-7-13", memberIs(manifest, "/platform/version", canon.Int(1))},
		{"no editions", "AAIF-7-13 AAIF-7-14", memberIs(manifest, "/platform/aaif_versions_supported", canon.Array())},
		{"no intake", "AAIF-7-14", memberIs(manifest, "/platform/intake_endpoint", canon.Value{})},
		{"a level that is none", "AAIF-7-13 AAIF-6-1", memberIs(manifest, "/platform/aaif_conformance_level", canon.String("Gold"))},
		{"expired", "AAIF-7-15", memberIs(manifest, "/platform/manifest_expires_at", canon.String("2026-01-01T00:00:00Z"))},
		{"a handoff is claimed and not there", "AAIF-7-15", func(asked string, q *http.Request, got *reply) {
			memberIs(manifest, "/platform/capabilities/state/streaming_handoff", canon.Bool(true))(asked, q, got)
			if q.URL.Path == "/aaif/handoff" {
				got.status, got.body = http.StatusNotFound, []byte(`{}`)
			}
		}},
		{"no report at all is no failure", "", shows(report, func(got *reply) { got.status = http.StatusNotFound })},
	}
}

const aaifManifest = "/.well-known/aaif-manifest.json"

// intakeMutants break what is asked of intakes.
func intakeMutants() []agentMutant {
	const in = "/aaif/agents"
	return []agentMutant{
		{"the same is a new revision", "AAIF-7-16 AAIF-9-9", receipts("", func(got *reply) { got.status = http.StatusCreated })},
		{"no list of errors", "AAIF-7-16", func(_ string, q *http.Request, got *reply) {
			if codeOf(got) == string(aaif.SchemaViolation) {
				got.set(got.json().Without("errors"))
			}
		}},
		{"nobody has to sign in", "AAIF-7-16", answersWith(in, 401, 200, "")},
		{"too large is invalid", "AAIF-7-16", answersWith(in, 413, 422, "")},
		{"any media type", "AAIF-7-16 AAIF-9-4", answersWith(in, 415, 200, "")},
		{"another profile", "AAIF-9-4", func(_ string, q *http.Request, got *reply) {
			if strings.Contains(q.Header.Get("Content-Type"), "other.example") {
				got.status = http.StatusCreated
			}
		}},
		{"invalid is taken", "AAIF-6-2 AAIF-6-15 AAIF-9-3", lets("manager", aaif.SchemaViolation)},
		{"any provider", "AAIF-10-5", lets(`"provider"`, aaif.Unregistered, aaif.SchemaViolation, aaif.RegisteredOnly)},
		{"a newer MAJOR", "AAIF-U.D-1", lets("9.0.0", aaif.VersionUnsupported)},
		{"a secret is let in", "AAIF-12-4 AAIF-6-15", lets(`"instructions":"Say -----BEGIN`, aaif.InlineSecret)},
		{"a secret has no place", "AAIF-12-4 AAIF-6-15", func(_ string, q *http.Request, got *reply) {
			if q.URL.Path == in && codeOf(got) == string(aaif.InlineSecret) {
				got.set(got.json().Without("errors"))
			}
		}},
		{"a secret is repeated", "AAIF-12-4 AAIF-6-15", func(asked string, q *http.Request, got *reply) {
			if q.URL.Path == in && codeOf(got) == string(aaif.InlineSecret) {
				got.set(got.json().With("message", canon.String(asked)))
			}
		}},
		{"a changed definition is taken", "AAIF-12-17", lets("somebody else", aaif.SignatureInvalid)},
		{"unsigned is not warned of", "AAIF-12-17", receipts(`"standard"`, func(got *reply) {
			if got.json().Get("warnings").Len() == 1 {
				got.set(got.json().With("warnings", canon.Array()))
			}
		})},
		{"integer keys", "AAIF-9-5", lets("", aaif.CBORKeyType)},
		{"undefined", "AAIF-9-7", lets("", aaif.CBORNotJSON)},
		{"another verdict for CBOR", "AAIF-9-3", func(_ string, q *http.Request, got *reply) {
			if strings.Contains(q.Header.Get("Content-Type"), "cbor") && codeOf(got) == string(aaif.SchemaViolation) {
				got.body = bytes.Replace(got.body, []byte(aaif.SchemaViolation), []byte("OTHER"), 1)
			}
		}},
		{"the twin is another", "AAIF-9-9", func(_ string, q *http.Request, got *reply) {
			if strings.Contains(q.Header.Get("Content-Type"), "cbor") && got.ok() {
				got.status = http.StatusCreated
			}
		}},
	}
}

// capabilityMutants break what follows from what is lacking.
func capabilityMutants() []agentMutant {
	return []agentMutant{
		{"nothing is warned of", "AAIF-7-2 AAIF-7-3 AAIF-7-4 AAIF-7-5 AAIF-7-6 AAIF-7-10 AAIF-7-18 AAIF-6-15", receipts("", unwarned)},
		{"nothing is warned of at minimal", "AAIF-7-3 AAIF-7-4 AAIF-7-5", receipts(`"minimal"`, unwarned)},
		{"nothing is warned of without a level", "AAIF-7-10", func(asked string, q *http.Request, got *reply) {
			if !strings.Contains(asked, "safety_level") && strings.Contains(asked, "required_capabilities") {
				receipts("", unwarned)(asked, q, got)
			}
		}},
		{"nothing is disabled", "AAIF-7-2 AAIF-7-6 AAIF-7-10 AAIF-6-15", receipts("", func(got *reply) { got.set(got.json().With("disabled", canon.Array())) })},
		{"strict takes in", "AAIF-7-7", lets(`"strict"},"required_capabilities"`, aaif.UnsatisfiedCapabilities)},
		{"regulated does not list", "AAIF-7-8", func(asked string, q *http.Request, got *reply) {
			if strings.Contains(asked, `"regulated"`) {
				got.body = bytes.ReplaceAll(got.body, []byte("memory.pinecone"), nil)
			}
		}},
		{"what is used does not count", "AAIF-7-11", lets(`"protocol":"mcp"`, aaif.UnsatisfiedCapabilities)},
		{"safety features can be done without", "AAIF-7-12", lets(`"audit_log"`, aaif.UnsatisfiedCapabilities)},
		{"what is rejected stays", "AAIF-7-7 AAIF-7-8 AAIF-7-11 AAIF-7-12", keeping(aaif.UnsatisfiedCapabilities)},
		{"what is invalid stays", "AAIF-6-2 AAIF-6-15 AAIF-10-5 AAIF-U.D-1", keeping(aaif.SchemaViolation, aaif.VersionUnsupported, aaif.Unregistered, aaif.RegisteredOnly)},
		{"a vault that is not there", "AAIF-7-18", receipts("vault_ref", unwarned)},
	}
}

// stateMutants break what is asked of those who receive.
func stateMutants() []agentMutant {
	const whole, stream = "/aaif/states", "/aaif/handoff"
	kind := func(path, name, rows string, code aaif.Code) agentMutant {
		return agentMutant{name, rows, calls(path, code, "OTHER", "")}
	}
	return []agentMutant{
		{"states are not taken in", "AAIF-8.2-3", answersWith(whole, 201, 500, "")},
		kind(whole, "a wrong checksum is something else", "AAIF-8.2-4 AAIF-12-14", aaif.ChecksumMismatch),
		kind(whole, "an unknown agent is something else", "AAIF-8.2-4", aaif.AgentUnknown),
		kind(whole, "a bad token is something else", "AAIF-8.2-4 AAIF-8.2-2 AAIF-12-12 AAIF-12-13", aaif.TokenInvalid),
		kind(whole, "another state is something else", "AAIF-12-15 AAIF-8.2-8", aaif.TokenBinding),
		kind(whole, "another platform is something else", "AAIF-8.2-8", aaif.TokenAudience),
		{"a second use is the first", "AAIF-8.2-8", lets("", aaif.TokenReplayed)},
		{"anybody's memory", "AAIF-8.2-9", lets("", aaif.PrincipalMismatch)},
		{"secrets of states", "AAIF-12-3", lets("state_id", aaif.InlineSecret)},
		{"a wrong checksum is 409", "AAIF-8.2-4 AAIF-12-14", answersWith(whole, 422, 409, "conversation")},
		{"another media type", "AAIF-8.3-1", answersWith(stream, 415, 200, "")},
		kind(stream, "bad frames are something else", "AAIF-8.3-1", aaif.BadFrame),
		kind(stream, "unknown frames are something else", "AAIF-8.3-2", aaif.UnknownType),
		kind(stream, "the order is something else", "AAIF-8.3-3 AAIF-8.3-4 AAIF-8.3-10", aaif.ProtocolError),
		kind(stream, "a checksum is something else", "AAIF-8.3-9", aaif.ChecksumMismatch),
		kind(stream, "any token", "AAIF-8.2-2 AAIF-12-12 AAIF-12-13 AAIF-8.3-6 AAIF-13.1-3", aaif.TokenInvalid),
		kind(stream, "frames of any size", "AAIF-8.3-12", aaif.FrameTooLarge),
		{"a handoff_error is an end like any other", "AAIF-8.3-7", lets("given up", "CONFORMANCE")},
		{"a handoff_error comes with 200", "AAIF-8.3-2", func(_ string, q *http.Request, got *reply) {
			if q.URL.Path == stream && codeOf(got) == string(aaif.UnknownType) {
				got.status = http.StatusOK
			}
		}},
		{"the answer is plain JSON", "AAIF-13.1-1", func(_ string, q *http.Request, got *reply) {
			if q.URL.Path == stream {
				got.header.Set("Content-Type", "application/json")
			}
		}},
		{"nobody says what is taken", "AAIF-13.1-4", func(_ string, _ *http.Request, got *reply) { got.header.Del("Accept-Post") }},
		{"a state comes out as another", "AAIF-8.3-11", func(_ string, q *http.Request, got *reply) {
			if q.Method == http.MethodGet && strings.HasPrefix(q.URL.Path, whole+"/") && got.ok() {
				got.set(got.json().Without("x-conformance"))
			}
		}},
		{"what breaks off stays", "AAIF-8.3-10", staying(func(asked string) bool {
			return asked != "" && !strings.Contains(asked, "handoff_complete") && !strings.Contains(asked, "given up")
		})},
		{"what was given up stays", "AAIF-8.3-7", staying(func(asked string) bool { return strings.Contains(asked, "given up") })},
		{"waits for all of it", "AAIF-8.3-6", func(string, *http.Request, *reply) {}},
		{"what was changed stays", "AAIF-8.2-4 AAIF-12-14", stayingAt(whole, aaif.ChecksumMismatch)},
		{"what a stranger signed stays", "AAIF-8.2-2 AAIF-8.2-4 AAIF-12-12 AAIF-12-13", stayingAt(whole, aaif.TokenInvalid)},
		{"what a stranger signed stays of streams", "AAIF-8.2-2 AAIF-12-12 AAIF-12-13 AAIF-13.1-3", stayingAt(stream, aaif.TokenInvalid)},
		{"states in the clear are looked at", "AAIF-12-11 AAIF-8.3-5 AAIF-13.1-2", func(_ string, q *http.Request, got *reply) {
			if q.URL.Scheme == "http" {
				got.status = http.StatusUnprocessableEntity
			}
		}},
	}
}

// staying lists states of streams that were refused.
func staying(which func(asked string) bool) func(string, *http.Request, *reply) {
	var kept []string
	return func(asked string, q *http.Request, got *reply) {
		if q.Method == http.MethodPost && q.URL.Path == "/aaif/handoff" && which(asked) && got.status != http.StatusNotFound {
			kept = append(kept, asked)
		}
		if q.Method == http.MethodGet && q.URL.Path == "/aaif/states" {
			got.body = append(got.body, strings.Join(kept, "")...)
		}
	}
}

// stayingAt lists states that were refused with a code.
func stayingAt(path string, code aaif.Code) func(string, *http.Request, *reply) {
	var kept []string
	return func(asked string, q *http.Request, got *reply) {
		if q.Method == http.MethodPost && q.URL.Path == path && codeOf(got) == string(code) {
			kept = append(kept, asked)
		}
		if q.Method == http.MethodGet && q.URL.Path == "/aaif/states" {
			got.body = append(got.body, strings.Join(kept, "")...)
		}
	}
}

// keeping shows definitions that were refused with one of the codes.
func keeping(codes ...aaif.Code) func(string, *http.Request, *reply) {
	var kept []string
	return func(asked string, q *http.Request, got *reply) {
		if q.Method == http.MethodPost && q.URL.Path == "/aaif/agents" && slices.Contains(codes, aaif.Code(codeOf(got))) {
			kept = append(kept, asked)
		}
		if id, ok := strings.CutPrefix(q.URL.Path, "/aaif/agents/"); ok && strings.Contains(strings.Join(kept, ""), id) {
			got.status = http.StatusOK
		}
	}
}

// TestAgentMutants makes sure that every rule that is broken is found by its row, and by
// no other row of the sections that look at what the mutant breaks. SATCHEL_LONG makes it
// the rows of all sections.
func TestAgentMutants(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	for _, g := range []struct {
		sections string
		mutants  []agentMutant
	}{
		{"AAIF-6 AAIF-7", discoveryMutants()},
		{"AAIF-6 AAIF-7 AAIF-9 AAIF-10 AAIF-12-4 AAIF-12-17 AAIF-U", slices.Concat(intakeMutants(), capabilityMutants())},
		{"AAIF-8 AAIF-12 AAIF-13", stateMutants()},
	} {
		for _, m := range g.mutants {
			t.Run(m.rows+" "+m.name, func(t *testing.T) {
				t.Parallel() // most of a run is waiting
				target := takesAgents(t)
				client := *target.Client
				client.Transport = between{next: client.Transport, act: m.act, greedy: strings.HasSuffix(m.name, "waits for all of it")}
				target.Client = &client
				if os.Getenv("SATCHEL_LONG") == "" {
					target.Only = strings.Fields(g.sections)
				}
				failsOf(t, target, m.rows)
			})
		}
	}
}

// failsOf tries a platform that breaks rules, and expects exactly their rows to fail.
func failsOf(t *testing.T, target aaifsuite.Target, rows string) {
	t.Helper()
	var failed []string
	if _, err := aaifsuite.Run(t.Context(), target, func(r conformance.Result) {
		if r.Outcome == conformance.Fail {
			failed = append(failed, r.ID)
		}
	}); err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(rows)
	slices.Sort(want)
	slices.Sort(failed)
	if !slices.Equal(failed, want) {
		t.Errorf("%v fail, want %v", failed, want)
	}
}
