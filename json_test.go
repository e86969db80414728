package stele_test

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// searches are the functions that look for a text in another.
var searches = []string{
	"Contains", "Count", "Cut", "CutPrefix", "CutSuffix", "HasPrefix", "HasSuffix", "Index", "LastIndex", "Replace", "ReplaceAll", "Split", "SplitN",
}

// searchers look for a piece of JSON without reading what it stands in: for speed, in frames and
// bodies that pass, or where to find too much is safe.
var searchers = map[string]string{
	"dialect.Pictures":              "counts in a long body what the one walk over it has found there",
	"dialect.hasNames":              "a schema that is believed to have names keeps its references",
	"dialect/anthropic.Rename":      "frames that pass: all but the first name no model",
	"dialect/anthropic.isUncounted": "frames that pass: those of content are not read",
	"dialect/gemini.NothingToMeter": "frames that pass: those of content are not read",
	"dialect/gemini.readForMeter":   "frames that pass: a candidate is read only where it may have ended",
	"dialect/gemini.refers":         "results of tools are long, and one that is taken for more is told in words",
	"dialect/openai.DropUnasked":    "frames that pass: in a text its quotes would be escaped",
	"dialect/openai.writeRated":     "the end of every chunk, which we wrote ourselves",
	"dialect/openai.readField":      "moderation that may block is not left out, in whatever form it is asked for",
	"console/page.valueAt":          "colors an example, which is text to it",
	"console/playground.ownIDs":     "puts back the ids that were put there just before",
}

// TestJSONIsNotSearched finds what looks for a piece of JSON as if that were text: it may stand in
// a string as well, or be written in another way.
func TestJSONIsNotSearched(t *testing.T) {
	t.Parallel()
	files, seen := sources(t), make(map[string]bool)
	pieces := make(map[string]bool) // by folder and name
	for file, parsed := range files {
		for name, is := range piecesIn(parsed.Decls) {
			pieces[path.Dir(file)+" "+name] = is
		}
	}
	for file, parsed := range files {
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "test/") || strings.HasPrefix(file, "internal/console/consoletest/") {
			continue
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || strings.HasPrefix(file, "internal/jsonscan/") {
				continue
			}
			own := piecesWithin(f)
			known := func(name string) bool {
				is, local := own[name]
				return is || !local && pieces[path.Dir(file)+" "+name]
			}
			who := strings.TrimPrefix(path.Dir(file), "internal/") + "." + f.Name.Name
			ast.Inspect(f, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && isSearch(call) && isPiece(call.Args[1], known) {
					if seen[who] = true; searchers[who] == "" {
						t.Errorf("%s: %s looks for a piece of JSON; use jsonscan", fileSet.Position(n.Pos()), who)
					}
				}
				return true
			})
		}
	}
	for who := range searchers {
		if !seen[who] {
			t.Errorf("%s looks for no piece of JSON any more", who)
		}
	}
}

// isSearch reports whether a call looks for its second argument in its first.
func isSearch(call *ast.CallExpr) bool {
	from, name, _ := strings.Cut(selector(call.Fun), ".")
	return (from == "bytes" || from == "strings") && slices.Contains(searches, name) && len(call.Args) > 1
}

// piecesIn are the variables and constants that declarations make, and whether they look like a
// piece of JSON.
func piecesIn(decls []ast.Decl) map[string]bool {
	all := make(map[string]bool)
	for _, d := range decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR && g.Tok != token.CONST {
			continue
		}
		for _, spec := range g.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok {
				for i, name := range v.Names {
					all[name.Name] = i < len(v.Values) && isPiece(v.Values[i], nil)
				}
			}
		}
	}
	return all
}

// piecesWithin are those of a function.
func piecesWithin(f *ast.FuncDecl) map[string]bool {
	var decls []ast.Decl
	ast.Inspect(f, func(n ast.Node) bool {
		if d, ok := n.(*ast.DeclStmt); ok {
			decls = append(decls, d.Decl)
		}
		return true
	})
	return piecesIn(decls)
}

// isPiece reports whether a text, or bytes made of one, look like a piece of JSON: they have a
// quote, and something beside it.
func isPiece(e ast.Expr, known func(name string) bool) (found bool) {
	if call, ok := e.(*ast.CallExpr); ok && len(call.Args) == 1 { // []byte(…)
		e = call.Args[0]
	}
	if name, ok := e.(*ast.Ident); ok {
		return known != nil && known(name.Name)
	}
	_, joined := e.(*ast.BinaryExpr)
	ast.Inspect(e, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text, _ := strconv.Unquote(lit.Value)
			found = found || strings.Contains(text, `"`) && (joined || strings.Trim(text, `"`) != "")
		}
		return true
	})
	return found
}
