package engramsuite

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/text/pattern"
)

// observed is the evidence of all answers, for rows that no single request tries.
type observed struct {
	exports, throttles int
	subject            string
	wrong              map[string]error // by row: the first fault
}

func newObserved() observed { return observed{wrong: map[string]error{}} }

func (o *observed) broke(id string, err error) {
	if o.wrong[id] == nil {
		o.wrong[id] = err
	}
}

// observe looks at one answer.
func (r *run) observe(method, path string, a answer) {
	if a.Err != nil {
		return
	}
	for _, token := range []string{r.Token, r.Narrow, r.Expired, r.Reads} {
		if token != "" && a.tells(token) {
			r.seen.broke("ENGRAM-3.9-AUTH-8", fmt.Errorf("%s: a token stands in the answer", a.Asked))
		}
	}
	bare, _, _ := strings.Cut(path, "?")
	if a.Status == http.StatusTooManyRequests {
		r.seen.throttled(a)
	}
	switch {
	case a.Status >= 400 && method != http.MethodHead:
		r.seen.refusal(a)
	case a.Status == http.StatusOK && bare == contextPath && method == http.MethodGet:
		r.seen.export(a)
	}
}

// throttled looks at an answer that throttles the request.
func (o *observed) throttled(a answer) {
	o.throttles++
	said := a.Header.Get("Retry-After")
	_, bad := strconv.ParseUint(said, 10, 31)
	if _, err := http.ParseTime(said); bad != nil && err != nil {
		o.broke("ENGRAM-3.9-ERR-9", fmt.Errorf("%s: Retry-After says %q: neither seconds nor a date", a.Asked, said))
	}
	if a.code() != engram.RateLimited {
		o.broke("ENGRAM-3.9-ERR-9", fmt.Errorf("%s answered %s, not 429 %s", a.Asked, a.Said(), engram.RateLimited))
	}
}

// refusal looks at an error.
func (o *observed) refusal(a answer) {
	media, _, err := mime.ParseMediaType(a.Header.Get("Content-Type"))
	said := a.Value.Get("error")
	switch {
	case err != nil || media != "application/json":
		o.broke("ENGRAM-3.9-ERR-1", fmt.Errorf("%s: an error of %d is no JSON", a.Asked, a.Status))
	case said.Get("code").Text() == "" || said.Get("message").Text() == "" || said.Get("status").Type() != canon.TypeNumber:
		o.broke("ENGRAM-3.9-ERR-1", fmt.Errorf("%s: an error of %d lacks code, message or status", a.Asked, a.Status))
	case int(said.Get("status").Float()) != a.Status:
		o.broke("ENGRAM-3.9-ERR-1", fmt.Errorf("%s: the error says another status than %d", a.Asked, a.Status))
	}
	if code := engram.Code(said.Get("code").Text()); code != "" && !known(code) {
		o.broke("ENGRAM-3.9-ERR-13", fmt.Errorf("%s: there is no code %q", a.Asked, code))
	}
}

// known reports whether a code is one of the ten.
func known(code engram.Code) bool {
	switch code {
	case engram.Unauthorized, engram.TokenExpired, engram.Forbidden, engram.UserNotFound, engram.BeliefNotFound, engram.InvalidScope,
		engram.InvalidRequest, engram.RateLimited, engram.UnsupportedVersion, engram.ServerError, engram.ConstraintNotFound:
		return true
	}
	return false
}

// export looks at a context.
func (o *observed) export(a answer) {
	o.exports++
	for _, v := range engram.Validate(a.Body, true) {
		o.broke(v.Rule, fmt.Errorf("%s: %s: %s", a.Asked, v.Pointer, v.Message))
	}
	for _, name := range []string{"identity", "beliefs", "evolution", "corrections"} {
		if !a.Value.Has(name) {
			o.broke("ENGRAM-3.1-1", fmt.Errorf("%s: there is no %s", a.Asked, name))
		}
	}
	if a.Value.Get("expires_at").Type() != canon.TypeString {
		o.broke("ENGRAM-3.2-4", fmt.Errorf("%s: there is no expires_at", a.Asked))
	}
	if id := a.Value.Get("subject").Get("id").Text(); o.subject == "" {
		o.subject = id
	} else if id != o.subject {
		o.broke("ENGRAM-3.2-15", fmt.Errorf("%s: subject.id is another than before", a.Asked))
	}
	o.times("", a.Value)
}

// written matches the spelling of times.
var written = pattern.New(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$`)

// times looks at every time of a context.
func (o *observed) times(name string, v canon.Value) {
	for _, m := range v.Members() {
		o.times(m.Name, m.Value)
	}
	for _, item := range v.Items() {
		o.times("", item)
	}
	isTime := strings.HasSuffix(name, "_at") || name == "last_confirmed" || name == "last_updated" || name == "valid_until"
	if isTime && v.Type() == canon.TypeString && !written.MatchString(v.Text()) {
		o.broke("ENGRAM-3.2-22", fmt.Errorf("%s is written as %q, not in UTC with seconds and Z", name, v.Text()))
	}
}

// saw returns a check for each row that every context tries.
func saw(ids ...string) []check {
	var all []check
	for _, id := range ids {
		all = append(all, check{id, func(r *run) error {
			if r.seen.exports < 2 {
				r.get("?scope=minimal")
			}
			if r.seen.exports == 0 {
				return errors.New("there was no context")
			}
			return r.seen.wrong[id]
		}})
	}
	return all
}
