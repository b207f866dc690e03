package importtest

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// Records draws records with difficult data for formats: texts that look like a format's
// marks, names that are paths, dates, relations, labels.
func Records(t *rapid.T) []memory.Record {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"Uses pnpm, never npm.", "Uses pnpm, never npm. #tooling", "two\nlines", "- [fact] a bullet", "- knows [[Ada]]", "# Heading\n\ntext",
		"---\na: b\n---\n", "a\r\nb", " around ", "../../etc/passwd", "CON", "[[x]] #y key:: value", "```\ncode\n```", "%% hidden %%",
		"Ada: plays chess", "Ada knows Eve", "at the end (2026-01-01T00:00:00Z)", "a\x00b", "\u2028", "text\n\n## Relations\n- about [[Ada]]", "🤖 中文",
	}))
	name := rapid.OneOf(rapid.SampledFrom([]string{"Ada", "Eve", "ada", "../x", "a/b", "a|b]]", "", " ", "CON", "x\ny", "中文", "2026-01-01"}), rapid.StringN(0, 12, 40))
	day := rapid.Custom(func(t *rapid.T) time.Time {
		return time.Unix(rapid.Int64Range(0, 1_760_000_000).Draw(t, "seconds"), rapid.SampledFrom([]int64{0, 500_000_000, 1}).Draw(t, "nanos")).UTC()
	})
	n := rapid.IntRange(0, 6).Draw(t, "records")
	records := make([]memory.Record, n)
	for i := range records {
		r := memory.Record{
			Version: "0.1", ID: memory.ID(fmt.Sprintf("urn:ump:r%d", i)), Kind: rapid.SampledFrom(memory.Kinds()).Draw(t, "kind"),
			Body:  memory.Body{Text: text.Draw(t, "text")},
			Scope: memory.Scope{Owner: Options().Owner, Visibility: memory.Private},
			Time:  memory.Times{Created: day.Draw(t, "created")},
		}
		if rapid.Bool().Draw(t, "more") {
			r.Time.Observed = day.Draw(t, "observed")
			r.Scope.Project = name.Draw(t, "project")
		}
		if rapid.Bool().Draw(t, "filled") {
			r.Time.Observed, r.Time.ValidFrom = r.Time.Created, r.Time.Created
		}
		if rapid.Bool().Draw(t, "labels") {
			tags := canon.Array(canon.String(name.Draw(t, "tag")), canon.String("tooling"))
			r.Body.Structured = canon.Object(canon.Member{Name: "tags", Value: tags}).Append(nil)
		}
		for range rapid.IntRange(0, 2).Draw(t, "relations") {
			kind := rapid.SampledFrom([]string{memory.About, "knows", "kind", "a b"}).Draw(t, "type")
			r.Relations = append(r.Relations, memory.Relation{Type: kind, Target: "entity:" + name.Draw(t, "target")})
		}
		records[i] = r
	}
	return records
}
