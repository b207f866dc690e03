package model_test

import (
	"fmt"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/run/fakemodel"
	"github.com/satchel-memory/satchel/internal/run/model"
	"pgregory.net/rapid"
)

// Whatever a conversation holds, such as one that was cut or restored from elsewhere, no
// provider refuses its form: the user speaks first, and every call has one result.
func TestConversations(t *testing.T) {
	ok := 1 << 30
	_, address := fakemodel.Start(t, model.Step{Answer: "fine", Times: ok})
	client := model.New(model.Options{})
	ids := rapid.SampledFrom([]string{"", "a", "b", "c d"})
	message := rapid.Custom(func(t *rapid.T) aaif.Message {
		m := aaif.Message{Role: rapid.SampledFrom([]string{"user", "assistant", "tool", "system"}).Draw(t, "role"), Content: rapid.SampledFrom([]string{"", "x", "{}"}).Draw(t, "content")}
		if m.Role == "tool" || m.Role == "assistant" {
			m.CallID, m.Tool = ids.Draw(t, "id"), rapid.SampledFrom([]string{"", "pay", "clock"}).Draw(t, "tool")
		}
		return m
	})
	rapid.Check(t, func(t *rapid.T) {
		r := model.Request{Model: "m", Messages: append(rapid.SliceOfN(message, 0, 12).Draw(t, "messages"), aaif.Message{Role: "user", Content: "now"})}
		for _, e := range wires(address) {
			if a, outcome, err := client.Ask(t.Context(), e, r); err != nil || a.Text != "fine" {
				t.Fatal(fmt.Sprint(e.Wire, outcome, err))
			}
		}
	})
}
