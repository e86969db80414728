package blueprint

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"stele/internal/manifest"
	"stele/internal/media"
)

//go:embed models/*.yaml
var modelFiles embed.FS

// File is a model file that is built in.
type File struct {
	Name string
	Kind string // of the accounts that make it
	Body []byte
}

// kindLine is where a model file says of what kind it is: known without reading all of it.
var kindLine = regexp.MustCompile(`(?m)^kind: (\S+)$`)

// Models are the built-in model files. A model of a kind is offered where an
// account of the kind is configured.
func Models() []File {
	var list []File
	names, _ := fs.Glob(modelFiles, "models/*.yaml")
	for _, name := range names {
		body, err := modelFiles.ReadFile(name)
		if err != nil {
			panic(err) // it is in the program
		}
		kind := ""
		if found := kindLine.FindSubmatch(body); found != nil {
			kind = string(found[1])
		}
		list = append(list, File{Name: "blueprint/" + name, Kind: kind, Body: body})
	}
	return list
}

// Check finds what is wrong with a model file that only who knows the provider
// can see: an operation that does not exist, a piece of the address that is
// missing, files given in a way that the operation cannot send, a graph that is
// none, which read finds beside the model file. media.Read comes before it. The
// error is manifest.Problems.
func Check(file string, src []byte, read func(name string) ([]byte, error)) error {
	var m media.Model
	doc := manifest.Decode(file, src, &m, manifest.Options{})
	op, err := operationOf(m.Call.Operation)
	if err != nil {
		doc.Report(manifest.At("call", "operation"), "%v", err)
		return doc.Err()
	}
	if op.Kind != m.Kind {
		doc.Report(manifest.At("call", "operation"), "%s is done with accounts of kind %s", op.Name, op.Kind)
	}
	for i := range m.Operations {
		checkMode(doc, manifest.At("operations", i), op, &m, &m.Operations[i])
	}
	if m.Call.Graph != "" {
		if _, err := readGraph(m.Call.Graph, read); err != nil {
			doc.Report(manifest.At("call", "graph_file"), "%v", err)
		}
	}
	return doc.Err()
}

// readGraph reads a workflow in the format that ComfyUI exports for its API.
func readGraph(name string, read func(string) ([]byte, error)) (map[string]any, error) {
	if read == nil {
		return nil, fmt.Errorf("%s: files cannot be read here", name)
	}
	text, err := read(name)
	if err != nil {
		return nil, err
	}
	var graph map[string]any
	if err := json.Unmarshal(text, &graph); err != nil {
		return nil, fmt.Errorf("%s is no JSON: %w", name, err)
	}
	for id, node := range graph {
		if n, _ := node.(map[string]any); n["class_type"] == nil || n["inputs"] == nil {
			return nil, fmt.Errorf(`%s: node %s has no class_type and inputs; export the workflow with "Export (API)"`, name, id)
		}
	}
	return graph, nil
}

func checkMode(doc *manifest.Doc, at manifest.Path, op *Operation, m *media.Model, o *media.Operation) {
	path := m.Call.PathBy[o.Mode]
	if strings.Contains(op.Submit.Post, "{path}") && path == "" {
		doc.Report(manifest.At("call", "path_by_mode"), "has no piece of the address for %s", o.Mode)
	}
	if strings.Contains(op.Submit.Post, "{upstream}") && upstream(m, o) == "" {
		doc.Report(at.Add("upstream"), "is missing: it is part of the address")
	}
	files := op.Upload != nil || op.encoding(path) == "multipart"
	for field, limit := range o.Limits {
		if i := slices.Index(limit.Forms, "file"); i >= 0 && !files {
			doc.Report(at.Add("limits", field, "forms", i), "%s takes no files; the forms are %v", op.Name, op.forms(op.encoding(path)))
		}
	}
	if _, err := compile(m, o); err != nil {
		doc.Report(at.Add("body"), "%v", err)
	}
	if !files {
		for _, place := range []struct {
			at    manifest.Path
			rules []media.Rule
		}{{manifest.At("call", "body"), m.Call.Body}, {at.Add("body"), o.Body}} {
			for i, r := range place.rules {
				if text := fmt.Sprint(r.Value); strings.Contains(text, ".file") && strings.Contains(text, "$") {
					doc.Report(place.at.Add(i), "%s takes no files", op.Name)
				}
			}
		}
	}
}

// Makes reports whether accounts of a kind make media.
func Makes(kind string) bool {
	all, _ := operations() // a test holds that they are all good
	return slices.ContainsFunc(all, func(op *Operation) bool { return op.Kind == kind })
}
