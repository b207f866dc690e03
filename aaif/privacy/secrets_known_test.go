package privacy_test

import (
	"encoding/base64"
	"encoding/json"
	"html"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif/privacy"
	"github.com/satchel-memory/satchel/canon"
)

// wrapped breaks a text into lines of a length.
func wrapped(text, end string, length int) string {
	var b strings.Builder
	for ; len(text) > length; text = text[length:] {
		b.WriteString(text[:length] + end)
	}
	return b.String() + text
}

func TestKnownSecretsHoweverSpelled(t *testing.T) {
	const marks, plain, lines = `p&ss<w0rd>"x'`, "abcdefsecretvalue", "line1secret\nline2secret\nline3secret"
	long := strings.Repeat("verylongsecretvalue0123456789", 4)
	inJSON, _ := json.Marshal(map[string]string{"a": html.EscapeString(marks)})
	entities := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;")
	for name, c := range map[string]struct{ secret, text, left string }{
		"in HTML":                   {marks, "see " + html.EscapeString(marks) + " there", "see # there"},
		"in XML":                    {marks, "see " + entities.Replace(marks) + " there", "see # there"},
		"in HTML in HTML":           {marks, html.EscapeString(html.EscapeString(marks)), "#"},
		"in HTML in JSON":           {marks, string(inJSON), `{"a":"#"}`},
		"in HTML in capitals":       {marks, "p&AMP;ss&LT;w0rd&GT;&QUOT;x'", "#"},
		"with a line end":           {plain + "\n", "see " + plain + " there", "see # there"},
		"with CRLF":                 {plain + "\r\n", plain, "#"},
		"with blanks":               {"  " + plain + " ", "see " + plain + ", there", "see #, there"},
		"in quotes":                 {`"` + plain + `"`, "see " + plain + " there", "see # there"},
		"with a line end, base64":   {plain + "\n", base64.StdEncoding.EncodeToString([]byte("ada:" + plain)), "#"},
		"lines with CRLF":           {lines, "see " + strings.ReplaceAll(lines, "\n", "\r\n") + " there", "see # there"},
		"lines with CR":             {lines, strings.ReplaceAll(lines, "\n", "\r"), "#"},
		"lines, indented":           {lines, "key: |\n  " + strings.ReplaceAll(lines, "\n", "\n\t  ") + "\nend", "key: |\n  #\nend"},
		"indented, in text without": {strings.ReplaceAll(lines, "\n", " \n  "), "see " + lines + " there", "see # there"},
		"lines as escapes":          {strings.ReplaceAll(lines, "\n", `\n`), "see " + lines + " there", "see # there"},
		"lines in one":              {lines, `{"a":"` + strings.ReplaceAll(lines, "\n", `\r\n`) + `"}`, `{"a":"#"}`},
		"wrapped":                   {long, "see " + wrapped(long, "\n", 40) + " there", "see # there"},
		"base64 with line breaks":   {long, "see " + wrapped(base64.StdEncoding.EncodeToString([]byte(long)), "\n", 76) + " there", "see # there"},
		"base64 with CRLF":          {long, wrapped(base64.StdEncoding.EncodeToString([]byte("ada:"+long)), "\r\n", 60), "#"},
		"base64, indented":          {plain, wrapped(base64.StdEncoding.EncodeToString([]byte(plain)), "\n  ", 8), "#"},
	} {
		t.Run("AAIF-12-3 "+name, func(t *testing.T) {
			v := set(sample(t, "state").Value, "/conversation/0/content", canon.String(c.text))
			out, done := leave(t, v, privacy.RedactOptions{Secrets: []string{c.secret}})
			expect(t, out.Get("conversation").Items()[0].Get("content").Text(), strings.ReplaceAll(c.left, "#", "[SECRET-REDACTED]"))
			expect(t, done.Secrets.Total(), 1)
			again, more := leave(t, out, privacy.RedactOptions{Secrets: []string{c.secret}})
			same(t, out, again)
			expect(t, more.Secrets.Total(), 0)
		})
	}
	t.Run("AAIF-12-3 other lines stay", func(t *testing.T) {
		const text = "line1secret\r\nline3secret &amp; line2secret\n\nabc"
		out, done := leave(t, set(sample(t, "state").Value, "/conversation/0/content", canon.String(text)), privacy.RedactOptions{Secrets: []string{lines, " ab ", "\n\n"}})
		expect(t, out.Get("conversation").Items()[0].Get("content").Text(), text)
		expect(t, done.Secrets.Total(), 0)
	})
}
