package umpmcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
	"github.com/satchel-memory/satchel/ump/umpmcp"
	"github.com/satchel-memory/satchel/ump/umptest"
)

// counted counts how often IDs are shortened.
type counted struct {
	*umptest.Vault
	shortened int
	err       error
	panics    bool
}

// ShortIDs counts, and fails as it is told.
func (c *counted) ShortIDs(ctx context.Context, who memory.Caller, ids []memory.ID) (map[memory.ID]string, error) {
	if c.shortened++; c.panics {
		panic("no IDs today")
	}
	if c.err != nil {
		return nil, c.err
	}
	return c.Vault.ShortIDs(ctx, who, ids)
}

// TestModelBounds: names and relations keep an answer within its budget, as texts do.
func TestModelBounds(t *testing.T) {
	related := statement("Tea at five. " + strings.Repeat("More of it. ", 100))
	related.Scope.Project = strings.Repeat("\x01", 4000)
	for range 12 {
		related.Relations = append(related.Relations, memory.Relation{Type: strings.Repeat("r", 300), Target: "entity:" + strings.Repeat("\x01", 4000)})
	}
	linked := statement("linked")
	for i := range 6 {
		linked.Relations = append(linked.Relations, memory.Relation{Type: "about", Target: fmt.Sprintf("urn:ump:nobodyknowsthis%d", i)})
	}
	linked.Relations = append(linked.Relations, memory.Relation{Type: "about", Target: "entity:Löwe"})
	v := &counted{Vault: holding(t, related, linked)}
	client := connect(t, v, umpmcp.Options{}, "")
	for _, budget := range []int{150, 300, 1500} {
		for _, tool := range []string{"ump_recall", "ump_get"} {
			arguments := map[string]string{"ump_recall": `{"query":"tea"`, "ump_get": `{"id":"baaaaaaa"`}[tool]
			text, failed := ask(t, client, tool, fmt.Sprintf(`%s,"budget":%d}`, arguments, budget))
			record, _, _ := strings.Cut(text, "\nThe text of")
			if got := lines(t, record); failed || len(text) > budget*4+ump.FrameSize || len(got) != 1 || !strings.HasPrefix(got[0]["text"], "T") {
				t.Errorf("%s with a budget of %d: %d bytes: %s", tool, budget, len(text), text)
			}
		}
	}
	v.shortened = 0
	text, _ := ask(t, client, "ump_get", `{"id":"caaaaaaa"}`)
	if got := lines(t, text)[0]["relations"]; strings.Count(got, "about nobodyk") != 6 || !strings.HasSuffix(got, ", about entity:Löwe") || v.shortened != 2 {
		t.Errorf("%d looks for short ids; relations: %s", v.shortened, got)
	}
}

// TestModelLarge: an answer costs about as much time as its size.
func TestModelLarge(t *testing.T) {
	var records []memory.Record
	for i := range 20 {
		records = append(records, statement(fmt.Sprintf("tea %d ", i)+strings.Repeat("Löwe schläft. ", 4000)))
	}
	client := connect(t, holding(t, records...), umpmcp.Options{}, "")
	begun := racing.Work(t)
	for arguments, least := range map[string]int{`"view":"full","budget":16000000`: 1, `"view":"full"`: 0, `"budget":16000000`: 20} {
		text, failed := ask(t, client, "ump_recall", `{"query":"tea","limit":20,`+arguments+`}`)
		if failed || len(text) > 100_000 {
			t.Errorf("%s: %d bytes", arguments, len(text))
		}
		if least == 20 && (len(text) < 99_000 || strings.Count(text, `{"id":"`) < 20+20) {
			t.Errorf("%s: %d bytes", arguments, len(text))
		}
		if least < 20 {
			var answer struct {
				Results []json.RawMessage
				LeftOut int `json:"left_out"`
			}
			if err := json.Unmarshal([]byte(text), &answer); err != nil || len(answer.Results) != least || answer.LeftOut != 20-least {
				t.Errorf("%s: %d results, %d left out, %v", arguments, len(answer.Results), answer.LeftOut, err)
			}
		}
	}
	if took := racing.Work(t) - begun; took > 5*time.Second {
		t.Errorf("three answers took %v of the processors", took)
	}
}

// TestModelShortFails: an answer stays whole where IDs cannot be shortened, and the
// operator hears of it unless the caller just may not read.
func TestModelShortFails(t *testing.T) {
	for kind, want := range map[memory.ErrorKind]int{memory.Internal: 1, memory.RateLimited: 1, memory.ForbiddenScope: 0, memory.Unauthorized: 0} {
		reported := 0
		v := &counted{Vault: holding(t, statement("one")), err: &memory.Error{Kind: kind}}
		client := connect(t, v, umpmcp.Options{Report: func(string, error) { reported++ }}, "")
		text, failed := ask(t, client, "ump_remember", `{"text":"two"}`)
		if failed || text != "Remembered as urn:ump:caaaaaaaaaaaaaaaaaaaaaaaaa." || reported != want {
			t.Errorf("%s: %d reports: %s", kind, reported, text)
		}
	}
}

// TestModelRefusalFails: a fault while a refusal is written ends the call alone.
func TestModelRefusalFails(t *testing.T) {
	v := &counted{Vault: umptest.New(), panics: true}
	for _, id := range []memory.ID{"urn:ump:twinsarealike1", "urn:ump:twinsarealike2"} {
		r := statement("twin " + string(id))
		r.ID, r.Kind, r.Scope.Owner = id, memory.Semantic, owner
		if _, err := v.Remember(t.Context(), agent, memory.Draft{Record: r}); err != nil {
			t.Fatal(err)
		}
	}
	reported := 0
	client := connect(t, v, umpmcp.Options{Report: func(string, error) { reported++ }}, "")
	text, failed := ask(t, client, "ump_forget", `{"id":"twinsare","reason":"other"}`)
	if !failed || text != "invalid_record. Correct the arguments and call again." || reported != 1 {
		t.Errorf("%d reports: %s", reported, text)
	}
}
