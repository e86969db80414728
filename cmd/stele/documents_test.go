package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	openapi "stele/api"
	"stele/internal/api"
)

// TestRoutePageDocumentAndContractAgree fails when one of the three is changed alone.
func TestRoutePageDocumentAndContractAgree(t *testing.T) {
	t.Parallel()
	var page, table []string
	for _, r := range api.Routes() {
		page = append(page, fmt.Sprintf("%s %s %s %s", r.Method, r.Path, r.Family, r.Group))
		table = append(table, fmt.Sprintf("%d %s %s", r.Number, r.Method, r.Path))
	}
	if diff := cmp.Diff(page, documented(t)); diff != "" {
		t.Errorf("route page and api/openapi.yaml differ (-page +document):\n%s", diff)
	}
	contract, err := os.ReadFile("../../docs/contract.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, row := range regexp.MustCompile("(?m)^\\| *(\\d+) *\\| *`?([A-Z]+)`? *\\| *`?(/api/[^ |`]+)`? *\\|").FindAllStringSubmatch(string(contract), -1) {
		rows = append(rows, strings.Join(row[1:], " "))
	}
	if diff := cmp.Diff(table, rows); diff != "" {
		t.Errorf("route page and docs/contract.md differ (-page +contract):\n%s", diff)
	}
}

func documented(t *testing.T) []string {
	t.Helper()
	var document struct {
		Paths yaml.MapSlice `yaml:"paths"`
	}
	if err := yaml.UnmarshalWithOptions(openapi.Document(), &document, yaml.UseOrderedMap()); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, path := range document.Paths {
		for _, item := range path.Value.(yaml.MapSlice) {
			method := strings.ToUpper(fmt.Sprint(item.Key))
			operation, ok := item.Value.(yaml.MapSlice)
			if !ok || !strings.Contains(" GET POST PUT PATCH DELETE HEAD OPTIONS ", " "+method+" ") {
				continue
			}
			facts := operation.ToMap()
			list = append(list, fmt.Sprintf("%s %v %v %v", method, path.Key, facts["x-stele-family"], facts["x-stele-scope"]))
		}
	}
	return list
}
