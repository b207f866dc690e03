package aimemsuite

import (
	"fmt"
	"mime"
	"strings"
)

// observed is the evidence of all answers, for rows that no single request tries.
type observed struct {
	refusals int
	wrong    map[string]error // by row: the first fault
}

func newObserved() observed { return observed{wrong: map[string]error{}} }

func (o *observed) broke(id string, err error) {
	if o.wrong[id] == nil {
		o.wrong[id] = err
	}
}

// note looks at one answer.
func (o *observed) note(a answer) {
	if a.Err != nil || a.Status < 400 {
		return
	}
	o.refusals++
	media, _, err := mime.ParseMediaType(a.Header.Get("Content-Type"))
	if err != nil || media != "application/problem+json" {
		o.broke("AIMEM-3-3", fmt.Errorf("%s: an error of %d comes as %q, not as application/problem+json", a.Asked, a.Status, a.Header.Get("Content-Type")))
		return
	}
	if strings.HasPrefix(a.Asked, "HEAD") {
		return
	}
	for _, member := range []string{"type", "title", "detail"} {
		if a.Value.Get(member).Text() == "" {
			o.broke("AIMEM-3-3", fmt.Errorf("%s: the problem has no %s", a.Asked, member))
		}
	}
	if int(a.Value.Get("status").Float()) != a.Status {
		o.broke("AIMEM-3-3", fmt.Errorf("%s: the problem says another status than %d", a.Asked, a.Status))
	}
}

func lateChecks() []check {
	return []check{
		{"AIMEM-3-3", func(r *run) error {
			if r.seen.refusals == 0 {
				return first(r.post(r.sample().sealed().With("chunks", r.junk())).Is(422, 409), r.seen.wrong["AIMEM-3-3"])
			}
			return r.seen.wrong["AIMEM-3-3"]
		}},
	}
}
