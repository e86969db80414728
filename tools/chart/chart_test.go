// Package chart_test checks the Helm chart: Helm's own linter and templates, and Kubernetes' own types, which refuse a field
// that they do not know.
package chart_test

import (
	"bytes"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/lint"
	"helm.sh/helm/v4/pkg/chart/v2/lint/support"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
)

const folder = "../../deploy/helm/stele"

type values = map[string]any

func one() values {
	return values{"admin": values{"email": "admin@example.com", "existingSecret": "admin"}}
}

func several() values {
	v := one()
	v["replicas"] = 3
	v["publicURL"] = "https://ai.example.com"
	v["database"] = values{"existingSecret": "database"}
	v["blobs"] = values{"existingSecret": "blobs"}
	v["masterKey"] = values{"existingSecret": "master"}
	v["config"] = values{"trusted_proxies": []any{"10.0.0.0/8"}, "metrics": values{"token_file": "/run/secrets/stele/metrics"}}
	v["metrics"] = values{"enabled": true}
	v["ingress"] = values{"enabled": true, "className": "nginx", "host": "ai.example.com", "tlsSecret": "tls"}
	v["env"] = []any{values{"name": "OPENAI_API_KEY", "valueFrom": values{"secretKeyRef": values{"name": "keys", "key": "openai"}}}}
	v["envFrom"] = []any{values{"secretRef": values{"name": "keys"}}}
	v["topologySpreadConstraints"] = []any{values{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}}
	return v
}

func TestTheChartHasNoFaults(t *testing.T) {
	for _, v := range []values{one(), several()} {
		for _, m := range lint.RunAll(folder, v, "default").Messages {
			if m.Severity >= support.WarningSev {
				t.Errorf("%s: %v", m.Path, m.Err)
			}
		}
	}
}

func TestWhatComesOutIsWhatKubernetesKnows(t *testing.T) {
	for name, c := range map[string]struct {
		values values
		want   []string
	}{
		"one":     {one(), []string{"ConfigMap", "Service", "Service", "ServiceAccount", "StatefulSet"}},
		"several": {several(), []string{"ConfigMap", "Ingress", "PodDisruptionBudget", "Service", "Service", "ServiceAccount", "StatefulSet"}},
	} {
		t.Run(name, func(t *testing.T) {
			var kinds []string
			for _, o := range objects(t, c.values) {
				kinds = append(kinds, o.GetObjectKind().GroupVersionKind().Kind)
				if set, ok := o.(*appsv1.StatefulSet); ok {
					checkSet(t, set)
				}
			}
			slices.Sort(kinds)
			if !slices.Equal(kinds, c.want) {
				t.Errorf("%v came out, not %v", kinds, c.want)
			}
		})
	}
}

// checkSet holds what the install page promises.
func checkSet(t *testing.T, set *appsv1.StatefulSet) {
	t.Helper()
	pod := set.Spec.Template.Spec
	c := pod.Containers[0]
	if !*c.SecurityContext.ReadOnlyRootFilesystem || *pod.SecurityContext.RunAsUser != 65532 || *pod.AutomountServiceAccountToken {
		t.Error("the pod may do more than it needs")
	}
	if least := c.Lifecycle.PreStop.Sleep.Seconds + 30; *pod.TerminationGracePeriodSeconds <= least {
		t.Errorf("%d s are too short to pause and drain, which takes %d", *pod.TerminationGracePeriodSeconds, least)
	}
	if c.ReadinessProbe.HTTPGet.Path != "/readyz" || c.LivenessProbe.HTTPGet.Path != "/healthz" {
		t.Error("the probes ask elsewhere")
	}
}

func TestSeveralReplicasNeedWhatTheyShare(t *testing.T) {
	for _, missing := range []string{"database", "blobs", "masterKey", "admin"} {
		v := several()
		delete(v, missing)
		if _, err := render(t, v); err == nil {
			t.Errorf("without %s the chart renders", missing)
		}
	}
	v := one()
	v["replica"] = 2
	if _, err := render(t, v); err == nil {
		t.Error("a value that does not exist is taken")
	}
}

func render(t *testing.T, v values) (map[string]string, error) {
	t.Helper()
	chart, err := loader.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	all, err := util.ToRenderValues(chart, v, common.ReleaseOptions{Name: "stele", Namespace: "default", IsInstall: true}, common.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	return engine.Render(chart, all)
}

// objects are what Kubernetes reads, strictly.
func objects(t *testing.T, v values) []runtime.Object {
	t.Helper()
	files, err := render(t, v)
	if err != nil {
		t.Fatal(err)
	}
	strict := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	var list []runtime.Object
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if path.Ext(name) != ".yaml" {
			continue
		}
		documents := yaml.NewDocumentDecoder(io.NopCloser(strings.NewReader(files[name])))
		for buffer := make([]byte, 1<<20); ; {
			n, err := documents.Read(buffer)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(bytes.TrimSpace(buffer[:n])) == 0 {
				continue
			}
			o, _, err := strict.Decode(buffer[:n], nil, nil)
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, buffer[:n])
			}
			list = append(list, o)
		}
	}
	return list
}
