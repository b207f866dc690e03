package server_test

import (
	"bytes"
	"encoding/base64"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/ump"
)

// meddle stands before a server and makes it break a rule. It sees one run.
type meddle func(next http.Handler) http.Handler

// reply is an answer that can still be changed.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// json is the body as JSON.
func (r *reply) json() canon.Value {
	v, _ := canon.Parse(r.body, canon.Options{Bytes: 64 << 20, Inexact: true})
	return v
}

func (r *reply) set(v canon.Value) { r.body = v.Append(nil) }

// ok reports whether the answer is a success.
func (r *reply) ok() bool { return r.status == http.StatusOK }

// serve lets next answer and returns what it said.
func serve(next http.Handler, r *http.Request) *reply {
	w := httptest.NewRecorder()
	next.ServeHTTP(w, r)
	return &reply{w.Code, w.Header().Clone(), w.Body.Bytes()}
}

func (r *reply) write(w http.ResponseWriter) {
	maps.Copy(w.Header(), r.header)
	w.Header().Del("Content-Length")
	w.WriteHeader(r.status)
	_, _ = w.Write(r.body)
}

// bodyOf reads the body of a request and leaves it there.
func bodyOf(r *http.Request) []byte {
	body, _ := io.ReadAll(r.Body)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return body
}

func replaceBody(r *http.Request, body []byte) {
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
}

// on meddles with the requests to paths that begin like this; those to subscribe
// only where it is named.
func on(path string, next http.Handler, act func(w http.ResponseWriter, r *http.Request)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stream := r.URL.Path == "/ump/subscribe" && path != "/ump/subscribe"
		if stream || !strings.HasPrefix(r.URL.Path, path) {
			next.ServeHTTP(w, r)
			return
		}
		act(w, r)
	})
}

// answers changes answers; asked is the body of the request.
func answers(path string, edit func(asked canon.Value, r *http.Request, got *reply)) meddle {
	return func(next http.Handler) http.Handler {
		return on(path, next, func(w http.ResponseWriter, r *http.Request) {
			asked, _ := canon.Parse(bodyOf(r), canon.Options{Inexact: true})
			got := serve(next, r)
			edit(asked, r, got)
			got.write(w)
		})
	}
}

// succeeds changes the JSON of successes.
func succeeds(path string, edit func(canon.Value) canon.Value) meddle {
	return answers(path, func(_ canon.Value, _ *http.Request, got *reply) {
		if got.ok() {
			got.set(edit(got.json()))
		}
	})
}

// accepts answers a refusal with a success.
func accepts(path, answer string, when func(asked canon.Value) bool) meddle {
	return answers(path, func(asked canon.Value, _ *http.Request, got *reply) {
		if got.status >= 400 && when(asked) {
			got.status, got.body = http.StatusOK, []byte(answer)
		}
	})
}

// fails changes refusals.
func fails(edit func(*reply)) meddle {
	return answers("/ump/", func(_ canon.Value, _ *http.Request, got *reply) {
		if got.status >= 400 {
			edit(got)
		}
	})
}

// asks changes requests.
func asks(path string, edit func(canon.Value) canon.Value) meddle {
	return func(next http.Handler) http.Handler {
		return on(path, next, func(w http.ResponseWriter, r *http.Request) {
			if v, err := canon.Parse(bodyOf(r), canon.Options{}); err == nil {
				replaceBody(r, edit(v).Append(nil))
			}
			next.ServeHTTP(w, r)
		})
	}
}

// drafts changes what is sent to be remembered.
func drafts(edit func(canon.Value) canon.Value) meddle {
	return asks("/ump/remember", func(v canon.Value) canon.Value {
		if v.Has("record") {
			return v.With("record", edit(v.Get("record")))
		}
		return edit(v)
	})
}

// unsigned is an edit of drafts that leaves signed records alone.
func unsigned(edit func(canon.Value) canon.Value) func(canon.Value) canon.Value {
	return func(v canon.Value) canon.Value {
		if v.Has("integrity") || v.Type() != canon.TypeObject {
			return v
		}
		return edit(v)
	}
}

// merged is an edit that applies a merge patch.
func merged(patch string) func(canon.Value) canon.Value {
	change, err := canon.Parse([]byte(patch), canon.Options{})
	if err != nil {
		panic(err)
	}
	return func(v canon.Value) canon.Value { return canon.MergePatch(v, change) }
}

// records changes the records of get.
func records(edit func(canon.Value) canon.Value) meddle {
	return succeeds("/ump/memory/", func(v canon.Value) canon.Value { return v.With("record", edit(v.Get("record"))) })
}

// hits changes the results of recall.
func hits(edit func([]canon.Value) []canon.Value) meddle {
	return succeeds("/ump/recall", func(v canon.Value) canon.Value {
		if !v.Has("results") {
			return v
		}
		return v.With("results", canon.Array(edit(slices.Clone(v.Get("results").Items()))...))
	})
}

// eachHit changes every result of recall.
func eachHit(edit func(canon.Value) canon.Value) meddle {
	return hits(func(all []canon.Value) []canon.Value {
		for i := range all {
			all[i] = edit(all[i])
		}
		return all
	})
}

// document changes the records of an export in JSON.
func document(edit func([]canon.Value) []canon.Value) meddle {
	return answers("/ump/export", func(_ canon.Value, r *http.Request, got *reply) {
		if got.ok() && r.URL.Query().Get("format") == "json" {
			got.set(canon.Array(edit(slices.Clone(got.json().Items()))...))
		}
	})
}

// tokens changes the claims of capability tokens and signs them anew; the result
// false leaves a token as it is.
func tokens(path string, edit func(claims canon.Value) (canon.Value, bool)) meddle {
	return func(next http.Handler) http.Handler {
		return on(path, next, func(w http.ResponseWriter, r *http.Request) {
			given, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer umpcap.")
			payload, _, _ := strings.Cut(given, ".")
			raw, err := base64.RawURLEncoding.DecodeString(payload)
			if claims, bad := canon.Parse(raw, canon.Options{}); found && err == nil && bad == nil {
				if claims, yes := edit(claims); yes {
					r.Header.Set("Authorization", "Bearer "+minted(claims))
				}
			}
			next.ServeHTTP(w, r)
		})
	}
}

// minted signs claims, whatever they are.
func minted(claims canon.Value) string {
	payload := base64.RawURLEncoding.EncodeToString(claims.AppendCanonical(nil))
	message := ump.Fingerprint([]byte(payload))
	return "umpcap." + payload + ".ed25519:" + base64.RawURLEncoding.EncodeToString(tried().Sign(message[:]))
}

// tried is the key of the owner whose server is tried.
func tried() keys.Private {
	key, err := keys.FromSeed(bytes.Repeat([]byte{9}, 32))
	if err != nil {
		panic(err)
	}
	return key
}

// asOwner lets whoever holds a capability token in as the owner.
func asOwner(path string, when func(r *http.Request, asked canon.Value) bool) meddle {
	return func(next http.Handler) http.Handler {
		return on(path, next, func(w http.ResponseWriter, r *http.Request) {
			asked, _ := canon.Parse(bodyOf(r), canon.Options{})
			if strings.HasPrefix(r.Header.Get("Authorization"), "Bearer umpcap.") && when(r, asked) {
				r.Header.Set("Authorization", "Bearer "+token)
			}
			next.ServeHTTP(w, r)
		})
	}
}

// ownersCopy answers those who may see a record with the owner's copy of it.
func ownersCopy(edit func(theirs, owners canon.Value) canon.Value) meddle {
	return func(next http.Handler) http.Handler {
		return on("/ump/memory/", next, func(w http.ResponseWriter, r *http.Request) {
			mine := r.Clone(r.Context())
			got := serve(next, r)
			if got.ok() {
				mine.Header.Set("Authorization", "Bearer "+token)
				theirs := got.json()
				got.set(theirs.With("record", edit(theirs.Get("record"), serve(next, mine).json().Get("record"))))
			}
			got.write(w)
		})
	}
}

// compared changes what a peer recalls, beside what the owner would have recalled
// with the same question.
func compared(edit func(theirs, owners []canon.Value) []canon.Value) meddle {
	return func(next http.Handler) http.Handler {
		return on("/ump/recall", next, func(w http.ResponseWriter, r *http.Request) {
			body := bodyOf(r)
			mine := r.Clone(r.Context())
			got := serve(next, r)
			if got.ok() && strings.HasPrefix(r.Header.Get("Authorization"), "Bearer umpcap.") {
				mine.Header.Set("Authorization", "Bearer "+token)
				replaceBody(mine, body)
				v := got.json()
				all := edit(slices.Clone(v.Get("results").Items()), serve(next, mine).json().Get("results").Items())
				got.set(v.With("results", canon.Array(all...)))
			}
			got.write(w)
		})
	}
}

// withOwners changes each result of a peer's that the owner would have, too.
func withOwners(edit func(theirs, owners canon.Value) canon.Value) meddle {
	return compared(func(theirs, owners []canon.Value) []canon.Value {
		for i, hit := range theirs {
			for _, same := range owners {
				if hit.Get("record").Get("id").Text() == same.Get("record").Get("id").Text() {
					theirs[i] = edit(hit, same)
				}
			}
		}
		return theirs
	})
}

// guesses lets a peer find by its text a record whose text is redacted.
func guesses() meddle {
	return compared(func(theirs, owners []canon.Value) []canon.Value {
		for _, hit := range owners {
			v := hit.Get("record")
			if slices.ContainsFunc(v.Get("consent").Get("redact").Items(), func(path canon.Value) bool { return path.Text() == "body.text" }) {
				v = v.Without("integrity").With("body", canon.Object(canon.Member{Name: "text", Value: canon.String("[redacted]")}))
				theirs = append(theirs, hit.With("record", v))
			}
		}
		return theirs
	})
}

// memoryOf keeps what get has shown of records, and which were forgotten or
// revised since.
type memoryOf struct {
	mu   sync.Mutex
	seen map[string]canon.Value
	gone map[string]bool
}

// haunted lets act work on answers while it knows every record that get showed,
// and which of them op has ended.
func haunted(op, path string, act func(m *memoryOf, asked canon.Value, r *http.Request, got *reply)) meddle {
	return func(next http.Handler) http.Handler {
		m := &memoryOf{seen: map[string]canon.Value{}, gone: map[string]bool{}}
		return on("/ump/", next, func(w http.ResponseWriter, r *http.Request) {
			asked, _ := canon.Parse(bodyOf(r), canon.Options{})
			got := serve(next, r)
			m.mu.Lock()
			defer m.mu.Unlock()
			id := got.json().Get("record").Get("id").Text()
			switch {
			case strings.HasPrefix(r.URL.Path, path):
				act(m, asked, r, got)
			case strings.HasPrefix(r.URL.Path, "/ump/memory/") && got.ok() && !m.gone[id] && got.json().Get("record").Get("lifecycle").Get("status").Text() != "tombstoned" && r.Header.Get("Authorization") == "Bearer "+token:
				m.seen[id] = got.json().Get("record")
			case r.URL.Path == "/ump/"+op && got.ok():
				m.gone[asked.Get("id").Text()] = true
			}
			got.write(w)
		})
	}
}

// ghosts adds to the results of recall what was ended by op and shares a word
// with the query.
func ghosts(op string) meddle {
	return haunted(op, "/ump/recall", func(m *memoryOf, asked canon.Value, _ *http.Request, got *reply) {
		v := got.json()
		if !got.ok() || !v.Has("results") || asked.Get("filter").Has("valid_at") {
			return
		}
		list := slices.Clone(v.Get("results").Items())
		for _, id := range slices.Sorted(maps.Keys(m.gone)) {
			if shares(m.seen[id], asked.Get("query").Text()) {
				list = append(list, canon.Object(
					canon.Member{Name: "record", Value: m.seen[id]},
					canon.Member{Name: "signals", Value: canon.Object()},
					canon.Member{Name: "score", Value: canon.Int(0)}))
			}
		}
		got.set(v.With("results", canon.Array(list...)))
	})
}

func shares(record canon.Value, query string) bool {
	return slices.ContainsFunc(strings.Fields(query), func(word string) bool {
		return strings.Contains(record.Get("body").Get("text").Text(), word)
	})
}

// lines changes the lines of a stream of events; the result false drops a line.
func lines(edit func(line string) (string, bool)) meddle {
	return func(next http.Handler) http.Handler {
		return on("/ump/subscribe", next, func(w http.ResponseWriter, r *http.Request) {
			out := &edited{ResponseWriter: w, edit: edit}
			next.ServeHTTP(out, r)
			_, _ = w.Write(out.rest)
		})
	}
}

// edited is an answer whose lines are changed on their way.
type edited struct {
	http.ResponseWriter
	edit func(string) (string, bool)
	rest []byte
}

// Unwrap lets http.ResponseController flush and set deadlines.
func (e *edited) Unwrap() http.ResponseWriter { return e.ResponseWriter }

// Write passes on whole lines.
func (e *edited) Write(p []byte) (int, error) {
	e.rest = append(e.rest, p...)
	for {
		line, rest, whole := bytes.Cut(e.rest, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		if said, keep := e.edit(string(line)); keep {
			if _, err := io.WriteString(e.ResponseWriter, said+"\n"); err != nil {
				return 0, err
			}
		}
		e.rest = rest
	}
}

// header changes the head of requests to a path.
func header(path string, edit func(*http.Request)) meddle {
	return func(next http.Handler) http.Handler {
		return on(path, next, func(w http.ResponseWriter, r *http.Request) {
			edit(r)
			next.ServeHTTP(w, r)
		})
	}
}
