package config_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"stele/internal/config"
)

const (
	exampleFile = "../../docs/operate/stele.example.yaml"
	manualFile  = "../../docs/operate/configuration.md"
)

func TestTheExampleLoads(t *testing.T) {
	t.Parallel()
	env := map[string]string{"OPENAI_API_KEY": "a", "ANTHROPIC_API_KEY": "b", "GEMINI_API_KEY": "c", "REPLICATE_API_TOKEN": "d"}
	cfg, err := config.Load(config.Sources{
		Path: exampleFile, Kinds: kinds(), Getenv: func(name string) string { return env[name] },
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(cfg.Providers) != 5 || len(cfg.Models) != 2 {
		t.Errorf("%d providers, %d models", len(cfg.Providers), len(cfg.Models))
	}
	if changed := config.Immutable(config.Default(), cfg); len(changed) > 0 {
		t.Errorf("the example does not show the defaults of %v", changed)
	}
	if cfg.Limits != config.Default().Limits || cfg.Retention != config.Default().Retention {
		t.Error("the example does not show the default limits")
	}
}

func TestEverySettingIsInTheExampleAndTheManual(t *testing.T) {
	t.Parallel()
	for _, file := range []string{exampleFile, manualFile} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range settingNames(reflect.TypeFor[config.Config]()) {
			if !strings.Contains(string(text), name) {
				t.Errorf("%s does not mention %s", file, name)
			}
		}
	}
}

func settingNames(t reflect.Type) []string {
	var names []string
	switch t.Kind() {
	case reflect.Slice, reflect.Pointer:
		return settingNames(t.Elem())
	case reflect.Struct:
		for field := range t.Fields() {
			if name := field.Tag.Get("yaml"); name != "" {
				names = append(names, name)
				names = append(names, settingNames(field.Type)...)
			}
		}
	}
	return names
}
