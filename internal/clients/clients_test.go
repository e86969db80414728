package clients

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"stele/internal/label"
)

var example = Values{URL: "https://stele.example.com", Key: "sk_live_…", Model: "fast"}

func TestEveryClientIsWhole(t *testing.T) {
	t.Parallel()
	files, err := library.ReadDir("library")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d clients, %v", len(files), err)
	}
	for _, f := range files {
		c, err := read(f.Name())
		if err != nil {
			t.Error(err)
			continue
		}
		if c.Name == "" || c.About == "" || c.Install == "" || !strings.HasPrefix(c.Page, "https://") || len(c.Settings) == 0 || !strings.Contains("openai anthropic gemini", c.Dialect) || c.Dialect == "" {
			t.Errorf("%s lacks something: %+v", c.ID, c)
		}
		for _, ask := range c.Asks {
			if !label.IsModelPattern(ask.Pattern) || !label.Match(ask.Pattern, ask.Name) {
				t.Errorf("%s: %s is not of %s", c.ID, ask.Name, ask.Pattern)
			}
		}
		for _, chosen := range []bool{false, true} {
			values := example
			values.Chosen, values.Model = chosen, `odd "model"`
			if chosen {
				values.Window, values.Output = 64_000, 8_000
			}
			filled, err := c.Fill(values)
			if err != nil {
				t.Error(err)
			}
			for _, s := range filled {
				var any map[string]any
				switch {
				case (s.File == "") == (s.Title == "") || strings.Contains(s.Text, "{{") || (s.File == "") != (s.Form == ""):
					t.Errorf("%s: %+v", c.ID, s)
				case (s.Form == JSON || s.Form == JSONC) && json.Unmarshal([]byte(s.Text), &any) != nil:
					t.Errorf("%s is no JSON: %s", s.File, s.Text)
				case filepath.IsAbs(s.File) || strings.Contains(s.File, ".."):
					t.Errorf("%s is not below a home folder", s.File)
				}
				for _, m := range s.Moved {
					if (m.By == "") == (m.On == "") || (m.On == "") != (m.To == "") || m.From != "." && !strings.HasPrefix(s.File, m.From+"/") || m.On != "" && systems[m.On] == "" {
						t.Errorf("%s: %s is not moved by %+v", c.ID, s.File, m)
					}
				}
			}
		}
	}
}

func TestSettingsAreAddedToWhatIsThere(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		form            Form
		have, add, want string
	}{
		{JSON, "", "{\"a\":1}\n", "{\"a\":1}\n"},
		{JSON, `{"keep": [1, 2], "env": {"A": "1", "B": "2"}}`, `{"env":{"B":"3","C":{"d":4}},"new":true}`, `{"keep": [1, 2], "env": {"A": "1", "B": "3","C":{"d":4}},"new":true}`},
		{JSON, `{"env": 7}`, `{"env":{"B":"3"}}`, `{"env": {"B":"3"}}`},
		{JSON, `{}`, `{"a":{"b":1}}`, `{"a":{"b":1}}`},
		{Env, "# mine\nA=1\nexport B=2\n", "B=3\nC=4\n", "# mine\nA=1\nexport B=3\nC=4\n"},
		{Lines, "model: x\nother: y", "model: \"z\"\nnext: 1\n", "model: \"z\"\nother: y\nnext: 1\n"},
		{JSON, "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n", `{"a":{"c":2,"d":3},"e":4}`, "{\n  \"a\": {\n    \"b\": 1,\n    \"c\": 2,\n    \"d\": 3\n  },\n  \"e\": 4\n}\n"},
		{JSON, `{"models":[{"id":"mine","size":5},{"id":"m","size":1,"own":2}]}`, `{"models":[{"id":"m","size":3},{"id":"n"}]}`, `{"models":[{"id":"mine","size":5},{"id":"m","size":3,"own":2}, {"id":"n"}]}`},
		{JSON, `{"models":[]}`, `{"models":[{"name":"m"}]}`, `{"models":[{"name":"m"}]}`},
		{JSON, "{\n  \"a\": 1\n}\n", `{"b:c":2}`, "{\n  \"a\": 1,\n  \"b:c\": 2\n}\n"},
		{List, "name: mine\nmodels: [] # none yet\nrules:\n  - a\n", "name: Stele\nschema: v1\nmodels:\n  - name: S\n    model: m\n", "name: mine\nmodels: # none yet\n  - name: S\n    model: m\nrules:\n  - a\nschema: v1\n"},
		{List, "# mine\nmodels:\n- name: a # one\n  model: x\n\n- name: \"S\"\n  model: old\n  more: [1]\n\n# two\n- name: b\n\n# rules\nrules: []\n", "name: Stele\nmodels:\n  - name: S\n    model: m\n", "# mine\nmodels:\n- name: a # one\n  model: x\n\n- name: S\n  model: m\n\n# two\n- name: b\n\n# rules\nrules: []\nname: Stele\n"},
		{List, "models:\n    - name: a\n      roles:\n        - name: S\n", "models:\n  - name: S\n    model: m\n", "models:\n    - name: S\n      model: m\n    - name: a\n      roles:\n        - name: S\n"},
		{List, "name: mine\n", "models:\n  - name: S\n", "name: mine\nmodels:\n  - name: S\n"},
		{List, "# mine\n- model_id: a\n  x: 1\n", "- model_id: s\n  x: 2\n", "# mine\n- model_id: s\n  x: 2\n- model_id: a\n  x: 1\n"},
		{JSONC, "// mine\n{\n  \"a\": 1, // one\n  /* \"x\": */ \"t\": {\n    \"m\": \"//\", // two, too\n  },\n}\n", `{"a":2,"t":{"n":1},"e":[{"id":"m"}]}`, "// mine\n{\n  \"a\": 2, // one\n  /* \"x\": */ \"t\": {\n    \"m\": \"//\", // two, too\n    \"n\": 1\n  },\"e\":[{\"id\":\"m\"}],\n}\n"},
		{JSONC, "{\n  \"a\": 1 // one\n}\n", `{"b":2,"c":3}`, "{\n  \"a\": 1, // one\n  \"b\": 2,\n  \"c\": 3\n}\n"},
		{JSONC, "{ // nothing yet\n}\n", `{"b":2,"c":3}`, "{\"b\":2,\"c\":3 // nothing yet\n}\n"},
		{JSONC, `{"a": [{"id": "m"}, ], }`, `{"a":[{"id":"n"}],"b":2}`, `{"a": [{"id": "m"}, {"id":"n"}, ],"b":2, }`},
		{JSON, `{"list":["a"]}`, `{"list":["b"]}`, `{"list":["b"]}`},
		{Lines, "weak:\n  - a\n  - b\nread:\n- A.md\n\n# end\n", "weak: z\nread: y\n", "weak: z\nread: y\n\n# end\n"},
		{Lines, "---\n# mine\n\"model\": x\n", "model: z\n", "---\n# mine\nmodel: z\n"},
		{Lines, "model: |\n  a\n\n  b\n\nother: y\n", "model: z\n", "model: z\n\nother: y\n"},
		{Env, "X=\"a\nA=1\n\"\nB='x\ny'\nC=`it's`\n", "A=2\nB=3\n", "X=\"a\nA=1\n\"\nB=3\nC=`it's`\nA=2\n"},
		{TOML, "[p.s.more]\nx = 1\n", "[p.s]\na = 2\n", "[p.s.more]\nx = 1\n\n[p.s]\na = 2\n"},
		{ // what the user wrote into the table, and comments before the next one
			TOML, "[p.stele] # ours\nname = \"Old\"\nretries = 9 # mine\n# keep me\n\n# servers\n[servers]\na = 1\n\n[p.stele.headers]\nx = 1\n", "[p.stele]\nname = \"Stele\"\nurl = \"u\"\n",
			"[p.stele] # ours\nname = \"Stele\"\nretries = 9 # mine\nurl = \"u\"\n# keep me\n\n# servers\n[servers]\na = 1\n\n[p.stele.headers]\nx = 1\n",
		},
		{ // values over several lines, which look like tables and keys
			TOML, "notify = [\n  [\"a]\"], # [\n]\ntext = \"\"\"\n[a]\nmodel = 1\n\"\"\"\nmodel = [\n  1,\n]\nlast = 1\n[a]\nc = { d = 1 }\n", "model = \"m\"\n\n[a]\nb = 1\n",
			"notify = [\n  [\"a]\"], # [\n]\ntext = \"\"\"\n[a]\nmodel = 1\n\"\"\"\nmodel = \"m\"\nlast = 1\n[a]\nc = { d = 1 }\nb = 1\n",
		},
		{TOML, "model = \"m\" # the best\n", "model = \"m\"\n", "model = \"m\" # the best\n"},
		{TOML, "a = 1\n", "b = 1\nc = 2\n\n[x]\ny = 1\n\n[z]\ny = 1\n", "b = 1\nc = 2\na = 1\n\n[x]\ny = 1\n\n[z]\ny = 1\n"},
		{
			TOML, "# top\nmodel = \"old\"\n\n[tools]\nsearch = true\n\n[model_providers.stele]\nbase_url = \"x\"\n\n[last]\na = 1\n",
			"model = \"new\"\nmodel_provider = \"stele\"\n\n[model_providers.stele]\nbase_url = \"y\"\n",
			"model_provider = \"stele\"\n# top\nmodel = \"new\"\n\n[tools]\nsearch = true\n\n[model_providers.stele]\nbase_url = \"y\"\n\n[last]\na = 1\n",
		},
		{TOML, "model = \"old # 1\"  # keep\nb = 'x'\n", "model = \"new\"\nb = 1\n", "model = \"new\"  # keep\nb = 1\n"},
		{TOML, "[p.\"stele\"]\nname = \"mine\"\n", "[p.stele]\nname = \"Stele\"\n", "[p.\"stele\"]\nname = \"Stele\"\n"},
		{TOML, "\ufeffmodel = \"old\"\n", "model = \"new\"\nb = 1\n", "\ufeffb = 1\nmodel = \"new\"\n"},
		{TOML, "# mine\r\nmodel = \"old\" # keep\r\n[a]\r\nb = 1\r\n", "model = \"new\"\n\n[c]\nd = 1\n", "# mine\r\nmodel = \"new\" # keep\r\n[a]\r\nb = 1\r\n\r\n[c]\r\nd = 1\r\n"},
		{JSON, "\ufeff{\r\n  \"a\": 1\r\n}\r\n", `{"b":2}`, "\ufeff{\r\n  \"a\": 1,\r\n  \"b\": 2\r\n}\r\n"},
		{Env, "\ufeffA=1\r\nB=2\r\n", "A=3\nC=4\n", "\ufeffA=3\r\nB=2\r\nC=4\r\n"},
		{TOML, "[tools]\nsearch = true\n", "model = \"new\"\n\n[a]\nb = 1\n", "model = \"new\"\n[tools]\nsearch = true\n\n[a]\nb = 1\n"},
	} {
		got, err := merge(test.form, test.have, test.add)
		if err != nil || got != test.want {
			t.Errorf("%s %q and %q: %q, %v\nwant %q", test.form, test.have, test.add, got, err, test.want)
		}
		if again, err := merge(test.form, got, test.add); err != nil || again != got {
			t.Errorf("%s a second time: %q, %v", test.form, again, err)
		}
	}
	for _, have := range []string{"{a: 1}\n", "# mine\n  a: 1\n", "- a\n", "a: 1\n...\n", "a: 1\n---\nb: 1\n", "--- {a: 1}\n"} {
		if got, err := merge(Lines, have, "b: 2\n"); !errors.Is(err, ErrByHand) {
			t.Errorf("%q: %q, %v", have, got, err)
		}
	}
	for _, have := range []string{"models: [{name: a}]\n", "models: *all\n", "models:\n  a: 1\n", "{models: []}\n", "- a\n"} {
		if got, err := merge(List, have, "models:\n  - name: S\n"); !errors.Is(err, ErrByHand) {
			t.Errorf("%q: %q, %v", have, got, err)
		}
	}
	for form, have := range map[Form]string{JSON: "{ // mine\n \"a\": 1}", JSONC: "{a: 1}", "": "x"} {
		if _, err := merge(form, have, "{}"); !errors.Is(err, ErrByHand) {
			t.Errorf("%s: %v", form, err)
		}
	}
	for _, have := range []string{"p = { s = { a = 1 } }\n", "p.s.a = 1\n", "[p]\ns = { a = 1 }\n", "[p]\ns.a = 1\n", "p.\"s\".a = 1\n", "x = [\n", "no toml\n", "x =\n", "[a]\nb = \"\"\"c\n"} {
		if got, err := merge(TOML, have, "[p.s]\na = 2\n"); !errors.Is(err, ErrByHand) {
			t.Errorf("%q: %q, %v", have, got, err)
		}
	}
}

func TestAFileIsReplacedWithABackup(t *testing.T) {
	t.Parallel()
	home, now := t.TempDir(), time.Date(2026, 11, 16, 5, 0, 0, 0, time.UTC)
	s := Setting{File: ".tool/settings.json", Form: JSON, Text: `{"env":{"A":"1"}}`}
	file := filepath.Join(home, s.File)
	first, err := Write(file, s, now)
	if err != nil || first.Backup != "" || first.Same {
		t.Fatalf("%+v, %v", first, err)
	}
	if info, err := os.Stat(first.File); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if again, err := Write(file, s, now); err != nil || !again.Same {
		t.Errorf("%+v, %v", again, err)
	}
	// Settings that are a link to elsewhere stay one.
	linked := filepath.Join(home, "kept.json")
	if err := errors.Join(os.Rename(first.File, linked), os.Symlink(linked, first.File), os.Chmod(linked, 0o644)); err != nil {
		t.Fatal(err)
	}
	s.Text = `{"env":{"B":"2"}}`
	next, err := Write(file, s, now)
	if err != nil || next.File != linked || next.Backup != linked+".before-stele-20261116-050000" {
		t.Fatalf("%+v, %v", next, err)
	}
	if info, err := os.Stat(linked); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("what others could read has a key in it now: %v, %v", info, err)
	}
	s.Text = `{"env":{"B":"3"}}`
	if third, err := Write(file, s, now); err != nil || third.Backup != next.Backup+"-2" {
		t.Errorf("%+v, %v", third, err) // in the same second
	}
	s.Text = `{"env":{"B":"2"}}`
	if _, err := Write(file, s, now); err != nil {
		t.Error(err)
	}
	old, err := os.ReadFile(next.Backup)
	is, also := os.ReadFile(first.File)
	if err := errors.Join(err, also); err != nil || string(old) != `{"env":{"A":"1"}}` || string(is) != `{"env":{"A":"1","B":"2"}}` {
		t.Errorf("%s, %s, %v", old, is, err)
	}
}

// TestSettingsAreAddedOnce adds the settings of every client to themselves.
func TestSettingsAreAddedOnce(t *testing.T) {
	t.Parallel()
	for _, c := range All() {
		settings, err := c.Fill(Values{URL: "https://stele.example.com", Key: "k", Model: "m", Chosen: true, Window: 1000, Output: 100})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range settings {
			if again, err := merge(s.Form, s.Text, s.Text); s.File != "" && (err != nil || again != s.Text) {
				t.Errorf("%s %s: %q, %v", c.ID, s.File, again, err)
			}
		}
	}
}

// TestAFileThatMayNotBeChanged has a client's settings be read-only, as their owner made them.
func TestAFileThatMayNotBeChanged(t *testing.T) {
	t.Parallel()
	file, s := filepath.Join(t.TempDir(), "settings.json"), Setting{Form: JSON, Text: `{"b":2}`}
	if err := os.WriteFile(file, []byte(`{"a":1}`), 0o444); err != nil {
		t.Fatal(err)
	}
	_, err := Write(file, s, time.Now())
	text, also := os.ReadFile(file)
	files, third := os.ReadDir(filepath.Dir(file))
	if !errors.Is(err, ErrByHand) || errors.Join(also, third) != nil || string(text) != `{"a":1}` || len(files) != 1 {
		t.Errorf("%v %v %v: %s, %d files", err, also, third, text, len(files))
	}
	s.Text = `{"a":1}`
	if w, err := Write(file, s, time.Now()); err != nil || !w.Same {
		t.Errorf("%+v, %v", w, err) // nothing has to be changed
	}
}

// TestALinkToNothingYetStaysALink has a client's settings be a link to a file that is not there.
func TestALinkToNothingYetStaysALink(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	link, file := filepath.Join(home, ".tool", "settings.json"), filepath.Join(home, "kept", "tool.json")
	if err := errors.Join(os.Mkdir(filepath.Dir(link), 0o700), os.Symlink("../kept/tool.json", link)); err != nil {
		t.Fatal(err)
	}
	w, err := Write(link, Setting{Form: JSON, Text: `{"a":1}`}, time.Now())
	text, also := os.ReadFile(file)
	to, third := os.Readlink(link)
	if err := errors.Join(err, also, third); err != nil || w.File != file || string(text) != `{"a":1}` || to != "../kept/tool.json" {
		t.Errorf("%+v, %v: %s, %s", w, err, text, to)
	}
}
