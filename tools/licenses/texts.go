package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"stele/tools/modules"
)

// gather writes one file of every licence text that must travel with the binary: Go's, those of the modules that are linked,
// and those of what is embedded. A text that several have stands there once.
func gather(root, target, out string) error {
	var b strings.Builder
	first := make(map[string]string) // whose a text was first
	add := func(what string, texts ...string) {
		fmt.Fprintf(&b, "==== %s ====\n\n", what)
		for _, text := range texts {
			text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
			if whose, ok := first[text]; ok {
				text = "The same text, word for word, as that of " + whose + "."
			} else {
				first[text] = what
			}
			b.WriteString(text + "\n\n")
		}
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("find Go: %w", err)
	}
	own, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(goroot)), "LICENSE"))
	if err != nil {
		return fmt.Errorf("read Go's licence: %w", err)
	}
	add("Go's standard library", string(own))
	list, err := modules.Linked(root, target)
	if err != nil {
		return err
	}
	for _, m := range list {
		texts, err := m.Texts()
		if err != nil {
			return err
		}
		if len(texts) == 0 {
			return fmt.Errorf("%s has no licence", m.Path)
		}
		add(m.Path+" "+m.Version, texts...)
	}
	internal := filepath.Join(root, "internal")
	err = fs.WalkDir(os.DirFS(internal), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.Contains(strings.ToUpper(e.Name()), "LICENSE") {
			return err
		}
		text, err := os.ReadFile(filepath.Join(internal, path))
		add("internal/"+path, string(text))
		return err
	})
	if err != nil {
		return err
	}
	return os.WriteFile(out, []byte(b.String()), 0o644)
}
