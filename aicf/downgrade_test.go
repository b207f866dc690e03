package aicf_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aicf"
)

// of31 is a file with everything that came with 3.1.
const of31 = `1|@AICF_VERSION
2|version=3.1
3|origin=here
4|
5|@SESSION:s1
6|app_name=demo
7|user_id=ann
8|created_at=2025-10-06T08:00:00Z
9|last_update_time=2025-10-06T08:00:00Z
10|status=active
11|
12|@CONVERSATION:c1
13|timestamp_start=2025-10-06T08:00:00Z
14|timestamp_end=2025-10-06T08:00:00Z
15|messages=1
16|
17|@STATE
18|flow=a|b
19|app:key=1
20|
21|@STATE:user
22|status=completed
23|user:lang=go
24|
25|@INSIGHTS
26|@INSIGHTS a|DATA|HIGH|LOW|memory_type=semantic
27|@INSIGHTS b|DATA|HIGH|LOW|memory_type=episodic|src=x
28|
29|@LINKS
30|@LINKS c1->insight_001|causal_relationship
31|@LINKS c1->s1|related_to
32|@LINKS c1->insight_002|implements
33|
34|@EMBEDDING:c1
35|model=m
36|dimension=1
37|vector=1
38|
39|@CONSOLIDATION:k1
40|source_items=c1
41|consolidated_at=2025-10-06T08:00:00Z
42|method=deduplication
43|
44|@WORK:w
45|a=b
46|
`

const as30 = `1|@AICF_VERSION
2|version=3.0
3|origin=here
4|
5|@CONVERSATION:c1
6|timestamp_start=2025-10-06T08:00:00Z
7|timestamp_end=2025-10-06T08:00:00Z
8|messages=1
9|
10|@STATE
11|flow=a|b
12|app_key=1
13|
14|@STATE
15|status=completed
16|user_lang=go
17|
18|@INSIGHTS
19|@INSIGHTS a|DATA|HIGH|LOW
20|@INSIGHTS b|DATA|HIGH|LOW|src=x
21|
22|@LINKS
23|@LINKS c1->insight_001|related_to
24|@LINKS c1->insight_002|implements
25|
26|@WORK:w
27|a=b
28|
`

func TestVersion30(t *testing.T) {
	for name, o := range map[string]aicf.WriteOptions{
		"AICF-COMPAT-4 AICF-SESSION-10 AICF-LINKS-4 in canonical form": {Version: aicf.V30},
		"AICF-COMPAT-4 AICF-SESSION-10 AICF-LINKS-4 as it was read":    {Version: aicf.V30, Preserve: true},
	} {
		t.Run(name, func(t *testing.T) {
			c := read(t, []byte(of31))
			out, losses, err := aicf.Encode(c, o)
			if err != nil || string(out) != as30 {
				t.Errorf("%v; got\n%s", err, out)
			}
			want := []string{"line:5 @SESSION", "line:17 scopes", "line:21 scopes", "line:27 episodic", "line:30 causal_relationship", "line:31 link", "line:34 @EMBEDDING", "line:39 @CONSOLIDATION"}
			for i, w := range want {
				place, word, _ := strings.Cut(w, " ")
				if i >= len(losses) || losses[i].Pointer != place || !strings.Contains(losses[i].Reason, word) {
					t.Errorf("loss %d is not %s: %v", i, w, losses)
					break
				}
			}
			if len(losses) != len(want) {
				t.Errorf("%d losses", len(losses))
			}
			if again := encode(t, c, aicf.WriteOptions{Preserve: true}); string(again) != of31 {
				t.Errorf("the contents were changed:\n%s", again)
			}
		})
	}
	t.Run("AICF-COMPAT-4 a file of 3.0 stays one while nothing is changed", func(t *testing.T) {
		same(t, []byte(as30))
		if out := encode(t, read(t, []byte(as30)), aicf.WriteOptions{}); !strings.HasPrefix(string(out), "1|@AICF_VERSION\n2|version=3.1\n3|origin=here\n") {
			t.Errorf("got\n%s", out)
		}
	})
	t.Run("AICF-COMPAT-4 a preserved file says the version that was asked for", func(t *testing.T) {
		out := encode(t, read(t, []byte(as30)), aicf.WriteOptions{Version: aicf.V31, Preserve: true})
		if string(out) != strings.Replace(as30, "version=3.0", "version=3.1", 1) {
			t.Errorf("got\n%s", out)
		}
	})
}
