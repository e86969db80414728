package toolbox

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stele/internal/generation"
)

// makeFolders makes a folder to read from, one to save in, and one beside them with a secret.
func makeFolders(t *testing.T) (p *folders, read, out, beside string) {
	t.Helper()
	base := t.TempDir()
	read, out, beside = filepath.Join(base, "read"), filepath.Join(base, "out"), filepath.Join(base, "beside")
	for _, folder := range []string{filepath.Join(read, "inner"), out, beside} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(read, "inner", "a.txt"), "inside")
	write(t, filepath.Join(beside, "secret.txt"), "secret")
	for link, to := range map[string]string{
		filepath.Join(read, "leak.txt"):  filepath.Join(beside, "secret.txt"),
		filepath.Join(read, "leak"):      beside,
		filepath.Join(read, "alias.txt"): filepath.Join("inner", "a.txt"),
		filepath.Join(out, "leak"):       beside,
	} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	p, err := openFolders([]string{read}, out)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.close() })
	return p, read, out, beside
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFilesAreReadBelowTheFoldersOnly(t *testing.T) {
	t.Parallel()
	p, read, out, beside := makeFolders(t)
	write(t, filepath.Join(out, "made.txt"), "inside")
	for _, name := range []string{"inner/a.txt", filepath.Join(read, "inner", "a.txt"), "alias.txt", "inner/../alias.txt", filepath.Join(out, "made.txt")} {
		f, err := p.find(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r, err := f.open()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if text, _ := io.ReadAll(r); string(text) != "inside" {
			t.Errorf("%s: %q", name, text)
		}
		r.Close()
	}
	for _, name := range []string{
		"../beside/secret.txt", filepath.Join(beside, "secret.txt"), "leak.txt", "leak/secret.txt", "inner", "", "nothing.txt",
		"/etc/passwd", "/dev/zero", filepath.Join(read, "..", "beside", "secret.txt"), "~/.ssh/id_rsa",
	} {
		if f, err := p.find(name); err == nil {
			t.Errorf("%q was found: %+v", name, f)
		}
	}
}

func TestNothingIsWrittenOver(t *testing.T) {
	t.Parallel()
	p, _, out, beside := makeFolders(t)
	write(t, filepath.Join(out, "a.png"), "mine")
	for _, want := range []string{"a-2.png", "a-3.png"} {
		f, path, err := p.create("a.png")
		if err != nil || path != filepath.Join(out, want) {
			t.Fatalf("%s %v", path, err)
		}
		f.Close()
	}
	if text, err := os.ReadFile(filepath.Join(out, "a.png")); string(text) != "mine" {
		t.Errorf("%q %v", text, err)
	}
	f, path, err := p.create(filepath.Join("new", "folder", "b.png"))
	if err != nil || !strings.HasPrefix(path, out) {
		t.Fatalf("%s %v", path, err)
	}
	f.Close()
	p.remove(path)
	if _, err := os.Stat(path); err == nil {
		t.Error("it is still there")
	}
	for _, name := range []string{"../b.png", filepath.Join(beside, "b.png"), "leak/b.png", ".", ""} {
		if f, path, err := p.create(name); err == nil {
			f.Close()
			t.Errorf("%q was written to %s", name, path)
		}
	}
	if list, err := os.ReadDir(beside); len(list) != 1 {
		t.Errorf("%v %v", list, err)
	}
}

func TestAFolderIsAPlaceToSave(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	if err := os.Mkdir(filepath.Join(out, "assets"), 0o755); err != nil {
		t.Fatal(err)
	}
	p, err := openFolders([]string{out}, out)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	for said, want := range map[string]string{
		"": "sea", "assets": "assets/sea", "assets/": "assets/sea", "new/": "new/sea", "./": "sea", ".": "sea", "assets/hero.png": "assets/hero.png", "hero": "hero", "../": "../sea", "..": "..",
	} {
		if got := filepath.ToSlash(p.placeOf(said, "sea")); got != want {
			t.Errorf("%q: %s", said, got)
		}
	}
	if p.list() != out {
		t.Error(p.list())
	}
}

func TestTheSandboxIsNotChosenUnasked(t *testing.T) {
	t.Parallel()
	played := model{ID: "stele/sandbox-audio", Modes: []string{"text_to_speech"}}
	if id, err := choose([]model{played}, "text_to_speech"); err == nil || !strings.Contains(err.Error(), played.ID) {
		t.Errorf("%s %v", id, err)
	}
	if id, err := choose([]model{played, {ID: "voice", Modes: played.Modes}}, "text_to_speech"); id != "voice" {
		t.Errorf("%s %v", id, err)
	}
	if _, err := choose(nil, "text_to_speech"); err == nil {
		t.Error("a model was chosen of none")
	}
}

func TestOnlyWhatModelsTakeIsShown(t *testing.T) {
	t.Parallel()
	for want, list := range map[bool][]generation.Output{
		true: {{Kind: "image", Type: "image/png", Width: 8000}, {Kind: "image", Type: "image/jpeg"}, {Kind: "image", Type: "image/webp"}, {Kind: "image", Type: "image/gif"}},
		false: {
			{Kind: "image", Type: "image/svg+xml"}, {Kind: "image", Type: "image/avif"}, {Kind: "image", Type: "image/tiff"}, {Kind: "video", Type: "image/png"},
			{Kind: "image", Type: "image/png", Size: largestShown + 1}, {Kind: "image", Type: "image/png", Height: 8001},
		},
	} {
		for _, s := range list {
			if (&saved{Output: s}).canBeShown() != want {
				t.Errorf("%+v", s)
			}
		}
	}
}

func TestNamesOfOutputs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		n       int
		address string
		want    string
	}{
		{"sea", 0, "http://h/f/x.png?sig=1", "sea.png"},
		{"sea.jpg", 0, "http://h/f/x.png", "sea.jpg"},
		{"sea.jpg", 1, "http://h/f/x.png", "sea-2.png"},
		{"a/sea", 2, "http://h/f/x", "a/sea-3"},
	} {
		if got := nameOf(c.name, c.n, c.address); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
	for text, want := range map[string]string{
		"The sea, at night!": "the-sea-at-night", "": "gen_1", "///": "gen_1", "../../etc": "etc", "Ünïcode 海": "ünïcode-海",
	} {
		if got := slug(text, "gen_1"); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestMakesTheFolderToSaveIn(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "assets", "made")
	p, err := openFolders(nil, out)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	if list, err := os.ReadDir(out); err != nil || len(list) != 0 {
		t.Errorf("%v %v", list, err)
	}
	if p, err := openFolders([]string{filepath.Join(out, "none")}, out); err == nil {
		p.close()
		t.Error("a folder to read from that is not there")
	}
}
