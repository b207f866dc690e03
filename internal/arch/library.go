package arch

import "strings"

// Library is one row of the import policy: a module of somebody else's and the
// packages that may import it. CONTRIBUTING.md gives the reason for each.
type Library struct {
	Module string
	Users  []string // packages that may import it
	Tests  bool     // any test file may, too, and so may a suite
}

// Policy returns the import policy. A module that is not listed is refused.
func Policy() []Library {
	return []Library{
		{Module: "github.com/go-json-experiment/json", Users: []string{"canon"}},
		{Module: "lukechampine.com/blake3", Users: []string{"ump"}},
		{Module: "github.com/mr-tron/base58", Users: []string{"keys"}},
		{Module: "filippo.io/age", Users: []string{"keys", "internal/cli", "internal/replica/pack"}, Tests: true},
		{Module: "filippo.io/edwards25519", Users: []string{"keys"}, Tests: true},
		{Module: "github.com/veraison/go-cose", Users: []string{"aimem"}, Tests: true},
		{Module: "github.com/fxamacker/cbor/v2", Users: []string{"aimem", "aaif", "internal/replica"}, Tests: true},
		{Module: "go.yaml.in/yaml/v3", Users: []string{"ump", "text/markdown", "aaif/agentspec", "internal/cli/operate"}},
		{Module: "github.com/tailscale/hujson", Users: []string{"internal/cli/operate"}},
		{Module: "golang.org/x/text", Users: []string{"importers/*", "internal/atomicfile", "internal/recall", "internal/source", "internal/vault/assistant", "ump"}},
		{Module: "golang.org/x/net", Users: []string{"importers/*", "internal/run/policy"}, Tests: true},
		{Module: "github.com/blevesearch/snowballstem", Users: []string{"internal/recall"}},
		{Module: "modernc.org/sqlite", Users: []string{"internal/store/sqlite"}},
		{Module: "golang.org/x/mod", Users: []string{"internal/audit"}},
		{Module: "github.com/go-webauthn/webauthn", Users: []string{"internal/vault/visit"}},
		{Module: "golang.org/x/sys", Users: []string{"internal/access", "internal/filelock", "internal/group", "internal/store/sqlite", "internal/cli"}, Tests: true},
		{Module: "github.com/emersion/go-webdav", Users: []string{"internal/replica/place"}, Tests: true},
		{Module: "github.com/pressly/goose/v3", Users: []string{"internal/store/sqlite", "internal/store/postgres", "internal/store/stored"}},
		{Module: "github.com/jackc/pgx/v5", Users: []string{"internal/store/postgres", "internal/store/postgres/pgtest"}},
		{Module: "github.com/modelcontextprotocol/go-sdk", Users: []string{"ump/umpmcp", "internal/server", "internal/run/tool"}, Tests: true},
		{Module: "github.com/alecthomas/kong", Users: []string{"internal/cli", "cmd/satchel"}},
		{Module: "github.com/schollz/progressbar/v3", Users: []string{"internal/cli"}},
		{Module: "github.com/zalando/go-keyring", Users: []string{"internal/cli", "internal/cli/sharing", "internal/cli/operate", "internal/cli/agent"}},
		{Module: "github.com/bytemare/opaque", Users: []string{"internal/pairing"}},
		{Module: "rsc.io/qr", Users: []string{"internal/cli/machines"}},
		{Module: "golang.org/x/term", Users: []string{"internal/cli"}},
		{Module: "github.com/santhosh-tekuri/jsonschema/v6", Users: []string{"aaif", "aaif/shape"}, Tests: true},
		{Module: "golang.org/x/oauth2", Users: []string{"internal/run/tool"}},
		{Module: "github.com/go-jose/go-jose/v4", Users: []string{"internal/oauth", "internal/e2e"}},
		{Module: "github.com/aws/smithy-go/aws-http-auth", Users: []string{"internal/run/tool"}},
		{Module: "github.com/aws/aws-sdk-go-v2/service/s3", Users: []string{"internal/replica/place"}},
		{Module: "github.com/aws/aws-sdk-go-v2", Users: []string{"internal/replica/place"}},
		{Module: "github.com/aws/smithy-go", Users: []string{"internal/replica/place"}},
		{Module: "github.com/theory/jsonpath", Users: []string{"aaif/condition"}},
		{Module: "github.com/jmespath-community/go-jmespath", Users: []string{"aaif/condition"}},
		{Module: "cel.dev/cel-go", Users: []string{"aaif/condition"}},
		{Module: "github.com/diegoholiveira/jsonlogic/v3", Tests: true},
		{Module: "go.opentelemetry.io/otel", Users: []string{"internal/telemetry"}},
		{Module: "go.opentelemetry.io/proto/otlp", Users: []string{"internal/telemetry", "conformance/aaif"}, Tests: true},
		{Module: "google.golang.org/protobuf", Users: []string{"internal/telemetry", "conformance/aaif"}, Tests: true},
		{Module: "github.com/google/go-cmp", Tests: true},
		{Module: "github.com/a2aproject/a2a-go", Tests: true},
		{Module: "pgregory.net/rapid", Tests: true},
		{Module: "github.com/rogpeppe/go-internal", Tests: true},
	}
}

// library returns the row whose module provides the import path.
func library(rows []Library, path string) (Library, bool) {
	for _, row := range rows {
		if path == row.Module || strings.HasPrefix(path, row.Module+"/") {
			return row, true
		}
	}
	return Library{}, false
}
