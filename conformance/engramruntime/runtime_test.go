package engramruntime

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/engram"
)

// runtime is a small runtime, and what may be wrong with it. The zero runtime does
// everything right.
type runtime struct {
	overlooks []engram.Reason // why a context is used all the same
	late      time.Duration   // its clock is behind
	statuses  bool            // it looks at no status
	breaks    bool            // it takes what came of an answer that broke off
	page      bool            // it prints what it cannot read
	wanders   bool            // it follows to other origins
	slashes   bool            // it does not look at the end of the address
	eager     bool            // it asks twice for the context
	nagging   int             // how often it asks once more for keys
	proposes  bool            // it sends a correction
	useless   bool            // it prints no context
	deaf      bool            // it knows standard paths alone, though it asks for others
	anyKey    bool            // it tries all keys
	anyIssuer bool            // it believes the address in the document
	noisy     bool            // it prints the context though it fails
	silent    bool            // it does not say why it fails
	dislikes  string          // a text that makes it fail
	archived  bool            // it prints what is archived
	least     float64         // confidence; 0: 0.5
	unsaid    float64         // confidence where there is none
	deleted   bool            // it prints what is deleted
	proposed  bool            // it prints what somebody proposed
	raw       bool            // it prints values as they are
	title     string          // of the first line; empty: User
	joint     string          // between the base prompt and the text; empty: a blank line
	overdue   bool            // it drops what is overdue
	impatient bool            // it drops what could become overdue
	othersaid bool            // it prints another error object
}

// export is what the runtime reads of a context.
type export struct {
	Issuer      struct{ URL string }
	Identity    map[string]any
	Beliefs     []map[string]any
	Corrections []map[string]any
}

func (m runtime) start(ctx context.Context, c Call) (Said, error) {
	log := ""
	raw, err := m.fetch(ctx, c)
	if err == nil {
		log, err = m.verify(ctx, c, raw)
	}
	var e export
	if read := json.Unmarshal(raw, &e); err == nil {
		if err = read; e.Identity == nil {
			err = errors.New("it is nobody's")
		}
	}
	switch {
	case err != nil && m.page && len(raw) > 0 && !json.Valid(raw):
		return Said{Done: true, Out: string(raw)}, nil
	case err == nil && m.dislikes != "" && strings.Contains(string(raw), m.dislikes):
		err = errors.New("it does not like that")
	}
	text := m.render(c, e)
	if m.useless {
		text = c.Base
	}
	if err == nil {
		return Said{Done: true, Out: text, Log: log}, nil
	}
	s := Said{Log: log + err.Error()}
	if m.noisy {
		s.Out = text
	}
	if m.silent {
		s.Log = ""
	}
	return s, nil
}

// fetch asks for the context.
func (m runtime) fetch(ctx context.Context, c Call) ([]byte, error) {
	base := strings.TrimSuffix(c.URL, "/")
	if m.slashes {
		base = c.URL
	}
	path, token := contextPath, "Bearer "+c.Token
	var found struct{ Endpoints struct{ Context string } }
	if said, err := m.get(ctx, base+engram.DiscoveryPath, ""); err == nil && json.Unmarshal(said, &found) == nil && found.Endpoints.Context != "" && !m.deaf {
		path = found.Endpoints.Context
	}
	if m.proposes {
		if r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/v1/context/correct", strings.NewReader("{}")); err == nil {
			_, _, _ = m.send(r)
		}
	}
	if m.eager {
		_, _ = m.get(ctx, base+path, token)
	}
	return m.get(ctx, base+path, token)
}

func (m runtime) get(ctx context.Context, url, authorization string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	body, status, err := m.send(r)
	switch {
	case err != nil && (!m.breaks || len(body) == 0):
		return nil, err
	case status != http.StatusOK && (!m.statuses || len(body) == 0):
		return nil, fmt.Errorf("status %d", status)
	}
	return body, nil
}

func (m runtime) send(r *http.Request) ([]byte, int, error) {
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
		if m.wanders {
			return nil
		}
		return http.ErrUseLastResponse
	}}
	got, err := client.Do(r)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = got.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(got.Body, 1<<20))
	if err == nil && len(body) == 1<<20 {
		err = errors.New("too long")
	}
	return []byte(strings.TrimRight(string(body), " ")), got.StatusCode, err
}

// verify looks at a context; what it returns beside an error is said in any case.
func (m runtime) verify(ctx context.Context, c Call, raw []byte) (string, error) {
	issuer := strings.TrimSuffix(c.URL, "/")
	var e export
	if m.anyIssuer && json.Unmarshal(raw, &e) == nil {
		issuer = e.Issuer.URL
	}
	address, asked := issuer+engram.KeysPath, false
	var list []engram.Key
	if m.slashes {
		_ = json.Unmarshal(raw, &e)
		address = e.Issuer.URL + engram.KeysPath
	}
	o := engram.VerifyOptions{Issuer: issuer, Now: time.Now().Add(-m.late), Audience: c.Audience, Keys: func(bool) ([]engram.Key, error) {
		if asked {
			return nil, nil
		}
		asked = true
		for range m.nagging {
			_, _ = m.get(ctx, address, "")
		}
		said, err := m.get(ctx, address, "")
		if err != nil {
			return nil, err
		}
		list, err = engram.DecodeKeys(said)
		return list, err
	}}
	_, err := engram.Verify(raw, o)
	refusal, ok := errors.AsType[*engram.Refusal](err)
	if !ok {
		return "", err
	}
	if m.anyKey && refusal.Reason == engram.BadSignature {
		for _, k := range list {
			k.Kid = current
			o.Keys = func(bool) ([]engram.Key, error) { return []engram.Key{k}, nil }
			if _, again := engram.Verify(raw, o); again == nil {
				return "", nil
			}
		}
	}
	if slices.Contains(m.overlooks, refusal.Reason) {
		return "", nil
	}
	if refusal.Reason == engram.VersionRefused && m.othersaid {
		return `{"error":{"code":"server_error"}}` + "\n", err
	}
	return "", err
}

// render puts a context before a model.
func (m runtime) render(c Call, e export) string {
	say := func(v any) string {
		text, _ := v.(string)
		if m.raw {
			return text
		}
		return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r < ' ' || strings.ContainsRune("\u0085\u2028\u2029", r) }), " ")
	}
	title, joint := cmp.Or(m.title, "User"), cmp.Or(m.joint, "\n\n")
	var b strings.Builder
	if c.Base != "" {
		b.WriteString(c.Base + joint)
	}
	fmt.Fprintf(&b, "%s: %s\nTimezone: %s\n\nWhat I know about this user:\n", title, say(e.Identity["display_name"]), say(e.Identity["timezone"]))
	for _, belief := range e.Beliefs {
		if m.certain(belief) {
			fmt.Fprintf(&b, "- %s: %s\n", say(belief["key"]), say(belief["value"]))
		}
	}
	for _, correction := range e.Corrections {
		if m.proposed {
			fmt.Fprintf(&b, "- corrected: %s\n", say(correction["new_value"]))
		}
	}
	return b.String()
}

func (m runtime) certain(belief map[string]any) bool {
	least := cmp.Or(m.least, 0.5)
	confidence, said := belief["confidence"].(float64)
	if !said {
		confidence = m.unsaid
	}
	if days, ok := belief["stale_after_days"].(float64); ok {
		text, _ := belief["last_confirmed"].(string)
		confirmed, _ := engram.ParseInstant(text)
		if m.impatient || m.overdue && time.Since(confirmed) > time.Duration(days)*24*time.Hour {
			return false
		}
	}
	status := belief["status"]
	return confidence >= least && (status == "active" || m.archived && status == "archived" || m.deleted && status == "deleted")
}
