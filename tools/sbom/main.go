// Command sbom writes down what a built binary of Stele is made of, as CycloneDX JSON: every module that is linked into
// it, with version, checksum and licences.
package main

import (
	"debug/buildinfo"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"

	"stele/tools/modules"
)

func main() {
	root := flag.String("root", ".", "folder of the module that the binary was built from")
	target := flag.String("target", "./cmd/stele", "package that the binary was built from")
	binary := flag.String("binary", "bin/stele", "the binary")
	version := flag.String("version", "", "its version (default: what the build knows)")
	out := flag.String("out", "", "file to write (default: standard output)")
	flag.Parse()

	if err := write(*root, *target, *binary, *version, *out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(root, target, binary, version, out string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return fmt.Errorf("read %s: %w", binary, err)
	}
	licences, err := licencesOf(root, target)
	if err != nil {
		return err
	}
	bom, err := describe(info, licences, version)
	if err != nil {
		return err
	}
	if out == "" {
		return encode(bom, os.Stdout)
	}
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	if err := encode(bom, f); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

func encode(bom *cdx.BOM, w io.Writer) error {
	return cdx.NewBOMEncoder(w, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6)
}

// licencesOf finds the licences of every module that is linked, by its path.
func licencesOf(root, target string) (map[string][]string, error) {
	list, err := modules.Linked(root, target)
	if err != nil {
		return nil, err
	}
	byPath := make(map[string][]string)
	for _, m := range list {
		if byPath[m.Path], err = m.Licences(); err != nil {
			return nil, err
		}
	}
	return byPath, nil
}

// describe makes the list. A module whose licences are not known is an error: the list would not be whole.
func describe(info *debug.BuildInfo, licences map[string][]string, version string) (*cdx.BOM, error) {
	if version == "" {
		version = info.Main.Version
	}
	bom := cdx.NewBOM()
	main := cdx.Component{
		BOMRef: "stele", Type: cdx.ComponentTypeApplication, Name: "stele", Version: version,
		PackageURL: "pkg:golang/" + info.Main.Path + "@" + version,
	}
	bom.Metadata = &cdx.Metadata{Component: &main}
	components := []cdx.Component{{
		BOMRef: "go", Type: cdx.ComponentTypeLibrary, Name: "std", Version: info.GoVersion, Description: "Go's standard library",
		PackageURL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go"), Licenses: choices([]string{"BSD-3-Clause"}),
	}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		found := licences[m.Path]
		if len(found) == 0 {
			return nil, fmt.Errorf("the licence of %s is not known", m.Path)
		}
		c := cdx.Component{
			BOMRef: m.Path, Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version,
			PackageURL: "pkg:golang/" + m.Path + "@" + m.Version, Licenses: choices(found),
		}
		if m.Sum != "" {
			c.Properties = &[]cdx.Property{{Name: "go:sum", Value: m.Sum}}
		}
		components = append(components, c)
	}
	slices.SortFunc(components, func(a, b cdx.Component) int { return strings.Compare(a.Name, b.Name) })
	refs := make([]string, len(components))
	for i, c := range components {
		refs[i] = c.BOMRef
	}
	bom.Components = &components
	bom.Dependencies = &[]cdx.Dependency{{Ref: "stele", Dependencies: &refs}}
	return bom, nil
}

func choices(licences []string) *cdx.Licenses {
	var list cdx.Licenses
	for _, l := range licences {
		if l == "public domain" { // SPDX has no id for it
			list = append(list, cdx.LicenseChoice{License: &cdx.License{Name: l}})
		} else {
			list = append(list, cdx.LicenseChoice{License: &cdx.License{ID: l}})
		}
	}
	return &list
}
