package aaif

// Truncation is a conversation cut to a window.
type Truncation struct {
	Messages []Message
	Dropped  int  // the number of messages left out
	Over     bool // the messages that must stay exceed the window
}

// Truncate leaves out the oldest messages of a conversation that exceeds a model's
// window, in tokens; 0 means no limit (AAIF-8.1-11). System messages stay, and no tool
// result stays without its call. count returns the tokens of a message; nil uses the
// message's own count, or one token per four bytes.
func Truncate(conversation []Message, window int, count func(Message) int) Truncation {
	if count == nil {
		count = estimate
	}
	const most = 1 << 40 // bounds the sum, whatever count returns
	sizes, total := make([]int, len(conversation)), 0
	for i, m := range conversation {
		sizes[i] = min(max(count(m), 0), most)
		total += sizes[i]
	}
	if window <= 0 || total <= window {
		return Truncation{Messages: conversation}
	}
	cut := 0
	for ; cut < len(conversation) && total > window; cut++ {
		if conversation[cut].Role != "system" {
			total -= sizes[cut]
		}
	}
	kept := remaining(conversation, cut)
	return Truncation{Messages: kept, Dropped: len(conversation) - len(kept), Over: total > window}
}

// remaining returns the messages that stay if a conversation is cut at an index.
func remaining(conversation []Message, cut int) []Message {
	var kept []Message
	called := map[string]bool{}
	for i, m := range conversation {
		if m.Role != "system" && i < cut || m.Role == "tool" && !called[m.CallID] {
			continue
		}
		if m.Role == "assistant" && m.CallID != "" {
			called[m.CallID] = true
		}
		kept = append(kept, m)
	}
	return kept
}

func estimate(m Message) int {
	if m.Tokens > 0 {
		return m.Tokens
	}
	return (len(m.Content) + 3) / 4
}
