package check

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// everything switches all optional objects on.
const everything = `
serve: {hosts: [memory.example], drainSeconds: 40, extraArgs: ["--engram-webhooks"], extraEnv: [{name: OTEL_TRACES_SAMPLER, value: always_off}]}
database: {passwordKey: password, caSecret: database-ca}
passphrase: {existingSecret: satchel-passphrase}
tls: {existingSecret: satchel-tls}
otlp: {endpoint: "http://collector.monitoring:4318", headersSecret: collector}
autoscaling: {enabled: true}
serviceMonitor: {enabled: true, labels: {release: prometheus}}
networkPolicy: {enabled: true, from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ingress}}}]}
image: {pullSecrets: [registry], tag: "1.2.3"}
podLabels: {team: memory}
podAnnotations: {a: b}
nodeSelector: {kubernetes.io/arch: amd64}
tolerations: [{key: memory, operator: Exists}]
affinity: {nodeAffinity: {}}
priorityClassName: high
`

func TestPlain(t *testing.T) {
	r := render(t, "")
	if got := strings.Join(r.kinds, " "); got != "Deployment PodDisruptionBudget Service ServiceAccount" {
		t.Errorf("%s", got)
	}
	d, pod := r.deployment, r.deployment.Spec.Template
	for name, selector := range map[string]map[string]string{"deployment": d.Spec.Selector.MatchLabels, "service": r.service.Spec.Selector, "budget": r.budget.Spec.Selector.MatchLabels} {
		for key, value := range selector {
			if len(selector) != 2 || pod.Labels[key] != value {
				t.Errorf("the %s selects %v, pods have %v", name, selector, pod.Labels)
			}
		}
	}
	if *d.Spec.Replicas != 2 || d.Spec.Strategy.RollingUpdate.MaxUnavailable.IntValue() != 0 || pod.Spec.ServiceAccountName != r.account.Name || r.account.Name != "satchel" {
		t.Errorf("%+v", d.Spec)
	}
	c := pod.Spec.Containers[0]
	if c.Ports[0].ContainerPort != 7777 || r.service.Spec.Ports[0].TargetPort.StrVal != c.Ports[0].Name || c.Image != "registry.example/satchel:latest" {
		t.Errorf("%+v %+v", c.Ports, r.service.Spec.Ports)
	}
	for path, probe := range map[string]*corev1.Probe{"/readyz": c.ReadinessProbe, "/healthz": c.LivenessProbe} {
		if probe.HTTPGet.Path != path || probe.HTTPGet.Port.StrVal != "http" || probe.HTTPGet.Scheme != "HTTP" {
			t.Errorf("%+v", probe)
		}
	}
}

func TestNothingMayBeWritten(t *testing.T) {
	for _, values := range []string{"", everything} {
		pod := render(t, values).deployment.Spec.Template.Spec
		if s := pod.SecurityContext; !*s.RunAsNonRoot || *s.RunAsUser != 65532 || *s.RunAsGroup != 65532 || *s.FSGroup != 65532 || s.SeccompProfile.Type != "RuntimeDefault" || *pod.AutomountServiceAccountToken {
			t.Errorf("%+v", s)
		}
		for _, c := range append(pod.InitContainers, pod.Containers...) {
			if s := c.SecurityContext; !*s.ReadOnlyRootFilesystem || *s.AllowPrivilegeEscalation || s.Privileged != nil || len(s.Capabilities.Drop) != 1 || s.Capabilities.Drop[0] != "ALL" || c.Resources.Limits.Memory().IsZero() {
				t.Errorf("%s: %+v", c.Name, s)
			}
			for _, m := range c.VolumeMounts {
				if !slices.ContainsFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Name == m.Name }) {
					t.Errorf("%s mounts %s, which is no volume", c.Name, m.Name)
				}
			}
		}
	}
}

// The server has time for its drain and what follows: see the constants of internal/server
// and internal/cli/operate.
func TestGrace(t *testing.T) {
	for _, values := range []string{"", everything} {
		r := render(t, values)
		drain, after := regexp.MustCompile(`--drain=(\d+)s`).FindStringSubmatch(r.arguments()), int64(10+5)
		grace := *r.deployment.Spec.Template.Spec.TerminationGracePeriodSeconds
		seconds, err := json.Number(drain[1]).Int64()
		if err != nil || grace < seconds+after+5 || grace > seconds+60 {
			t.Errorf("%d s for a drain of %v", grace, drain)
		}
	}
}

func TestEverything(t *testing.T) {
	r := render(t, everything)
	if got := strings.Join(r.kinds, " "); got != "Deployment HorizontalPodAutoscaler NetworkPolicy PodDisruptionBudget Service ServiceAccount ServiceMonitor" {
		t.Errorf("%s", got)
	}
	pod := r.deployment.Spec.Template
	env := map[string]string{}
	for _, e := range pod.Spec.Containers[0].Env {
		env[e.Name] = e.Value
		if e.ValueFrom != nil && e.ValueFrom.SecretKeyRef != nil {
			env[e.Name] = e.ValueFrom.SecretKeyRef.Name + "/" + e.ValueFrom.SecretKeyRef.Key
		}
	}
	for name, want := range map[string]string{
		"SATCHEL_STORE": "satchel-database/url", "PGPASSWORD": "satchel-database/password", "SATCHEL_PASSPHRASE": "satchel-passphrase/passphrase", "SATCHEL_HOME": "/home/satchel",
		"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector.monitoring:4318", "OTEL_EXPORTER_OTLP_HEADERS": "collector/headers", "OTEL_TRACES_SAMPLER": "always_off",
	} {
		if env[name] != want {
			t.Errorf("%s is %q, want %q", name, env[name], want)
		}
	}
	for _, flag := range []string{"--host=memory.example", "--tls-cert=/home/satchel/tls/tls.crt", "--tls-key=/home/satchel/tls/tls.key", "--engram-webhooks", "--drain=40s", "--host=$(POD_IP)", "--host=satchel.memory.svc"} {
		if !strings.Contains(r.arguments()+" ", flag+" ") {
			t.Errorf("%s is not in %s", flag, r.arguments())
		}
	}
	if r.deployment.Spec.Replicas != nil || r.scaler.Spec.ScaleTargetRef.Name != r.deployment.Name || pod.Labels["team"] != "memory" || pod.Spec.Containers[0].ReadinessProbe.HTTPGet.Scheme != "HTTPS" {
		t.Errorf("%+v", r.scaler.Spec)
	}
	p := r.policy.Spec
	if len(p.PolicyTypes) != 2 || len(p.Ingress[0].From) != 1 || len(p.Egress) != 2 || p.Egress[1].Ports[0].Port.IntValue() != 5432 || !selects(p.PodSelector.MatchLabels, pod.Labels) {
		t.Errorf("%+v", p)
	}
	if text := r.texts["satchel/templates/servicemonitor.yaml"]; !strings.Contains(text, "credentials: {name: satchel-home, key: token}") || !strings.Contains(text, "release: prometheus") {
		t.Errorf("%s", text)
	}
	for name, text := range r.texts {
		if strings.Contains(text, "kind: Secret\n") {
			t.Errorf("%s makes a secret", name)
		}
	}
}

func selects(selector, labels map[string]string) bool {
	for key, value := range selector {
		if labels[key] != value {
			return false
		}
	}
	return len(selector) > 0
}

// The program has the flags that the chart gives it; its manual lists them.
func TestFlagsExist(t *testing.T) {
	source, err := os.ReadFile("../../../internal/cli/operate/serve.go")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, field := range regexp.MustCompile("(?m)^\t([A-Z]\\w+) +[^`]+`([^`]*help:[^`]*)`").FindAllStringSubmatch(string(source), -1) {
		name := strings.ToLower(regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(field[1], "$1-$2"))
		if named := regexp.MustCompile(`\bname:"([^"]+)"`).FindStringSubmatch(field[2]); named != nil {
			name = named[1]
		}
		known[name] = true
	}
	for _, flag := range regexp.MustCompile(`--([a-z-]+)`).FindAllStringSubmatch(render(t, everything).arguments(), -1) {
		if !known[flag[1]] {
			t.Errorf("satchel serve has no flag --%s", flag[1])
		}
	}
}

func TestWrongValues(t *testing.T) {
	for _, values := range []string{
		"replicas: two", "replica: 3", "serve: {drainSeconds: -1}", "serve: {drain: 5}", "home: {existingSecret: ''}", "database: {existingSecret: null}",
		"otlp: {endpoint: 'collector:4317'}", "service: {type: Elsewhere}", "image: {repository: ''}", "temporarySize: much", "podLabels: {a: 1}",
		"autoscaling: {targetCPU: 700}", "tls: {existingSecret: 'Not A Name'}",
	} {
		if _, err := try(t, values); err == nil {
			t.Errorf("%s is taken", values)
		}
	}
}

// paths lists the members of values or of their schema.
func paths(at string, v any, out map[string]bool) {
	if members, ok := v.(map[string]any); ok {
		for name, member := range members {
			out[at+name] = true
			paths(at+name+".", member, out)
		}
	}
}

func schemaPaths(at string, v any, out map[string]bool) {
	schema, _ := v.(map[string]any)
	members, _ := schema["properties"].(map[string]any)
	for name, member := range members {
		out[at+name] = true
		schemaPaths(at+name+".", member, out)
	}
}

// Each value is in the schema, and the other way round; each has a comment, or the group
// that it is in.
func TestValuesAreDescribed(t *testing.T) {
	var schema any
	var values map[string]any
	text, err := os.ReadFile(filepath.Join(folder, "values.yaml"))
	if err == nil {
		err = yaml.UnmarshalStrict(text, &values)
	}
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(folder, "values.schema.json"))
	if err == nil {
		err = json.Unmarshal(data, &schema)
	}
	if err != nil {
		t.Fatal(err)
	}
	given, described := map[string]bool{}, map[string]bool{}
	paths("", map[string]any(values), given)
	schemaPaths("", schema, described)
	for name := range given {
		parent := name[:max(strings.LastIndex(name, "."), 0)]
		if !described[name] && !regexp.MustCompile(`^resources\.(requests|limits)$`).MatchString(parent) {
			t.Errorf("%s is not in the schema", name)
		}
	}
	for name := range described {
		if !given[name] && name != "global" {
			t.Errorf("%s is in the schema, and has no value", name)
		}
	}
}
