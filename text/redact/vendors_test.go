package redact_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/text/redact"
)

// TestVendors: the tokens of each vendor are found by their beginning, and other texts with
// that beginning stay.
func TestVendors(t *testing.T) {
	many := func(n int) string { return strings.Repeat("aB3dE5gH7", n/9+1)[:n] }
	hex := func(n int) string { return strings.Repeat("0a1b2c3d", n/8+1)[:n] }
	upper := strings.ToUpper(many(27))
	for _, token := range []string{
		"glpat-" + many(20), "gldt-" + many(20), "glrt-" + many(20), "glptt-" + hex(40), "rubygems_" + hex(48), "cio" + many(32), many(14) + ".atlasv1." + many(67),
		"hvs." + many(24), "hvb." + many(60), "s." + many(24), "MTk4NjIyNDgzNDcxOTI1MjQ4" + ".Cl2FMQ." + many(27), "key-" + hex(32), hex(32) + "-us12", "xkeysib-" + hex(64) + "-" + many(16),
		"re_" + many(8) + "_" + many(24), "abc8Q~" + many(34), "1//0" + many(60), "EAA" + many(100), "EAAA" + many(60), "sq0atp-" + many(22), "sq0csp-" + many(43), "lin_api_" + many(40), "ntn_" + many(46),
		"figd_" + many(40), "sl." + many(135), "dapi" + hex(32), "dp.pt." + many(43), "pscale_tkn_" + many(43), "sbp_" + hex(40), "sb_secret_" + many(31), "NRAK-" + upper, "glc_" + many(60) + "==",
		"sntrys_" + many(60), "sntryu_" + hex(64), "ATATT3x" + many(180), "ATBB" + many(32), "pat" + many(14) + "." + hex(64), "fm2_" + many(80), "HRKU-" + hex(36), "vcp_" + many(24), "nfp_" + many(36),
		"PMAK-" + hex(24) + "-" + hex(34), "pul-" + hex(40), "tskey-auth-" + many(11) + "-" + many(32), "ops_eyJ" + many(100),
		"$apr1$" + many(8) + "$" + many(22), "$6$" + many(16) + "$" + many(86), "$6$rounds=5000$" + many(16) + "$" + many(86), "$2b$12$" + many(53), "$argon2id$v=19$m=65536,t=3,p=4$" + many(22) + "$" + many(43),
	} {
		in := "use " + token + " here"
		if got, n := redact.Secrets().Text(in); got != "use [SECRET-REDACTED] here" || n["secret"] != 1 {
			t.Errorf("%q became %q", in, got)
		}
	}
	for in, want := range map[string]string{
		"https://discord.com/api/webhooks/123456789012345678/" + many(68):                                   "https://discord.com/api/webhooks/§",
		"https://a.webhook.office.com/webhookb2/" + hex(36) + "@" + hex(36) + "/IncomingWebhook/" + hex(32): "https://a.webhook.office.com/webhookb2/§",
		"https://a.blob.core.windows.net/c?sv=2022&sig=" + many(43) + "%3D&se=x":                            "https://a.blob.core.windows.net/c?sv=2022&sig=§&se=x",
		"Private-Lines: 1\n" + many(64) + "\nPrivate-MAC: x":                                                "Private-Lines: 1\n§Private-MAC: x",
		"ｐａｓｓｗｏｒｄ： ｈｕｎｔｅｒ２ and tea":                                                                         "ｐａｓｓｗｏｒｄ： § and tea",
		"?password%3Dhunter22":   "?password%3D§",
		"password&#58; hunter22": "password&#58; §",
		"the key-value store, re_use, pat, EAA, s.method, slug sl.x, dp.x, -us, cio, vcp_x, $1$ and $6$, sig=, 100%3D": "the key-value store, re_use, pat, EAA, s.method, slug sl.x, dp.x, -us, cio, vcp_x, $1$ and $6$, sig=, 100%3D",
		"s.toLowerCaseOfEveryLetterIn, pathological.patterns, motorcycles.Motors":                                      "s.toLowerCaseOfEveryLetterIn, pathological.patterns, motorcycles.Motors",
	} {
		if got, _ := redact.Secrets().Text(in); got != strings.ReplaceAll(want, "§", "[SECRET-REDACTED]") {
			t.Errorf("%q became %q", in, got)
		}
	}
}
