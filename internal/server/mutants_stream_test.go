package server_test

import (
	"net/http"
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// streamMutants break rules of subscriptions.
func streamMutants() []mutant {
	replaced := func(old, by string) meddle {
		return lines(func(line string) (string, bool) { return strings.Replace(line, old, by, 1), true })
	}
	dropped := func(prefix string) meddle {
		return lines(func(line string) (string, bool) { return line, !strings.HasPrefix(line, prefix) })
	}
	return []mutant{
		{"UMP-3.8-4 events come as JSON", typed()},
		{"UMP-3.8-3 UMP-3.8-4 events have no id", dropped("id:")},
		{"UMP-3.8-3 all events have one id", lines(func(line string) (string, bool) {
			if strings.HasPrefix(line, "id:") {
				line = "id: 1"
			}
			return line, true
		})},
		{"UMP-3.8-3 UMP-3.8-4 events have no name", dropped("event:")},
		{"UMP-3.8-4 the stream says nothing at first", dropped(": ump subscribe open")},
		{"UMP-3.8-3 created has another name", replaced("created", "added")},
		{"UMP-3.8-3 tombstones are not told", silent("tombstoned")},
		{"UMP-3.8-3 erasures are not told", silent("erased")},
		{"UMP-3.8-3 erasures bring a record", replaced(`{"type":"erased",`, `{"type":"erased","record":{"body":{"text":"it was this"}},`)},
		{"UMP-3.8-3 what was missed is lost", header("/ump/subscribe", func(r *http.Request) { r.Header.Del("Last-Event-ID") })},
		{"UMP-3.8-3 all is told anew", header("/ump/subscribe", func(r *http.Request) {
			if r.Header.Get("Last-Event-ID") != "" {
				r.Header.Set("Last-Event-ID", "0")
			}
		})},
		{"UMP-3.8-3 the project is ignored", header("/ump/subscribe", func(r *http.Request) { r.URL.RawQuery = "" })},
		{"UMP-3.8-3 erasures are told to those who asked for another project", unscoped(false)},
		{"UMP-3.8-3 erasures are told to those whose token is for another project", unscoped(true)},
		{"UMP-3.8-3 what is merged is told as created", replaced("merged", "created")},
		{"UMP-3.8-3 peers are not told what was revised", unlessOwner("revised")},
		{"UMP-3.8-3 what goes on as private is told as if it held", stillHolds()},
		{"UMP-3.8-5 streams outlive their token", tokens("/ump/subscribe", func(v canon.Value) (canon.Value, bool) {
			return v.With("exp", canon.String("2999-01-01T00:00:00Z")), true
		})},
		{"UMP-3.8-5 peers follow what is private", asOwner("/ump/subscribe", func(*http.Request, canon.Value) bool { return true })},
		{"UMP-4.2-9 subscribe is not there", header("/ump/subscribe", func(r *http.Request) { r.URL.Path = "/ump/follow" })},
	}
}

// typed streams under another media type.
func typed() meddle {
	return func(next http.Handler) http.Handler {
		return on("/ump/subscribe", next, func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(&mistyped{w}, r)
		})
	}
}

type mistyped struct{ http.ResponseWriter }

// Unwrap lets http.ResponseController flush and set deadlines.
func (m *mistyped) Unwrap() http.ResponseWriter { return m.ResponseWriter }

// WriteHeader sends the head with the wrong media type.
func (m *mistyped) WriteHeader(status int) {
	m.Header().Set("Content-Type", "application/json")
	m.ResponseWriter.WriteHeader(status)
}

// Write sends a piece, with the wrong media type before the first.
func (m *mistyped) Write(p []byte) (int, error) {
	m.Header().Set("Content-Type", "application/json")
	return m.ResponseWriter.Write(p)
}

// FlushError sends what there is, the head first.
func (m *mistyped) FlushError() error {
	m.Header().Set("Content-Type", "application/json")
	return http.NewResponseController(m.ResponseWriter).Flush()
}

// silent drops the events of a type.
func silent(kind string) meddle {
	return func(next http.Handler) http.Handler {
		dropping := false
		return lines(func(line string) (string, bool) {
			if name, is := strings.CutPrefix(line, "event: "); is {
				dropping = name == kind
			}
			if line == "" && dropping {
				dropping = false
				return line, false
			}
			return line, !dropping
		})(next)
	}
}

// events looks at whole events of streams; the result false drops one. begin sees
// the request first, and may change it.
func events(begin func(r *http.Request) (keep func(v canon.Value) (canon.Value, bool))) meddle {
	return func(next http.Handler) http.Handler {
		return on("/ump/subscribe", next, func(w http.ResponseWriter, r *http.Request) {
			keep := begin(r)
			if keep == nil {
				next.ServeHTTP(w, r)
				return
			}
			var head []string // of the event under way
			lines(func(line string) (string, bool) {
				data, is := strings.CutPrefix(line, "data: ")
				switch {
				case is:
					v, _ := canon.Parse([]byte(data), canon.Options{})
					said, yes := keep(v)
					whole := strings.Join(append(head, "data: "+string(said.Append(nil)), ""), "\n")
					head = nil
					return whole, yes
				case strings.HasPrefix(line, "id:") || strings.HasPrefix(line, "event:"):
					head = append(head, line)
					return "", false
				}
				return line, strings.HasPrefix(line, ":")
			})(next).ServeHTTP(w, r)
		})
	}
}

// ofPeer reports whether a request comes with a capability token.
func ofPeer(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Authorization"), "Bearer umpcap.")
}

// unscoped tells of all that is erased, and of all else where it belongs: those
// who asked for a project, or peers.
func unscoped(peers bool) meddle {
	return events(func(r *http.Request) func(canon.Value) (canon.Value, bool) {
		project := r.URL.Query().Get("project")
		if ofPeer(r) != peers || !peers && project == "" {
			return nil
		}
		r.URL.RawQuery = ""
		if peers {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		return func(v canon.Value) (canon.Value, bool) {
			scope := v.Get("record").Get("scope")
			switch {
			case v.Get("type").Text() == "erased":
				return v, true
			case peers:
				return v, scope.Get("visibility").Text() == "shared" && !strings.HasSuffix(scope.Get("project").Text(), "-b")
			}
			return v, scope.Get("project").Text() == project
		}
	})
}

// unlessOwner tells peers nothing of events of a type.
func unlessOwner(kind string) meddle {
	return events(func(r *http.Request) func(canon.Value) (canon.Value, bool) {
		if !ofPeer(r) {
			return nil
		}
		return func(v canon.Value) (canon.Value, bool) { return v, v.Get("type").Text() != kind }
	})
}

// stillHolds tells peers of what was revised as it was before.
func stillHolds() meddle {
	return events(func(r *http.Request) func(canon.Value) (canon.Value, bool) {
		if !ofPeer(r) {
			return nil
		}
		return func(v canon.Value) (canon.Value, bool) {
			if v.Get("type").Text() == "revised" {
				v = v.With("record", without("time", "valid_to")(v.Get("record")).Without("superseded_by").Without("integrity"))
			}
			return v, true
		}
	})
}
