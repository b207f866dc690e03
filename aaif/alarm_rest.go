package aaif

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// unlessRemoved returns a text, or "" if the member was removed.
func (c Change) unlessRemoved(text string) string {
	if c.How == Removed || c.How == Moved {
		return ""
	}
	return text
}

// isAddressName reports whether the name of a setting says that its value is an address.
func isAddressName(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"url", "endpoint", "host", "proxy", "region", "address"}, func(word string) bool { return strings.Contains(name, word) })
}

// alarmOfMemory returns the Alarm of changes to memory.
func (c Change) alarmOfMemory(path []string) string {
	if len(path) <= 3 {
		return c.unlessRemoved("REMEMBERS SOMETHING ELSE")
	}
	switch path[3] {
	case "backend":
		return "MEMORY MAY BE KEPT ELSEWHERE"
	case "scope":
		return "MEMORY IS SHARED WITH OTHERS"
	case "embedding_model":
		return c.unlessRemoved("DATA GOES TO ANOTHER MODEL")
	case "content", "key":
		return "REMEMBERS SOMETHING ELSE"
	}
	return ""
}

// alarmOfContext returns the Alarm of changes to the context.
func (c Change) alarmOfContext(path []string) string {
	if len(path) <= 3 || path[3] == "value" || path[3] == "type" {
		return c.unlessRemoved("READS SOMETHING ELSE")
	}
	return ""
}

// alarmOfRuntime returns the Alarm of changes to the runtime.
func alarmOfRuntime(path []string, was, is Runtime) string {
	touches := func(member string) bool { return len(path) == 2 || path[2] == member }
	switch {
	case touches("environment") && cmp.Or(was.Environment, "production") != cmp.Or(is.Environment, "production"):
		return "RUNS ELSEWHERE"
	case touches("timeout_seconds") && looser(was.Timeout, is.Timeout):
		return "MAY RUN FOR LONGER"
	}
	return ""
}

// looser reports whether a limit was raised or removed; 0 means no limit.
func looser(was, is int) bool { return was > 0 && (is <= 0 || is > was) }

// alarmOfLimit returns the Alarm of changes to a tool's rate limit.
func alarmOfLimit(index string, was, is Agent) string {
	i, err := strconv.Atoi(index)
	if err != nil || i < 0 || i >= len(is.Tools) {
		return ""
	}
	tool := is.Tools[i]
	before := slices.IndexFunc(was.Tools, func(t Tool) bool { return t.Name == tool.Name })
	if before < 0 {
		return ""
	}
	switch old := was.Tools[before].RateLimit; {
	case old.Requests > 0 && tool.RateLimit.Requests <= 0, old.Tokens > 0 && tool.RateLimit.Tokens <= 0:
		return "TOOL IS LIMITED NO MORE: " + Shown(tool.Name)
	case looser(old.Requests, tool.RateLimit.Requests), looser(old.Tokens, tool.RateLimit.Tokens):
		return "TOOL IS LIMITED LESS: " + Shown(tool.Name)
	}
	return ""
}

// alarmOfGates returns the Alarm of metrics that were removed or ask for less.
func alarmOfGates(was, is Evaluation) string {
	for _, m := range was.Metrics {
		if m.Threshold == nil {
			continue
		}
		i := slices.IndexFunc(is.Metrics, func(o Metric) bool { return o.Name == m.Name && o.Custom == m.Custom })
		if i < 0 || is.Metrics[i].Threshold == nil {
			return "A MEASURE ASKS FOR LESS"
		}
		if now := *is.Metrics[i].Threshold; m.IsMaximum() && now > *m.Threshold || !m.IsMaximum() && now < *m.Threshold {
			return "A MEASURE ASKS FOR LESS"
		}
	}
	return ""
}
