package engramruntime

import (
	"errors"
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// versionChecks covers section 3.10.
func versionChecks() []check {
	said := func(version string) tried {
		return tried{"version " + version, scene{before: set("engram_version", canon.String(version))}}
	}
	return []check{
		{"ENGRAM-3.10-1", Full, refuses(tried{"no version", scene{before: unset("engram_version")}})},
		{"ENGRAM-3.10-2", Full, uses(tried{"version 0.9, with a member of its own", scene{before: func(p *play, v canon.Value) canon.Value {
			return unknown(p, v).With("engram_version", canon.String("0.9"))
		}}})},
		{"ENGRAM-3.10-4", Full, each(higher, said("2.3"), said("1.0"))},
		{"ENGRAM-3.10-5", Full, uses(said("0.2"), said("0.10"))},
		{"ENGRAM-3.10-6", Full, refuses(said("abc"), said("0"), said(""),
			tried{"a version that is a number", scene{before: set("engram_version", canon.Number(0.1))}})},
	}
}

// higher requires the runtime to refuse a version. An error object that the runtime prints
// meanwhile must be the standard's.
func higher(p *play) error {
	if err := p.refused(); err != nil {
		return err
	}
	for text := range strings.Lines(p.said.Log) {
		v, err := canon.Parse([]byte(text), canon.Options{})
		if e := v.Get("error"); err == nil && e.Type() == canon.TypeObject {
			if e.Get("code").Text() != "unsupported_version" || !strings.HasPrefix(e.Get("message").Text(), "Supported versions: 0.x") || e.Get("status").Float() != 400 {
				return errors.New("the error object is another than that of section 3.10")
			}
		}
	}
	return nil
}
