package pages_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestSearchAsToken asks fifty questions as the bearer of a token: the page has what
// POST /ump/recall answers to it, in its order; A8. The journal has the questions of the
// bearer alone.
func TestSearchAsToken(t *testing.T) {
	h := empty(t)
	sample(t, h)
	words := strings.Fields("harbour market bicycle invoice garden server kettle report battery winter")
	for i, word := range words {
		h.satchel(t, "remember", fmt.Sprintf("The %s of week %d is paid.", word, i), "--visibility", "shared")
	}
	cookie := h.cookie(t)
	token := strings.TrimSpace(h.satchel(t, "token", "mint", "--verb", "read", "--visibility", "shared", "--all", "--for", "1h", "--name", "Reader"))
	_, page := request(t, "GET", "http://"+h.addr+"/me/search", "", cookie)
	before, _, _ := strings.Cut(page, `">Token: Reader<`)
	as := before[strings.LastIndex(before, `value="`)+len(`value="`):]
	questions := []string{"allergic", "which package manager?", "when do deploys go out?", "عربي", "喝茶", "dinner o'clock", "Tartu printers 400", "zyzzyva", "<script>", "recent events"}
	for i := range 40 {
		questions = append(questions, fmt.Sprintf("what about the %s and the %s of week %d?", words[i%10], words[i*3%10], i%10))
	}
	some := 0
	for _, q := range questions {
		body, err := json.Marshal(map[string]string{"query": q})
		if err != nil {
			t.Fatal(err)
		}
		_, said := request(t, "POST", "http://"+h.addr+"/ump/recall", string(body), "Authorization: Bearer "+token, "Content-Type: application/json")
		var recalled struct {
			Results []struct{ Record struct{ ID string } }
		}
		if err := json.Unmarshal([]byte(said), &recalled); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		var want, got []string
		for _, r := range recalled.Results {
			want = append(want, strings.TrimPrefix(r.Record.ID, "urn:ump:"))
		}
		_, page := request(t, "GET", "http://"+h.addr+"/me/search?as="+url.QueryEscape(as)+"&q="+url.QueryEscape(q), "", cookie)
		given, _, _ := strings.Cut(page, `id="withheld"`)
		for _, m := range textLink.FindAllStringSubmatch(given, -1) {
			got = append(got, m[1])
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q: the page has %q, the token %q", q, got, want)
		}
		some += min(1, len(want))
	}
	if some < 40 {
		t.Errorf("only %d questions have an answer", some)
	}
	times := 0
	for end := time.Now().Add(10 * time.Second); times < len(questions) && time.Now().Before(end); { // the server writes readings late
		times = answersToTokens(t, h)
	}
	if times != len(questions) {
		t.Errorf("the journal has %d answers to the token", times)
	}
}

// answersToTokens counts the journal's answers to bearers of tokens.
func answersToTokens(t *testing.T, h *house) (times int) {
	t.Helper()
	var reads struct {
		Readings []struct {
			Token string
			Times int
		}
	}
	if err := json.Unmarshal([]byte(h.satchel(t, "--json", "audit", "reads", "--limit", "1000")), &reads); err != nil {
		t.Fatal(err)
	}
	for _, r := range reads.Readings {
		if r.Token != "" {
			times += r.Times
		}
	}
	return times
}
