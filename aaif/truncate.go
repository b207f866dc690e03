package aaif

// Truncated is a conversation that was cut to a window.
type Truncated struct {
	Messages []Message
	Dropped  int  // how many messages were left out
	Over     bool // what may not be left out is more than the window already
}

// Truncate leaves out the oldest messages of a conversation that is longer than a window
// of a model, in tokens; 0: no window is too small (AAIF-8.1-11). What the system said
// stays, and no result of a call stays without the call. Count says how many tokens a
// message has; nil: what the message says of itself, or else a token for four bytes.
func Truncate(conversation []Message, window int, count func(Message) int) Truncated {
	if count == nil {
		count = estimate
	}
	const most = 1 << 40 // whoever counts cannot make the sum overflow
	sizes, total := make([]int, len(conversation)), 0
	for i, m := range conversation {
		sizes[i] = min(max(count(m), 0), most)
		total += sizes[i]
	}
	if window <= 0 || total <= window {
		return Truncated{Messages: conversation}
	}
	cut := 0
	for ; cut < len(conversation) && total > window; cut++ {
		if conversation[cut].Role != "system" {
			total -= sizes[cut]
		}
	}
	kept := remaining(conversation, cut)
	return Truncated{Messages: kept, Dropped: len(conversation) - len(kept), Over: total > window}
}

// remaining returns what stays of a conversation that is cut at a message.
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
