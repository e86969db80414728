package stele_test

import (
	"go/ast"
	"go/token"
	"path"
	"strings"
	"testing"
)

// walkers are the functions that go through text with quotes, escapes or brackets in it by hand.
var walkers = map[string]string{
	"app.findClosing":              "a template's own marks",
	"clients.behindText":           "TOML",
	"clients.read":                 "TOML",
	"console/page.endOfString":     "colors code of any language",
	"console/playground.depthOf":   "what a person has typed, before it is known to be JSON",
	"dialect.Arguments":            "tells apart what models write for arguments, most of it no JSON",
	"dialect.repair":               "mends what models write that is no JSON",
	"dialect/anthropic.takeByte":   "mends it as it comes, in pieces",
	"dialect/anthropic.takeLetter": "mends it as it comes, in pieces",
	"api.canonical":                "the one form in which two requests are the same (RFC 8785)",
	"fault.quote":                  "names in headers",
	"formula.escapes":              "a formula's own texts",
	"telemetry.isPlain":            "what a line of the log may have as it is",
}

// TestOnlyJSONScanWalks keeps one reader of JSON's bytes: others read typed values. What goes by
// hand over texts that are not JSON is in a list, with what they are.
func TestOnlyJSONScanWalks(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for file, parsed := range sources(t) {
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "test/") || strings.HasPrefix(file, "internal/jsonscan/") {
			continue
		}
		for _, spec := range parsed.Imports {
			if name := strings.Trim(spec.Path.Value, `"`); strings.HasPrefix(name, "github.com/tidwall/") {
				t.Errorf("%s reads JSON with %s; use jsonscan", file, name)
			}
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !walks(f) {
				continue
			}
			who := strings.TrimPrefix(path.Dir(file), "internal/") + "." + f.Name.Name
			if seen[who] = true; walkers[who] == "" {
				t.Errorf("%s: %s goes through text by hand; JSON is jsonscan's", fileSet.Position(f.Pos()), who)
			}
		}
	}
	for who := range walkers {
		if !seen[who] {
			t.Errorf("%s goes through no text by hand any more", who)
		}
	}
}

// walks reports whether a function compares bytes with what JSON's strings or brackets are made of, or has
// a library take a document apart.
func walks(f *ast.FuncDecl) bool {
	found := make(map[string]bool)
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			found[n.Value] = found[n.Value] || n.Kind == token.CHAR
		case *ast.SelectorExpr:
			if from, name, _ := strings.Cut(selector(n), "."); from == "jsontext" && name == "NewDecoder" {
				found[name] = true
			}
			found["Canonicalize"] = found["Canonicalize"] || n.Sel.Name == "Canonicalize"
		}
		return true
	})
	return found[`'"'`] && found[`'\\'`] || found[`'{'`] && found[`'}'`] || found["NewDecoder"] || found["Canonicalize"]
}
