package check

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the plain manifests anew")

const plainFile = "../../kubernetes/satchel.yaml"

const plainHead = `# Servers of Satchel on Kubernetes, without Helm: what the chart in deploy/helm/satchel makes
# of its default values. Name your image, your secrets and your hosts, and then
#
#   kubectl --namespace memory apply -f satchel.yaml
#
# docs/operate.md, section 13, says how to make the secrets satchel-home and
# satchel-database. go test ./deploy/helm/check -update writes this file anew.
`

// The plain manifests are those of the chart.
func TestPlainManifests(t *testing.T) {
	r := render(t, "")
	var b strings.Builder
	b.WriteString(plainHead)
	foreign := regexp.MustCompile(`(?m)^ *(app\.kubernetes\.io/(managed-by|version)|helm\.sh/chart|namespace): .*\n`)
	for _, name := range []string{"serviceaccount", "service", "deployment", "poddisruptionbudget"} {
		text := foreign.ReplaceAllString(r.texts["satchel/templates/"+name+".yaml"], "")
		b.WriteString("---\n" + strings.TrimSpace(text) + "\n")
	}
	want := b.String()
	if *update {
		if err := os.WriteFile(plainFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(plainFile)
	if err != nil || string(got) != want {
		t.Errorf("%s is not what the chart makes (%v); -update writes it", plainFile, err)
	}
}
