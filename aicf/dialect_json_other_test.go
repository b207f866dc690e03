package aicf

import "testing"

// A list of objects with ids is no list of conversations.
func TestOtherJSONIsNoContext(t *testing.T) {
	for text, want := range map[string]bool{
		`[{"id":1}]`: false, `[{"id":"a","title":"issue","body":"x"}]`: false, `{"id":"a","name":"app"}`: false, `[[{"a":1}]]`: false,
		`[{"id":"a","title":"issue","created_at":"2025-01-06T08:00:00Z"}]`: false,
		`[{"id":"a","messages":3}]`:                                        true, `[{"title":"x"},{"id":"b","tokens":5}]`: true, `{"sessionId":"s"}`: true, `[]`: true, `{"decisions":["x"]}`: true,
	} {
		file, err := Parse([]byte(text), Options{Partial: true})
		if err != nil {
			t.Fatal(err)
		}
		_, found := Read(file, Options{Partial: true})
		if _, other := NoContext(found); other == want {
			t.Errorf("AICF-COMPAT-3 %s: a context file is %v, want %v: %v", text, !other, want, found)
		}
	}
}
