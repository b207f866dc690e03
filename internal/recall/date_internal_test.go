package recall

import (
	"testing"
	"time"
)

func TestDateHinted(t *testing.T) {
	now := time.Date(2024, 5, 15, 10, 0, 0, 0, time.UTC) // a Wednesday
	for _, tt := range []struct{ text, from, to string }{
		{"What happened today?", "2024-05-15", "2024-05-16"},
		{"What did I eat yesterday", "2024-05-14", "2024-05-15"},
		{"What did Anna do last week?", "2024-05-06", "2024-05-13"},
		{"plans for this week", "2024-05-13", "2024-05-20"},
		{"last weekend", "2024-05-11", "2024-05-13"},
		{"previous month", "2024-04-01", "2024-05-01"},
		{"last year", "2023-01-01", "2024-01-01"},
		{"last March", "2024-03-01", "2024-04-01"},
		{"what happened in June", "2023-06-01", "2023-07-01"},
		{"what happened in May", "2024-05-01", "2024-06-01"},
		{"on 7 May 2023", "2023-05-07", "2023-05-08"},
		{"on May 7, 2023", "2023-05-07", "2023-05-08"},
		{"on the 7th of May", "2024-05-07", "2024-05-08"},
		{"on 20 May", "2023-05-20", "2023-05-21"},
		{"in August 2023", "2023-08-01", "2023-09-01"},
		{"in 2021", "2021-01-01", "2022-01-01"},
		{"on 2023-05-07", "2023-05-07", "2023-05-08"},
		{"on 2023/05/07", "2023-05-07", "2023-05-08"},
		{"on the night of 10.01.2024", "2024-01-10", "2024-01-11"},
		{"am 7.5.2023", "2023-05-07", "2023-05-08"},
		{"on 5/21/2023", "2023-05-21", "2023-05-22"},
		{"on 21/5/2023", "2023-05-21", "2023-05-22"},
		{"on 4/5/2023", "2023-01-01", "2024-01-01"}, // of April or of May
		{"on 31.2.2023", "2023-01-01", "2024-01-01"},
		{"the host 10.1.2.3", "", ""},
		{"two weeks ago", "2024-04-28", "2024-05-05"},
		{"three days ago", "2024-05-12", "2024-05-13"},
		{"a year ago", "2023-01-01", "2024-01-01"},
		{"what did we decide last Friday", "2024-05-10", "2024-05-11"},
		{"on Wednesday", "2024-05-15", "2024-05-16"},
		{"last summer", "2023-06-01", "2023-09-01"},
		{"in spring 2022", "2022-03-01", "2022-06-01"},
		{"in Q2", "2024-04-01", "2024-07-01"},
		{"around Christmas", "2023-12-18", "2024-01-01"},
		{"am 3. September", "2023-09-03", "2023-09-04"},
		{"el 3 de septiembre de 2022", "2023-09-03", "2023-09-04"},
		{"en mars 2022", "2022-03-01", "2022-04-01"},
		{"the Mars mission", "", ""},
		{"may I march on?", "", ""},
		{"the last one", "", ""},
		{"version 2.0", "", ""},
	} {
		t.Run(tt.text, func(t *testing.T) {
			v := dateHinted(new(stemmer).tokens(tt.text), now)
			if got := day(v.from) + " " + day(v.to); got != tt.from+" "+tt.to {
				t.Errorf("got %s, want %s %s", got, tt.from, tt.to)
			}
		})
	}
}

func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}
