package main

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// refusal runs a command line that is to be refused and gives what it says.
func refusal(t *testing.T, data string, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	err := run(t.Context(), append([]string{"--data", data}, args...), world{getenv: func(string) string { return "" }, dir: data, stdin: strings.NewReader(""), stdout: &out, stderr: &errs})
	text := errs.String()
	if err == nil || out.Len() > 0 || strings.Count(text, "\n") != 1 || !strings.HasPrefix(text, "stele: ") {
		t.Errorf("%q: %v\n%s%s", args, err, out.String(), text)
	}
	for _, inside := range []string{"strconv", "time:", "arg(s)", "flag(s)", "invalid argument"} {
		if strings.Contains(text, inside) {
			t.Errorf("%q: %s", args, text)
		}
	}
	return text
}

// TestEveryCommandRefusesWhatItCannotMean calls all commands there are in ways that are wrong.
func TestEveryCommandRefusesWhatItCannotMean(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(sub)
		}
		path := strings.Fields(c.CommandPath())[1:]
		with := func(more ...string) []string { return append(append([]string{}, path...), more...) }
		if !c.Runnable() {
			refusal(t, data, with("nonsense")...)
			refusal(t, data, with("nonsense", "--json")...)
			return
		}
		if _, names, _ := strings.Cut(c.Use, " "); names != "" && names == strings.ToUpper(names) && names[0] != '[' {
			if text := refusal(t, data, path...); !strings.Contains(text, names) && !strings.Contains(text, "which client?") {
				t.Errorf("%q does not say what is missing: %s", path, text)
			}
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			for _, group := range f.Annotations["cobra_annotation_mutually_exclusive"] {
				both := with()
				for name := range strings.FieldsSeq(group) {
					both = append(both, "--"+name+"="+map[string]string{"bool": "true"}[c.Flags().Lookup(name).Value.Type()])
				}
				refusal(t, data, both...)
			}
			switch f.Value.Type() {
			case "duration":
				for _, value := range []string{"1d", "", "soon", "99999999h"} {
					refusal(t, data, with("--"+f.Name+"="+value)...)
				}
			case "int", "int64", "intSlice", "bool":
				refusal(t, data, with("--"+f.Name+"=x")...)
			}
		})
	}
	p := &program{}
	walk(p.newRoot())
	refusal(t, data, "nonsense")
	refusal(t, data, "help", "nonsense")
	refusal(t, data, "help", "keys", "nonsense")
	if text := refusal(t, data, "keys", "revok", "key_x"); !strings.Contains(text, "revoke") {
		t.Error(text)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// TestAKeyThatCannotBePrintedIsRevoked makes one where its secret goes nowhere.
func TestAKeyThatCannotBePrintedIsRevoked(t *testing.T) {
	t.Parallel()
	w := world{getenv: func(string) string { return "" }, dir: t.TempDir(), stdin: strings.NewReader(""), stdout: full{}, stderr: io.Discard}
	data := filepath.Join(w.dir, "data")
	if err := run(t.Context(), []string{"keys", "create", "--name", "lost", "--data", data}, w); err == nil {
		t.Fatal("it was made")
	}
	var out bytes.Buffer
	w.stdout = &out
	if err := run(t.Context(), []string{"keys", "list", "--data", data}, w); err != nil || !strings.Contains(out.String(), "revoked") || strings.Contains(out.String(), "active") {
		t.Error(err, out.String())
	}
}

// TestASecretThatCannotBePrintedCanBeMadeAnew makes some that go nowhere.
func TestASecretThatCannotBePrintedCanBeMadeAnew(t *testing.T) {
	t.Parallel()
	var errs bytes.Buffer
	w := world{getenv: func(string) string { return "" }, dir: t.TempDir(), stdin: strings.NewReader(""), stdout: full{}, stderr: &errs}
	for command, remedy := range map[string]string{
		"users create --email ada@example.com": "stele users reset ada@example.com", "webhooks endpoints create --url https://example.com/x": "endpoints rotate ep_",
	} {
		errs.Reset()
		if err := run(t.Context(), append(strings.Fields(command), "--data", filepath.Join(w.dir, "data")), w); err == nil || !strings.Contains(errs.String(), remedy) {
			t.Errorf("%s: %v %s", command, err, errs.String())
		}
	}
}

// TestFlagsThatWouldBeTakenForEverythingAreRefused gives every command that may be called without
// arguments what a script has whose variable is empty or wrong.
func TestFlagsThatWouldBeTakenForEverythingAreRefused(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	required := map[string]string{"email": "ada@example.com", "url": "https://example.com/x", "provider": "openai"}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(sub)
		}
		_, names, _ := strings.Cut(c.Use, " ")
		if !c.Runnable() || names != "" && names == strings.ToUpper(names) && names[0] != '[' {
			return
		}
		args := strings.Fields(c.CommandPath())[1:]
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if _, needed := f.Annotations[cobra.BashCompOneRequiredFlag]; needed {
				args = append(args, "--"+f.Name+"="+required[f.Name])
			}
		})
		try := func(f *pflag.Flag, values ...string) {
			for _, value := range values {
				if text := refusal(t, data, append(append([]string{}, args...), "--"+f.Name+"="+value)...); !strings.Contains(text, f.Name) {
					t.Errorf("%q --%s=%s: %s", args, f.Name, value, text)
				}
			}
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			switch {
			case f.Value.Type() == "duration":
				try(f, "-1h")
			case f.Value.Type() == "int" || f.Value.Type() == "int64":
				try(f, "-1")
			case f.Name == "workspace":
				try(f, "")
				if f.Usage != madeOnDemand {
					try(f, "nope")
				}
			}
		})
	}
	p := &program{}
	walk(p.newRoot())
	for _, args := range [][]string{
		{"keys", "create", "--name", "a", "--expires", "0"}, {"keys", "create", "--name", "a", "--scope", ""}, {"keys", "create", "--name", "a", "--allow-cidr", ""},
		{"keys", "create", "--name", "a\nb"}, {"keys", "create", "--name", "\x1b[31mred"}, {"workspaces", "create", "x", "--name", "a\u202eb"},
		{"limits", "create", "--name", "a", "--window", "month", "--amount", "1e3"}, {"limits", "create", "--name", "a", "--window", "month", "--amount", "5", "--time-zone", "Local"},
		{"webhooks", "replay", "--event", "nope"}, {"webhooks", "replay", "msg_x", "--state", "given_up"}, {"credits", "grant", "--workspace", "default", "--amount", "1", "--expires", "0s"},
	} {
		refusal(t, data, args...)
	}
	if text := refusal(t, data, "credits", "grant", "--workspace", "nope", "--amount", "5"); !strings.Contains(text, `no workspace "nope"`) {
		t.Error(text)
	}
}
