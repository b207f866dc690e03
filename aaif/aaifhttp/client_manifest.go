package aaifhttp

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// FetchManifest fetches a platform's manifest (AAIF-7-17). An address without a path
// means the platform's standard one. If the manifest has expired, it fetches it once
// more, past caches. A manifest that is still expired is NEGOTIATION_STALE (AAIF-U.U-2).
func (c Client) FetchManifest(ctx context.Context, address string) (aaif.Manifest, error) {
	u, err := c.endpoint(address, true)
	if err != nil {
		return aaif.Manifest{}, err
	}
	if u.Path == "" || u.Path == "/" {
		u.Path, u.RawPath = ManifestPath, ""
	}
	m, err := c.manifest(ctx, u, nil)
	if err != nil || !c.expired(m) {
		return m, err
	}
	if m, err = c.manifest(ctx, u, http.Header{"Cache-Control": {"no-cache"}}); err == nil && c.expired(m) {
		return aaif.Manifest{}, &aaif.Fault{Code: aaif.NegotiationStale, Text: "the manifest has expired, and the platform has no newer one"}
	}
	return m, err
}

func (c Client) expired(m aaif.Manifest) bool {
	return c.Now != nil && !m.Platform.ExpiresAt.IsZero() && !c.Now().Before(m.Platform.ExpiresAt)
}

// manifest fetches a manifest, and reads it as an untrusted document.
func (c Client) manifest(ctx context.Context, u *url.URL, header http.Header) (aaif.Manifest, error) {
	_, body, err := c.do(ctx, call{method: http.MethodGet, to: u, accept: jsonType, header: header})
	if err != nil {
		return aaif.Manifest{}, err
	}
	d, err := aaif.Read(body, aaif.ReadOptions{})
	if err != nil {
		return aaif.Manifest{}, err
	}
	if d.Kind != aaif.ManifestKind {
		return aaif.Manifest{}, &aaif.Fault{Code: aaif.UnknownType, Text: "what the platform shows is no manifest"}
	}
	v, err := aaif.NewValidator(nil)
	if err != nil {
		return aaif.Manifest{}, err
	}
	for _, p := range v.Validate(d) {
		if !p.Warning {
			return aaif.Manifest{}, p
		}
	}
	return aaif.ReadManifest(d.Value), nil
}

// Intake posts a definition, in JSON or CBOR, to the intake endpoint of a manifest. A
// refusal by the platform is a [*Refusal].
func (c Client) Intake(ctx context.Context, at aaif.Intake, raw []byte, o aaif.IntakeOptions) (aaif.Receipt, error) {
	u, err := c.endpoint(at.URL, true)
	if err != nil {
		return aaif.Receipt{}, err
	}
	if at.MaxBytes > 0 && len(raw) > at.MaxBytes {
		return aaif.Receipt{}, &aaif.Fault{Code: aaif.TooLarge, Text: "the platform takes definitions of " + strconv.Itoa(at.MaxBytes) + " bytes at most"}
	}
	sent := call{method: http.MethodPost, to: u, accept: jsonType, media: jsonType, body: bytes.NewReader(raw)}
	if at.Method == http.MethodPut {
		sent.method = http.MethodPut
	}
	switch at.AuthScheme {
	case "", "bearer":
		sent.token = c.Token
	case "none":
	default:
		return aaif.Receipt{}, &memory.Error{Kind: memory.Unsupported, Message: "the platform wants another kind of credentials than a bearer"}
	}
	if aaif.IsCBOR(raw) {
		sent.media = aaif.CBORMediaType
	}
	query := u.Query()
	for name, wanted := range map[string]bool{"deprecated": o.Deprecated, "keep": o.Keep, "dry_run": o.DryRun} {
		if wanted {
			query.Set(name, "true")
		}
	}
	u.RawQuery = query.Encode()
	_, body, err := c.do(ctx, sent)
	if err != nil {
		return aaif.Receipt{}, err
	}
	return receiptOf(tree(body)), nil
}

// receiptOf reads the platform's receipt, as far as it is complete.
func receiptOf(v canon.Value) aaif.Receipt {
	r := aaif.Receipt{
		Kept:     aaif.KeptAgent{AgentID: v.Get("agent_id").Text(), Revision: int(v.Get("revision").Float()), Digest: v.Get("digest").Text(), CannotRun: textsOf(v.Get("cannot_run"))},
		Warnings: textsOf(v.Get("warnings")), Disabled: textsOf(v.Get("disabled")), Unchanged: v.Get("unchanged").True(),
	}
	for _, l := range textsOf(v.Get("level")) {
		r.Level = append(r.Level, aaif.Level(l))
	}
	n := v.Get("negotiation")
	r.Negotiation.Verdict, r.Negotiation.Safety = aaif.Verdict(n.Get("verdict").Text()), aaif.Safety(n.Get("safety_level").Text())
	for _, need := range n.Get("needs").Items() {
		r.Negotiation.Needs = append(r.Negotiation.Needs, aaif.Need{Capability: need.Get("capability").Text(), Pointers: textsOf(need.Get("pointers")),
			Implicit: need.Get("implicit").True(), Safety: need.Get("safety").True(), Satisfied: need.Get("satisfied").True(),
			Effect: aaif.Effect(need.Get("effect").Text())})
	}
	return r
}

// textsOf reads a list of texts, each prepared for display.
func textsOf(v canon.Value) []string {
	var list []string
	for _, item := range v.Items() {
		list = append(list, printable(item.Text()))
	}
	return list
}
