// Package stele_test holds the architecture as a test: imports point down,
// files stay small, every package says what it is for.
package stele_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The floors of docs/architecture.md. Rooms are in order: each may import those
// before it, but not those after. Stones stand alone, but for stoneUses.
var (
	rooms  = []string{"access", "catalog", "meter", "limit", "replay", "file", "webhook", "route", "fleet", "relay", "generation", "app", "supply"}
	stones = []string{"fault", "uid", "scope", "wire", "seal", "guard", "manifest", "media", "chat", "price", "fair", "memory", "label", "formula", "inflight", "picture", "jsonscan", "table", "crash", "clients", "disk", "trace", "revision", "pause", "share", "recent", "pattern"}
	walls  = []string{"provider", "store", "blob", "archive", "queue", "mail", "telemetry"}
	doors  = []string{"api", "bridge", "console", "download", "server"}
	// What runs on a developer's machine and sees a server from outside; in order, as rooms are.
	companions = []string{"client", "toolbox"}
)

// library draws and plays: a tree beside the floors, as a module from outside would be.
const library = "studio"

// stoneUses are the few stones that may use another.
var stoneUses = map[string][]string{"media": {"fault", "manifest", "price"}, "chat": {"fault", "jsonscan"}, "guard": {"fault"}, "memory": {"fair", "fault", "pause"}, "fault": {"label"}, "inflight": {"fair", "disk", "pause"}, "seal": {"disk"}, "scope": {"memory"}, "picture": {"memory"}, "clients": {"manifest", "jsonscan"}, "share": {"fault", "pause"}}

// How long things may be, in lines. Tests are lists and may be longer.
const (
	longest         = 400
	longestTest     = 500
	longestFunction = 60
)

func TestImportsPointDown(t *testing.T) {
	t.Parallel()
	for file, parsed := range sources(t) {
		if strings.HasSuffix(file, "_test.go") {
			continue // tests may stand anywhere
		}
		if strings.HasPrefix(file, "internal/console/consoletest/") {
			continue // a rig of tests
		}
		from := room(path.Dir(file))
		for _, spec := range parsed.Imports {
			to, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), "stele/")
			if ours && (!mayImport(from, room(to)) || !mayShow(path.Dir(file), to) || !mayTest(path.Dir(file), to)) {
				t.Errorf("%s: %s may not import %s", file, from, to)
			}
		}
	}
}

// room is the package a folder belongs to: internal/dialect/openai → dialect/openai,
// internal/provider/sandbox → provider, cmd/stele → cmd/stele.
func room(folder string) string {
	inner, ok := strings.CutPrefix(folder, "internal/")
	if !ok || strings.HasPrefix(inner, "dialect/") {
		return strings.TrimPrefix(folder, "internal/")
	}
	first, _, _ := strings.Cut(inner, "/")
	return first
}

// mayShow keeps the console's rooms apart: its frame imports them and what pages share,
// a room imports what pages share, and that imports neither.
func mayShow(from, to string) bool {
	const frame, shared = "internal/console", "internal/console/page"
	if !strings.HasPrefix(from, frame+"/") {
		return true
	}
	return to != frame && !strings.HasPrefix(to, frame+"/") || to == shared && from != shared
}

// rigs are made for tests: of what ships only another of them imports one.
var rigs = []string{"chromium", "race", "oidctest", "passkeytest", "storetest", "consoletest", "template"}

func mayTest(from, to string) bool {
	return !slices.Contains(rigs, path.Base(to)) || !strings.HasPrefix(from, "internal/") && !strings.HasPrefix(from, "cmd/") || slices.Contains(rigs, path.Base(from))
}

func mayImport(from, to string) bool {
	stone := slices.Contains(stones, to)
	aDialect := to == "dialect" || strings.HasPrefix(to, "dialect/")
	aRoom := slices.Contains(rooms, to)
	switch {
	case from == library || to == library: // it imports nothing of ours, and only the maker of providers uses it
		return from == to || from == "provider"
	case from == "cmd/stele", from == to, from == "test", from == "tools", strings.HasPrefix(from, "test/"), strings.HasPrefix(from, "tools/"):
		return true
	case from == "assembly":
		return to != "cmd/stele"
	case from == "doctor":
		return to == "assembly" || to == "config" || to == "store" || stone || aRoom
	case from == "supply" && to == "config":
		return true // it merges the file with the database
	case from == "config":
		return to == "manifest" || to == "label" || to == "price"
	case slices.Contains(stones, from):
		return slices.Contains(stoneUses[from], to)
	case from == "dialect" || strings.HasPrefix(from, "dialect/"):
		return stone || to == "dialect"
	case slices.Contains(rooms, from):
		return stone || (aRoom && slices.Index(rooms, to) < slices.Index(rooms, from))
	case slices.Contains(companions, from):
		return stone || to == "generation" || slices.Contains(companions[:slices.Index(companions, from)], to)
	case slices.Contains(walls, from), slices.Contains(doors, from):
		return stone || aDialect || aRoom
	}
	return false
}

func TestFilesStaySmall(t *testing.T) {
	t.Parallel()
	for file, parsed := range sources(t) {
		most := longest
		if strings.HasSuffix(file, "_test.go") {
			most = longestTest
		}
		if lines := fileSet.Position(parsed.FileEnd).Line; lines > most {
			t.Errorf("%s has %d lines; the end is %d", file, lines, most)
		}
	}
}

func TestFunctionsStaySmall(t *testing.T) {
	t.Parallel()
	for file, parsed := range sources(t) {
		if strings.HasSuffix(file, "_test.go") || strings.HasSuffix(path.Dir(file), "test") {
			continue
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			from, to := fileSet.Position(f.Pos()).Line, fileSet.Position(f.End()).Line
			if to-from+1 > longestFunction {
				t.Errorf("%s: %s has %d lines; the end is %d", file, f.Name.Name, to-from+1, longestFunction)
			}
		}
	}
}

// codecFiles are what every dialect is made of. A file is called like one of them, or
// like one with more of a name behind it: decode_request_tools.go.
var codecFiles = []string{
	"codec", "path", "traits", "decode_request", "encode_request", "decode_reply", "encode_reply", "decode_stream", "encode_stream",
	"pass", "errors", "tools", "schema", "thinking", "usage", "stop", "media", "json",
}

var codecs = []string{"openai", "anthropic", "gemini"}

func TestCodecsAreLearnedOnce(t *testing.T) {
	t.Parallel()
	for _, dialect := range codecs {
		seen := make(map[string]bool)
		for file := range sources(t) {
			name, ok := strings.CutSuffix(path.Base(file), ".go")
			if path.Dir(file) != "internal/dialect/"+dialect || !ok || strings.HasSuffix(name, "_test") {
				continue
			}
			seen[name] = true
			if !slices.ContainsFunc(codecFiles, func(known string) bool { return name == known || strings.HasPrefix(name, known+"_") }) {
				t.Errorf("%s: no other dialect has a file of this name", file)
			}
		}
		for _, name := range codecFiles {
			if !seen[name] {
				t.Errorf("%s has no %s.go", dialect, name)
			}
		}
	}
}

// TestCodecsAreInOneOrder holds what two codecs both show to files of the same name, and
// there to the same order.
func TestCodecsAreInOneOrder(t *testing.T) {
	t.Parallel()
	shown := make(map[string][]place)
	for _, dialect := range codecs {
		shown[dialect] = shownIn(t, "internal/dialect/"+dialect)
		if len(shown[dialect]) < 20 {
			t.Fatalf("%s shows only %v", dialect, shown[dialect])
		}
	}
	for i, one := range codecs {
		for _, other := range codecs[i+1:] {
			ours, theirs := inBoth(shown[one], shown[other]), inBoth(shown[other], shown[one])
			for k := range ours {
				if ours[k] != theirs[k] {
					t.Errorf("%s has %s in %s, where %s has %s in %s", one, ours[k].name, ours[k].file, other, theirs[k].name, theirs[k].file)
					break
				}
			}
		}
	}
}

// place is where a function or method stands.
type place struct{ name, file string }

// shownIn are the exported functions and methods of a package, from file to file and from
// top to bottom.
func shownIn(t *testing.T, folder string) (all []place) {
	t.Helper()
	files := sources(t)
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if path.Dir(file) != folder || strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, d := range files[file].Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() {
				continue
			}
			name := f.Name.Name
			if f.Recv != nil {
				name = types.ExprString(f.Recv.List[0].Type) + "." + name
			}
			all = append(all, place{strings.TrimPrefix(name, "*"), path.Base(file)})
		}
	}
	return all
}

// inBoth are those places whose name is also in the other list.
func inBoth(places, other []place) []place {
	return slices.DeleteFunc(slices.Clone(places), func(p place) bool {
		return !slices.ContainsFunc(other, func(o place) bool { return o.name == p.name })
	})
}

func TestEveryPackageHasAComment(t *testing.T) {
	t.Parallel()
	documented := make(map[string]bool)
	for file, parsed := range sources(t) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		folder := path.Dir(file)
		documented[folder] = documented[folder] || parsed.Doc != nil
	}
	for folder, ok := range documented {
		if !ok {
			t.Errorf("%s: no file has a package comment", folder)
		}
	}
}

func TestWordsAreFew(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "| word | is |\n|---|---|\n")
	table, _, _ := strings.Cut(rest, "\n\n")
	words := 0
	for row := range strings.Lines(table) {
		words += 1 + strings.Count(strings.Split(row, "|")[1], ",")
	}
	if words == 0 || words > 30 {
		t.Errorf("docs/architecture.md explains %d words; the end is 30", words)
	}
}

// TestOneWayOut keeps every connection that leaves the machine in guard.
func TestOneWayOut(t *testing.T) {
	t.Parallel()
	forbidden := []string{
		"http.Client", "http.Transport", "http.DefaultClient", "http.DefaultTransport", "http.Get", "http.Post",
		"http.PostForm", "http.Head", "net.Dial", "net.DialTimeout", "net.Dialer", "tls.Dial", "tls.Dialer",
	}
	for file, parsed := range sources(t) {
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "internal/guard/") || strings.HasPrefix(file, "test/") {
			continue
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			call, ok := n.(*ast.CompositeLit)
			var name string
			if ok {
				name = selector(call.Type)
			} else if sel, ok := n.(*ast.CallExpr); ok {
				name = selector(sel.Fun)
			} else if sel, ok := n.(*ast.SelectorExpr); ok && strings.HasPrefix(sel.Sel.Name, "Default") {
				name = selector(sel)
			}
			if slices.Contains(forbidden, name) {
				t.Errorf("%s: %s makes its own way out; use guard", fileSet.Position(n.Pos()), name)
			}
			return true
		})
	}
}

// TestOnlyTestsHashCheaply keeps passwords expensive in what ships.
func TestOnlyTestsHashCheaply(t *testing.T) {
	t.Parallel()
	for file, parsed := range sources(t) {
		if strings.HasSuffix(file, "_test.go") || strings.HasSuffix(path.Dir(file), "test") {
			continue
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "HashCheaply" {
				t.Errorf("%s: passwords are hashed cheaply", fileSet.Position(n.Pos()))
			}
			return true
		})
	}
}

func selector(e ast.Expr) string {
	if sel, ok := e.(*ast.SelectorExpr); ok {
		if x, ok := sel.X.(*ast.Ident); ok {
			return x.Name + "." + sel.Sel.Name
		}
	}
	return ""
}

var fileSet = token.NewFileSet()

// sources are the Go files of the tree, parsed.
func sources(t *testing.T) map[string]*ast.File {
	t.Helper()
	files, err := parsed()
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	return files
}

var parsed = sync.OnceValues(func() (map[string]*ast.File, error) {
	files := make(map[string]*ast.File)
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && name != "." || d.Name() == "node_modules" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		file, err := parser.ParseFile(fileSet, name, nil, parser.ParseComments)
		files[filepath.ToSlash(name)] = file
		return err
	})
	return files, err
})

func TestMayShow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to string
		may      bool
	}{
		{"internal/console", "internal/console/keys", true}, {"internal/console", "internal/console/page", true},
		{"internal/console/keys", "internal/console/page", true}, {"internal/console/keys", "internal/access", true},
		{"internal/console/keys", "internal/console/people", false}, {"internal/console/keys", "internal/console", false},
		{"internal/console/page", "internal/console/keys", false}, {"internal/console/page", "internal/console", false},
	} {
		if mayShow(c.from, c.to) != c.may {
			t.Errorf("%s imports %s: %t, want %t", c.from, c.to, !c.may, c.may)
		}
	}
}

func TestMayImport(t *testing.T) {
	t.Parallel()
	for _, forbidden := range [][2]string{
		{"api", "store"}, {"api", "console"}, {"store", "api"}, {"access", "catalog"}, {"relay", "dialect"},
		{"catalog", "store"}, {"uid", "fault"}, {"dialect/openai", "dialect/gemini"}, {"access", "config"}, {"store", "queue"},
		{"studio", "media"}, {"studio", "fault"}, {"console", "studio"}, {"cmd/stele", "studio"},
		{"supply", "provider"}, {"supply", "dialect"}, {"assembly", "cmd/stele"}, {"console", "assembly"}, {"app", "supply"},
		{"toolbox", "store"}, {"toolbox", "assembly"}, {"toolbox", "api"}, {"client", "toolbox"}, {"api", "client"},
	} {
		if mayImport(forbidden[0], forbidden[1]) {
			t.Errorf("%s may import %s", forbidden[0], forbidden[1])
		}
	}
	for _, allowed := range [][2]string{{"api", "app"}, {"store", "access"}, {"app", "catalog"}, {"dialect/openai", "dialect"}, {"cmd/stele", "config"}, {"provider", "studio"}, {"cmd/stele", "assembly"}, {"assembly", "store"}, {"supply", "config"}, {"toolbox", "client"}, {"client", "generation"}} {
		if !mayImport(allowed[0], allowed[1]) {
			t.Errorf("%s may not import %s", allowed[0], allowed[1])
		}
	}
}
