package main

import (
	"bytes"
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// built is a binary of this tree: the one of make test, or a new one.
func built(t *testing.T) string {
	t.Helper()
	if binary := os.Getenv("STELE_TEST_BINARY"); binary != "" {
		return binary
	}
	binary := filepath.Join(t.TempDir(), "stele")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "./cmd/stele")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return binary
}

// Every module that is in the binary must be in the list.
func TestNamesEverythingThatIsLinked(t *testing.T) {
	t.Parallel()
	binary := built(t)
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	licences, err := licencesOf("../..", "./cmd/stele")
	if err != nil {
		t.Fatal(err)
	}
	made, err := describe(info, licences, "v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := encode(made, &text); err != nil {
		t.Fatal(err)
	}
	bom := new(cdx.BOM)
	if err := cdx.NewBOMDecoder(&text, cdx.BOMFileFormatJSON).Decode(bom); err != nil {
		t.Fatal(err)
	}
	if bom.Metadata.Component.Name != "stele" || bom.Metadata.Component.Version != "v1.2.3" || bom.SpecVersion != cdx.SpecVersion1_6 {
		t.Errorf("it is of %+v", bom.Metadata.Component)
	}
	named := make(map[string]cdx.Component)
	for _, c := range *bom.Components {
		if c.Licenses == nil || len(*c.Licenses) == 0 || c.Version == "" {
			t.Errorf("%s has no licence or no version", c.Name)
		}
		named[c.Name] = c
	}
	if len(info.Deps) < 20 || len(named) != len(info.Deps)+1 { // and the standard library
		t.Errorf("%d components for %d modules", len(named), len(info.Deps))
	}
	for _, m := range info.Deps {
		if named[m.Path].Version != m.Version {
			t.Errorf("%s %s is in the binary and not in the list", m.Path, m.Version)
		}
	}
}

func TestAModuleOfUnknownLicenceIsRefused(t *testing.T) {
	t.Parallel()
	info, err := buildinfo.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := describe(info, nil, ""); err == nil {
		t.Error("it was written")
	}
}
