package aaif

import (
	"slices"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// Report is the conformance report of a platform (section 6).
type Report struct {
	Standard    string         `aaif:"sc_standard!"`
	Report      ReportHead     `aaif:"report!"`
	Platform    ReportPlatform `aaif:"platform!"`
	Claims      []Claim        `aaif:"claims!"`
	Supported   Supported      `aaif:"supported"`
	Attestation Attestation    `aaif:"attestation"`
	Value       canon.Value
}

// ReportHead says when a report was made, and for which versions.
type ReportHead struct {
	GeneratedAt time.Time `aaif:"generated_at!"`
	Versions    []string  `aaif:"aaif_versions!"`
	ExpiresAt   time.Time `aaif:"expires_at"`
	URL         string    `aaif:"report_url"`
	Value       canon.Value
}

// ReportPlatform is the platform of a report.
type ReportPlatform struct {
	Name     string `aaif:"name!"`
	Version  string `aaif:"version"`
	Vendor   string `aaif:"vendor"`
	Manifest string `aaif:"manifest_url"`
	Homepage string `aaif:"homepage"`
	Value    canon.Value
}

// Claim is a level that a platform claims, and the run that proves it.
type Claim struct {
	Level     Level       `aaif:"level!"`
	Direction Direction   `aaif:"direction!"`
	Suite     Suite       `aaif:"test_suite!"`
	RoundTrip []RoundTrip `aaif:"roundtrip"`
	Value     canon.Value
}

// Suite is a run of a test suite.
type Suite struct {
	Corpus string    `aaif:"corpus!"`
	Passed int       `aaif:"passed!"`
	Total  int       `aaif:"total!"`
	RanAt  time.Time `aaif:"ran_at"`
	Log    string    `aaif:"log_url"`
	Value  canon.Value
}

// RoundTrip says what survives conversion to a framework and back.
type RoundTrip struct {
	Framework string   `aaif:"framework!"`
	Lossless  []string `aaif:"lossless_fields!"`
	Lossy     []string `aaif:"lossy_fields"`
	Value     canon.Value
}

// Supported lists the registry entries that a platform supports.
type Supported struct {
	Providers    []string `aaif:"providers"`
	Capabilities []string `aaif:"capabilities"`
	Languages    []string `aaif:"condition_languages"`
	Vaults       []string `aaif:"vault_providers"`
	Backends     []string `aaif:"memory_backends"`
	Protocols    []string `aaif:"tool_protocols"`
	Value        canon.Value
}

// Attestation says who vouches for a report.
type Attestation struct {
	By        string `aaif:"attested_by"`
	Contact   string `aaif:"contact"`
	Signature string `aaif:"signature"` // base64 of an Ed25519 signature, see [Attest]
	Value     canon.Value
}

// ReadReport reads a report. Members that cannot be read count as absent.
func ReadReport(v canon.Value) Report { return view[Report](v) }

// Document returns the report as a document.
func (r Report) Document() canon.Value { return document(r) }

// UnprovenClaims reports the claims of a report that it does not prove itself: whose run
// did not pass, tested nothing, or is later than the report (AAIF-6-20). It warns of a
// consumer that claims Stateful without Enterprise (AAIF-6-16). Nobody should attest to
// such claims or believe them.
func (r Report) UnprovenClaims() []*codec.ParseError {
	var found []*codec.ParseError
	for i, c := range r.Claims {
		run := item("/claims", i) + "/test_suite"
		switch at := r.Report.GeneratedAt; {
		case c.Suite.Total < 1:
			found = append(found, fault(WrongState, "6-20", run+"/passed", "a claim wants a run that tests something"))
		case c.Suite.Passed != c.Suite.Total:
			found = append(found, fault(WrongState, "6-20", run+"/passed", "a claim wants all of a run to pass, and %d of %d did", c.Suite.Passed, c.Suite.Total))
		case !at.IsZero() && c.Suite.RanAt.After(at):
			found = append(found, fault(WrongState, "6-20", run+"/ran_at", "the run is later than the report"))
		}
		if c.Level == Stateful && c.Direction != Producer && !r.claims(Enterprise) {
			found = append(found, warning(WrongState, "6-16", item("/claims", i)+"/level", "a consumer should be of level %s before it claims %s, and this claims no such level", Enterprise, Stateful))
		}
	}
	return found
}

// claims reports whether a consumer claims a level.
func (r Report) claims(l Level) bool {
	return slices.ContainsFunc(r.Claims, func(c Claim) bool { return c.Level == l && c.Direction != Producer })
}

// levelsToClaim returns the levels that a direction claims: the highest, and for a
// Stateful consumer the level on which it rests.
func (c Conformance) levelsToClaim(d Direction) []Level {
	highest := c.Highest()
	if i := slices.Index(highest, Stateful); i >= 0 && d == Consumer {
		return slices.Insert(slices.Clone(highest), i, Enterprise)
	}
	return highest
}
