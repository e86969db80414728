package manifest_test

import (
	"net/netip"
	"strings"
	"time"

	"stele/internal/manifest"
)

// kitchen has a field of every sort a file may fill.
type kitchen struct {
	Name    string        `yaml:"name"`
	On      bool          `yaml:"on"`
	Count   int           `yaml:"count"`
	Small   int8          `yaml:"small"`
	Port    uint16        `yaml:"port"`
	Price   float64       `yaml:"price"`
	Maybe   *float64      `yaml:"maybe"`
	Wait    time.Duration `yaml:"wait"`
	Limit   manifest.Size `yaml:"limit"`
	Net     netip.Prefix  `yaml:"net"`
	Tags    []string      `yaml:"tags"`
	Raw     any           `yaml:"raw"`
	Node    *manifest.Node
	Kept    *manifest.Node       `yaml:"kept"`
	Flags   map[string]bool      `yaml:"flags"`
	Dishes  ordered[dish]        `yaml:"dishes"`
	Targets []target             `yaml:"targets"`
	Inner   struct{ oven }       `yaml:"inner"`
	Deep    *dish                `yaml:"deep"`
	Any     ordered[any]         `yaml:"any"`
	Nested  map[string][]kitchen `yaml:"nested"`
	Hidden  string               `yaml:"-"`
	Twice   ordered[*target]     `yaml:"twice"`
}

type oven struct {
	Heat int `yaml:"heat"`
}

type dish struct {
	Strategy string   `yaml:"strategy"`
	Retries  int      `yaml:"retries"`
	Targets  []target `yaml:"targets"`
}

// target may be written as "provider/model" or as a mapping.
type target struct {
	Provider string `yaml:"provider"`
	Model    string `yaml:"model"`
}

func (t *target) UnmarshalManifest(n *manifest.Node) {
	if n.Kind() != manifest.Text {
		type plain target
		n.Decode((*plain)(t))
		return
	}
	var ok bool
	if t.Provider, t.Model, ok = strings.Cut(n.Text(), "/"); !ok {
		n.Report("expected provider/model")
	}
}

func env(name string) (string, bool) {
	value, ok := map[string]string{
		"WORD": "hello", "NUMBER": "42", "EMPTY": "", "TRUE": "true", "SECRET": "hunter2", "NESTED": "${WORD}",
	}[name]
	return value, ok
}

func decode(src string, into any) *manifest.Doc {
	return manifest.Decode("f.yaml", []byte(src), into, manifest.Options{Env: env})
}
