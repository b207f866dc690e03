package route_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif/route"
)

// TestEgress: which addresses a definition may name where the operator has no list.
func TestEgress(t *testing.T) {
	for base, want := range map[string]bool{
		"https://m.example/v1": true, "https://8.8.8.8/v1": true, "https://[2606:4700::1]/": true, "http://m.example:8080": true,
		"http://169.254.169.254/": false, "http://10.1.2.3/": false, "http://192.168.0.1/": false, "http://172.16.0.1/": false,
		"http://127.0.0.1:11434/": false, "http://[::1]/": false, "http://[fe80::1%25eth0]/": false, "http://[fd00::1]/": false,
		"http://[::ffff:169.254.169.254]/": false, "http://[64:ff9b::a9fe:a9fe]/": false, "http://100.64.0.1/": false, "http://0.0.0.0/": false,
		"http://2852039166/": false, "http://0xa9.0xfe.0xa9.0xfe/": false, "http://127.1/": false, "http://localhost./": false, "http://LOCALHOST/": false,
		"http://metadata.google.internal/": false, "http://printer.local/": false, "http://intranet/": false, "http://kubernetes.default.svc/": false,
		"http://metadata.google.ｉnternal/": false, "http://x.ⓛocalhost/": false, "https://a.b。local/": false, "http://m.loca\u00adlhost/": false,
		"https://münchen.example/": false, "https://xn--mnchen-3ya.example/v1": true,
		"https://user:pass@m.example/": false, "file:///etc/passwd": false, "m.example": false, "https://": false,
	} {
		t.Run("AAIF-4.2-20 "+base, func(t *testing.T) {
			r := request("", "A")
			r.Chain[0].BaseURL = base
			if got := len(route.Decide(r, fleet(), nil).Order) == 1; got != want {
				t.Errorf("got %t, want %t", got, want)
			}
		})
	}
}

func TestAddressIsShown(t *testing.T) {
	r := request("", "A", "B")
	r.Residency, r.Chain[0].BaseURL = "EU", "https://us.evil.example/v1?key=abc"
	p := route.Decide(r, fleet(), nil)
	words := p.String()
	if !strings.Contains(words, "not p-A/A at https://us.evil.example/v1: ") || strings.Contains(words, "key") {
		t.Errorf("AAIF-4.9-4: got %q", words)
	}
	if got := p.Value().Get("routes").Items(); got == nil || !strings.Contains(string(p.Value().Append(nil)), `"base_url":"https://us.evil.example/v1"`) {
		t.Errorf("AAIF-4.9-4: got %s", p.Value().Append(nil))
	}
}
