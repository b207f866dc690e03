package cli

import (
	"runtime/debug"
	"testing"
)

func TestRelease(t *testing.T) {
	module := func(version string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: version}, Settings: settings}
	}
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef"}
	for _, test := range []struct {
		stamped string
		info    *debug.BuildInfo
		want    string
	}{
		{"v1.2.3", module("v1.0.0"), "1.2.3"},
		{"054168a-dirty", nil, "054168a-dirty"},
		{"", module("v1.0.0", revision), "1.0.0"},
		{"", module("(devel)", revision), "0123456"},
		{"", module(""), "(devel)"},
		{"", nil, "(devel)"},
	} {
		if got := releaseOf(test.stamped, test.info); got != test.want {
			t.Errorf("stamped %q, built from %v: got %q, want %q", test.stamped, test.info, got, test.want)
		}
	}
}
