package redact

// vendorShapes are the tokens of single vendors, as the vendors publish them: beginning,
// length and letters.
var vendorShapes = []secretShape{
	shape(`gl(?:pat|dt|rt|ptt|cbt|ft|imt|agent|soat)-[A-Za-z0-9_\-.]{16,}`, "glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glft-", "glimt-", "glagent-", "glsoat-"),
	shape(`rubygems_[0-9a-f]{40,}`, "rubygems_"),
	that(madeUp, shape(`cio[A-Za-z0-9]{32}\b`, "cio")), // crates.io
	back(14, shape(`[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_\-=]{50,}`, ".atlasv1.")),
	that(ofCases, inSets(shape(`s\.[A-Za-z0-9]{24}\b`), "s", ".", alphanumeric, alphanumeric, alphanumeric)), // Vault of old
	shape(`discord(?:app)?\.com/api/(?:v\d+/)?webhooks/(\d{15,20}/[A-Za-z0-9_\-]{40,})`, "discord.com/api/", "discordapp.com/api/"),
	inRuns(inSets(shape(`[MNO][A-Za-z0-9_\-]{23,27}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,40}`), "mno", "dtjz", "aeimquycgk", alphanumeric)), // Discord
	insideWord(shape(`\.webhook\.office\.com/(?:webhookb2/)?([A-Za-z0-9@\-]{30,}/\S{20,})`, ".webhook.office.com/")),
	shape(`key-[0-9a-f]{32}\b`, "key-"),                // Mailgun
	back(32, shape(`[0-9a-f]{32}-us\d{1,2}\b`, "-us")), // Mailchimp
	shape(`xkeysib-[A-Za-z0-9\-]{40,}`, "xkeysib-"),
	that(madeUp, shape(`re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}`, "re_")),                 // Resend
	shape(`sig=([A-Za-z0-9%+/]{40,}=*)`, "sig="),                                     // Azure, shared access
	back(3, shape(`[A-Za-z0-9_~.\-]{3}[78]Q~[A-Za-z0-9_~.\-]{31,34}`, "7q~", "8q~")), // Azure, of clients
	shape(`1//0[A-Za-z0-9_\-]{20,}`, "1//0"),                                         // Google, to refresh
	inRuns(that(madeUp, shape(`EAA[A-Za-z0-9_\-]{40,}`, "eaa"))),                     // Facebook, Square
	shape(`sq0[a-z]{3}-[A-Za-z0-9_\-]{22,}`, "sq0atp-", "sq0csp-"),
	shape(`lin_api_[A-Za-z0-9]{30,}`, "lin_api_"),
	shape(`ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}\b`, "ntn_", "secret_"), // Notion
	shape(`figd_[A-Za-z0-9_\-]{30,}`, "figd_"),
	shape(`sl\.(?:u\.)?[A-Za-z0-9_\-]{60,}`, "sl."),                      // Dropbox
	shape(`dapi[0-9a-f]{32}(?:-\d)?\b`, "dapi"),                          // Databricks
	shape(`dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.\-]{40,}`, "dp."), // Doppler
	shape(`pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_\-.=]{30,}`, "pscale_"),
	shape(`sbp_[0-9a-f]{40,}|sb_secret_[A-Za-z0-9_\-]{20,}`, "sbp_", "sb_secret_"), // Supabase
	shape(`NRAK-[A-Z0-9]{27}\b`, "nrak-"),
	shape(`glc_[A-Za-z0-9+/]{30,}=*`, "glc_"),
	shape(`sntry[su]_[A-Za-z0-9+/_\-=]{40,}`, "sntrys_", "sntryu_"),
	shape(`ATATT3x[A-Za-z0-9_\-=]{50,}|ATBB[A-Za-z0-9]{24,}`, "atatt3x", "atbb"), // Atlassian
	shape(`pat[A-Za-z0-9]{14}\.[0-9a-f]{60,}`, "pat"),                            // Airtable
	shape(`fm2_[A-Za-z0-9+/=_,\-]{40,}`, "fm2_"),                                 // Fly.io
	shape(`HRKU-[A-Za-z0-9_\-]{36,}`, "hrku-"),
	shape(`vcp_[A-Za-z0-9]{24,}`, "vcp_"),
	shape(`nfp_[A-Za-z0-9]{36,}`, "nfp_"),
	shape(`PMAK-[0-9a-f]{24}-[0-9a-f]{34}`, "pmak-"),
	shape(`pul-[0-9a-f]{40}\b`, "pul-"),
	shape(`tskey-(?:auth|api|client|webhook|scim)-[A-Za-z0-9\-]{16,}`, "tskey-"),
	shape(`ops_eyJ[A-Za-z0-9_\-]{40,}`, "ops_eyj"),
}

const alphanumeric = "0123456789abcdefghijklmnopqrstuvwxyz"

// ofCases reports whether a text has small letters, capital letters and digits.
func ofCases(text string) bool {
	var small, capital, number bool
	for i := range len(text) {
		c := text[i]
		small, capital, number = small || i > 0 && 'a' <= c && c <= 'z', capital || 'A' <= c && c <= 'Z', number || digit(c)
	}
	return small && capital && number
}
