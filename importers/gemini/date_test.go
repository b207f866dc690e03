package gemini

import (
	"testing"
	"time"
)

// Dates are read in the languages of accounts; what is no date has no time.
func TestPageTime(t *testing.T) {
	afternoon := time.Date(2025, 1, 5, 14, 4, 5, 0, time.UTC)
	for line, want := range map[string]time.Time{
		"Jan 5, 2025, 3:04:05 PM CET":           afternoon,
		"5 sty 2025, 15:04:05 CET":              afternoon,
		"5 янв. 2025 г., 17:04:05 MSK":          afternoon,
		"5 січ. 2025 р., 16:04:05 EET":          afternoon,
		"5 Oca 2025 17:04:05 TRT":               afternoon,
		"5 ian. 2025, 16:04:05 EET":             afternoon,
		"5 Ιαν 2025, 4:04:05 μ.μ. EET":          afternoon,
		"5 Ιαν 2025, 4:04:05 π.μ. EET":          afternoon.Add(-12 * time.Hour),
		"5 בינו׳ 2025, 16:04:05 EET":            {},
		"5 ינו׳ 2025, 16:04:05 EET":             afternoon,
		"5 जन॰ 2025, 14:04:05 UTC":              afternoon,
		"5 ม.ค. 2568 21:04:05 GMT+7":            afternoon,
		"5 มี.ค. 2568 21:04:05 GMT+7":           afternoon.AddDate(0, 2, 0),
		"21:04:05 5 thg 1, 2025 GMT+7":          afternoon,
		"05\u200f/01\u200f/2025، 4:04:05 م EET": afternoon,
		"05\u200f/01\u200f/2025، 4:04:05 ص EET": afternoon.Add(-12 * time.Hour),
		"2025/01/05 23:04:05 JST":               afternoon,
		"5 qqq 2025, 15:04:05 CET":              {},
		"32 sty 2025, 15:04:05 CET":             {},
	} {
		if got, _ := pageTime(line); !got.Equal(want) {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}
