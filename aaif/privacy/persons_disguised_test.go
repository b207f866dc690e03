package privacy_test

import (
	"encoding/base64"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/privacy"
	"github.com/satchel-memory/satchel/canon"
)

func TestDisguisedPersons(t *testing.T) {
	mail := base64.StdEncoding.EncodeToString([]byte("ada@example.org"))
	for text, want := range map[string]string{
		"to bob\uff20example.com now":           "to [EMAIL-REDACTED] now",
		"to bob\u200b@example.com now":          "to [EMAIL-REDACTED] now",
		"to bo\u200db@\u200bexample.com now":    "to [EMAIL-REDACTED] now",
		`to "bob smith"@example.com now`:        "to [EMAIL-REDACTED] now",
		"to o'neil@example.com now":             "to [EMAIL-REDACTED] now",
		"to 'bob@example.com' now":              "to '[EMAIL-REDACTED]' now",
		"to " + mail + " now":                   "to [EMAIL-REDACTED] now",
		"call 0049 30 1234567 now":              "call [PHONE-REDACTED] now",
		"call 0044 20 7946 0018.":               "call [PHONE-REDACTED].",
		"493012345678":                          "",
		"at 1718000000000 and 2026-06-10 00:17": "",
		"order 0012345 of 000 EUR":              "",
		"version 10.123.4567 and 3.4.0":         "",
		"0x0049 30 12":                          "",
		"id 0012-34-5678-9012-3456":             "",
		"0.0049 30 1234567":                     "",
		"000 49 30 1234567":                     "",
		"00:49:30 to 00:50:00":                  "",
		"total 1 000 000 000 EUR":               "",
		"price\u00ad liste":                     "",
		"caf\u00e9's @ home":                    "",
		"rank \"first\" @ 9":                    "",
		base64.StdEncoding.EncodeToString([]byte("hello world, how are you")): "",
		"7b1f6d0e-0049-4f0a-9a60-0f5f6f1f2a01":                                "",
	} {
		if want == "" {
			want = text
		}
		t.Run("AAIF-12-10 "+text, func(t *testing.T) {
			v := set(sample(t, "state").Value, "/conversation/0/content", canon.String(text))
			out, _ := leave(t, v, privacy.RedactOptions{PII: aaif.PIIAnonymize})
			expect(t, out.Get("conversation").Items()[0].Get("content").Text(), want)
		})
	}
	t.Run("AAIF-12-3 a known secret in other letters", func(t *testing.T) {
		for _, text := range []string{"ZEBRA7-QUAGGA", "zebra7-quagga"} {
			v := set(sample(t, "state").Value, "/conversation/0/content", canon.String("say "+text))
			out, _ := leave(t, v, privacy.RedactOptions{Secrets: []string{"Zebra7-quagga"}})
			expect(t, out.Get("conversation").Items()[0].Get("content").Text(), "say [SECRET-REDACTED]")
		}
	})
}
