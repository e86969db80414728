package stele_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever is handed out names the version that the binary says it is.
func TestDeployNamesTheVersion(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("cmd/stele/VERSION")
	if err != nil {
		t.Fatal(err)
	}
	version := strings.TrimSpace(string(text))
	for file, lines := range map[string][]string{
		"deploy/helm/stele/Chart.yaml": {"version: " + version, `appVersion: "` + version + `"`},
		"deploy/compose/one.yaml":      {"image: stele:" + version},
		"deploy/compose/three.yaml":    {"image: stele:" + version},
		"docs/install/binary.md":       {"stele_" + version + "_linux_amd64.tar.gz"},
		"docs/install/packages.md":     {"stele_" + version + "-1_amd64.deb", "stele-" + version + "-1.x86_64.rpm"},
		"docs/install/container.md":    {"stele_" + version + "_image_amd64.tar", " stele:" + version},
		"README.md":                    {"stele_" + version + "_linux_amd64.tar.gz", "Stele " + version},
		"CHANGELOG.md":                 {"## " + version},
		"api/openapi.yaml":             {"  version: " + version},
	} {
		content, err := os.ReadFile(filepath.FromSlash(file))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			if !strings.Contains(string(content), line) {
				t.Errorf("%s does not say %q", file, line)
			}
		}
	}
}
