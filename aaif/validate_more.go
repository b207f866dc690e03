package aaif

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// The newest version that this program knows (decision R41).
const (
	major = 3
	minor = 4
)

// checkVersion checks the format version of a document.
func checkVersion(d Document) []*codec.ParseError {
	const pointer = "/sc_version"
	parts := strings.Split(d.Value.Get("sc_version").Text(), ".")
	if len(parts) != 3 {
		return nil
	}
	switch ma, mi := parseDigits(parts[0]), parseDigits(parts[1]); {
	case ma > major:
		return []*codec.ParseError{fault(VersionUnsupported, "U.D-1", pointer, "a later version of the format than %d.x; this program reads up to %s", major, Version)}
	case ma == major && mi > minor:
		return []*codec.ParseError{warning(VersionNewer, "U.D-1", pointer, "a later edition of the format than %s; what is new in it is not known here", Version)}
	}
	return nil
}

// parseDigits reads digits. Too many digits give the largest number.
func parseDigits(digits string) int {
	n, err := strconv.Atoi(digits)
	if errors.Is(err, strconv.ErrRange) {
		return math.MaxInt
	}
	return n
}

// checkIntegers warns of integers that a signature does not tell from their neighbours
// (decision R1).
func checkIntegers(v canon.Value) []*codec.ParseError {
	if !has(v, isInexact) {
		return nil
	}
	var found []*codec.ParseError
	walk(v, nil, func(at []string, v canon.Value) {
		if isInexact(v) && len(found) < mostViolations {
			found = append(found, warning(IntegerInexact, "9-6", canon.Pointer(at...), "an integer beyond 2^53, of which a signature covers the nearest double only; write it as a string"))
		}
	})
	return found
}

// isInexact reports whether a value is an integer beyond the exact range of doubles.
func isInexact(v canon.Value) bool {
	return v.Type() == canon.TypeNumber && math.Abs(v.Float()) > 1<<53-1 && !strings.ContainsAny(v.Spelling(), ".eE")
}

// ownFormats are the formats that this program checks itself.
func ownFormats() []*jsonschema.Format {
	errFormat := errors.New("another form")
	return []*jsonschema.Format{
		{Name: "date-time", Validate: func(v any) error {
			if s, ok := v.(string); ok {
				if _, ok := memory.ParseInstant(s); !ok {
					return errFormat
				}
			}
			return nil
		}},
	}
}

// formatCode returns the code of a format, such as FORMAT_DATE_TIME.
func formatCode(name string) Code {
	return Code("FORMAT_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_")))
}
