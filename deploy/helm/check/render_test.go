package check

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

const folder = "../satchel"

// rendered is what the chart makes of some values.
type rendered struct {
	texts      map[string]string // by the name of the template
	kinds      []string
	deployment appsv1.Deployment
	service    corev1.Service
	account    corev1.ServiceAccount
	budget     policyv1.PodDisruptionBudget
	scaler     autoscalingv2.HorizontalPodAutoscaler
	policy     networkingv1.NetworkPolicy
	monitor    map[string]any
}

func load(t *testing.T) *chart.Chart {
	t.Helper()
	c, err := loader.LoadDir(folder)
	if err == nil {
		err = c.Validate()
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// try renders the chart with values over its own, as helm install does.
func try(t *testing.T, values string) (map[string]string, error) {
	t.Helper()
	c := load(t)
	given, err := chartutil.ReadValues([]byte(values))
	if err != nil {
		t.Fatal(err)
	}
	all, err := chartutil.ToRenderValues(c, given, chartutil.ReleaseOptions{Name: "satchel", Namespace: "memory", IsInstall: true, Revision: 1}, chartutil.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	return engine.Engine{Strict: true}.Render(c, all)
}

// render renders the chart and reads every object strictly: a field that Kubernetes does not
// know fails the test.
func render(t *testing.T, values string) rendered {
	t.Helper()
	texts, err := try(t, values)
	if err != nil {
		t.Fatal(err)
	}
	r := rendered{texts: texts}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text := []byte(texts[name])
		if path.Ext(name) != ".yaml" || len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		var head struct{ Kind string }
		if err := yaml.Unmarshal(text, &head); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		into, known := map[string]any{
			"Deployment": &r.deployment, "Service": &r.service, "ServiceAccount": &r.account, "PodDisruptionBudget": &r.budget,
			"HorizontalPodAutoscaler": &r.scaler, "NetworkPolicy": &r.policy, "ServiceMonitor": &r.monitor,
		}[head.Kind]
		if !known {
			t.Fatalf("%s: a %q", name, head.Kind)
		}
		if err := yaml.UnmarshalStrict(text, into); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
		r.kinds = append(r.kinds, head.Kind)
	}
	slices.Sort(r.kinds)
	return r
}

func (r rendered) arguments() string {
	return strings.Join(r.deployment.Spec.Template.Spec.Containers[0].Args, " ")
}
