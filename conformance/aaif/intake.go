package aaifsuite

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
)

func intakeChecks() []check {
	return []check{
		{"AAIF-7-16", endpoint},
		{"AAIF-6-2", judged},
		{"AAIF-10-5", func(r *run) error {
			return r.turnsDown("a provider that no registry has", set(r.definition(""), "/agent/model/provider", canon.String("conformance-"+r.nonce)))
		}},
		{"AAIF-U.D-1", func(r *run) error {
			if err := r.present(); err != nil {
				return blocked(err)
			}
			old := r.take(r.definition(r.agentID).With("sc_version", canon.String("2.1.0")))
			return conformance.First(named("an earlier edition", old.taken()),
				r.turnsDown("a newer MAJOR edition", r.definition("").With("sc_version", canon.String("9.0.0"))))
		}},
		{"AAIF-12-4", secrets},
	}
}

// present makes the platform accept the run's own definition, once. Rows about kept
// definitions or about states need it.
func (r *run) present() error {
	return r.agent.once(func() error {
		v := at(r.definition(r.agentID), "minimal")
		a := r.take(v)
		if a.code() == aaif.SignatureMissing && !r.Key.IsZero() { // the platform may demand a signature (AAIF-12-17)
			r.signs = true
			a = r.take(v)
		}
		if err := a.taken(); err != nil {
			return fmt.Errorf("the smallest definition there is: %w", err)
		}
		r.left = append(r.left, "agent "+r.agentID)
		if got := a.Value.Get("agent_id").Text(); got != r.agentID {
			return fmt.Errorf("it is kept under another agent_id, %.60q", got)
		}
		if a.Status != http.StatusCreated {
			return fmt.Errorf("%s answered %s of a definition that is new, not 201", a.Asked, a.Said())
		}
		return nil
	})
}

// endpoint tries the statuses of the intake that belong to no single rule.
func endpoint(r *run) error {
	if err := r.present(); err != nil {
		return err
	}
	same := at(r.definition(r.agentID), "minimal")
	again := r.take(same)
	if err := again.is(http.StatusOK, http.StatusCreated); err != nil {
		return named("the same definition again", err)
	}
	if again.Status != http.StatusOK || !again.Value.Has("level") || again.Value.Get("warnings").Type() != canon.TypeArray {
		return fmt.Errorf("the same definition again: %s, or without level and warnings", again.Said())
	}
	bad := r.take(r.definition("").Without("agent"))
	if err := bad.refused(http.StatusUnprocessableEntity); err != nil {
		return err
	}
	if bad := r.take(set(r.definition(""), "/agent/nickname", canon.String("x"))); bad.refused(http.StatusUnprocessableEntity) != nil || bad.Value.Get("errors").Len() == 0 {
		return fmt.Errorf("an invalid definition gets %s, or no list of errors", bad.Said())
	}
	open := r.do(ask{method: http.MethodPost, path: r.intake, media: jsonType, body: same.Append(nil), open: true})
	if r.offer.Platform.Intake.AuthScheme != "none" {
		if err := named("without a bearer", open.is(http.StatusUnauthorized)); err != nil {
			return err
		}
	}
	return conformance.First(named("as text/plain", r.takeRaw(same.Append(nil), "text/plain").is(http.StatusUnsupportedMediaType)), r.large())
}

// large sends one byte more than the manifest allows.
func (r *run) large() error {
	most := r.offer.Platform.Intake.MaxBytes
	if most <= 0 || most > 64<<20 {
		return nil // the manifest sets no limit
	}
	v := r.definition(r.agentID)
	v = v.With("_comment", canon.String(strings.Repeat("x", most+1-len(v.Append(nil)))))
	body := v.Append(nil)
	slow := func() io.Reader {
		return io.MultiReader(bytes.NewReader(body[:1024]), pause{r}, bytes.NewReader(body[1024:]))
	}
	a := r.do(ask{method: http.MethodPost, path: r.intake, media: jsonType, stream: slow, length: int64(len(body))})
	return named(fmt.Sprintf("more than %d bytes", most), a.is(http.StatusRequestEntityTooLarge))
}

// pause is a body that only waits. It keeps the connection open, so that an early answer
// is not lost.
type pause struct{ r *run }

// Read waits, then reports the end.
func (w pause) Read([]byte) (int, error) {
	conformance.Pause(w.r.ctx, 300*time.Millisecond)
	return 0, io.EOF
}

// wrong returns definitions that the schema refuses.
func (r *run) wrong() map[string]canon.Value {
	v := r.definition("")
	return map[string]canon.Value{
		"without a goal":         v.With("agent", text("name", "x")),
		"with an empty name":     set(v, "/agent/name", canon.String("")),
		"of another standard":    v.With("sc_standard", canon.String("SC-005")),
		"with an unknown member": v.With("metadata", canon.Object()),
		"with an unknown role":   set(v, "/agent/orchestration/role", canon.String("manager")),
		"with tags that repeat":  v.With("tags", list("a", "a")),
	}
}

// judged tries valid and invalid definitions.
func judged(r *run) error {
	if err := r.present(); err != nil {
		return blocked(err)
	}
	for what, v := range r.wrong() {
		if err := r.turnsDown(what, v); err != nil {
			return err
		}
	}
	for what, raw := range map[string]string{"an array": "[]", "no JSON": "{", "doubled members": `{"sc_standard":"SC-006","sc_standard":"SC-006","agent":{"name":"x","goal":"y"}}`} {
		if err := named(what, r.takeRaw([]byte(raw), jsonType).refused(http.StatusUnprocessableEntity)); err != nil {
			return err
		}
	}
	full := at(r.definition(r.agentID), "minimal").With("tags", list("conformance")).With("x-conformance", text("of", r.nonce))
	return named("a valid definition with an extension", r.take(full).taken())
}

// turnsDown sends a definition that the platform must refuse as invalid. The definition has
// an id of its own, and the platform must keep nothing under it.
func (r *run) turnsDown(what string, v canon.Value, codes ...aaif.Code) error {
	_, err := r.rejects(what, http.StatusUnprocessableEntity, v, codes...)
	return err
}

func (r *run) rejects(what string, status int, v canon.Value, codes ...aaif.Code) (answer, error) {
	id, err := r.newID()
	if err != nil {
		return answer{}, err
	}
	a := r.take(v.With("agent_id", canon.String(id)))
	if a.taken() == nil {
		r.left = append(r.left, "agent "+id)
	}
	if err := a.refused(status, codes...); err != nil {
		return a, named(what, err)
	}
	if kept := r.get(r.intake + "/" + url.PathEscape(id)); kept.Status == http.StatusOK {
		r.left = append(r.left, "agent "+id)
		return a, fmt.Errorf("%s is refused, and kept all the same", what)
	}
	return a, nil
}

// seen checks that the platform shows the definitions that it keeps. Otherwise nobody can
// tell whether a refused one left something behind.
func (r *run) seen() error {
	if err := r.present(); err != nil {
		return blocked(err)
	}
	if a := r.get(r.intake + "/" + url.PathEscape(r.agentID)); a.Status != http.StatusOK {
		return conformance.Lacks("the platform does not show what it keeps")
	}
	return nil
}

// planted returns credentials in shapes that scanners look for. The function assembles them,
// so that no text of the program has such a shape.
func planted() map[string]string {
	random := "q7Zx2Lr9Vb4Kd8Wm3Tn6Yp1Hs5Jf0Gc"
	return map[string]string{
		"a bearer in a description":  "call it with Authorization: " + "Bearer " + random + random,
		"a key of a cloud":           "AK" + "IA" + "Q7ZX2LR9VB4KD8WM",
		"a key of a model":           "s" + "k-" + random + random[:16],
		"a token of a forge":         "gh" + "p_" + random + random[:4],
		"a private key":              "-----BEGIN " + "PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIE" + random + "\n-----END " + "PRIVATE KEY-----",
		"an address with a password": "https://book:" + random + "@ledger.example/x",
	}
}

// secrets plants one credential at a time.
func secrets(r *run) error {
	for what, text := range planted() {
		v := set(r.definition(""), "/agent/instructions", canon.String("Say "+text))
		a, err := r.rejects(what, http.StatusUnprocessableEntity, v, aaif.InlineSecret)
		if err != nil {
			return err
		}
		if !strings.Contains(string(a.Body), "/agent/instructions") {
			return fmt.Errorf("%s: the answer does not say where it is", what)
		}
		if strings.Contains(string(a.Body), text) {
			return errors.New("the answer repeats the secret")
		}
	}
	return nil
}
