package config

import (
	"strings"

	"stele/internal/manifest"
)

// Builtin is the provider name that stands for what Stele has built in. No other
// provider may take it, and targets may name it.
const Builtin = "stele"

// Provider is an upstream account.
type Provider struct {
	Name       string            // the operator's choice
	Kind       string            `yaml:"kind"`
	BaseURL    string            `yaml:"base_url"` // filled from the kind if it was not set; no slash at the end
	APIKey     Secret            `yaml:"api_key"`  // "" if the upstream needs none
	APIKeyFile string            `yaml:"api_key_file"`
	Models     []string          `yaml:"models"`  // offered as Name/model; "*" asks the upstream
	Options    map[string]Secret `yaml:"options"` // what only some kinds need, by the names of Kind.Options; some are secret
}

// Providers are upstream accounts in the order of the file.
type Providers []Provider

// UnmarshalManifest reads a mapping from name to provider.
func (ps *Providers) UnmarshalManifest(n *manifest.Node) {
	for name, value := range n.Entries() {
		p := Provider{Name: name}
		value.Decode(&p)
		*ps = append(*ps, p)
	}
}

// Kind is a sort of provider that is known to the program.
type Kind struct {
	Name     string
	Title    string   // as its makers write it
	Help     string   // for people who set one up
	Dialect  string   // the chat API it speaks; "" for media only
	Makes    bool     // media
	BaseURL  string   // "": the operator must give one
	KeyEnv   string   // the variable its users keep their key in, such as OPENAI_API_KEY
	URLEnv   string   // the variable its users keep its address in, such as OLLAMA_HOST
	Models   []string // what it offers when the environment switched it on
	Unlisted bool     // it has no list of its models
	Options  []Option // what it has besides
	Bills    bool     // its answers say what they cost
}

// Host is where the kind is by default.
func (k Kind) Host() string {
	host, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(k.BaseURL, "https://"), "http://"), "/")
	return host
}

// Option is a setting that only some kinds have.
type Option struct {
	Name    string
	Help    string   // for people who fill it in
	Env     []string // variables that count where the file does not set it, the first that is set
	FileEnv string   // the variable that names the file it is in
	Default string
	Needed  bool // always
	Keyless bool // needed where there is no API key
	Secret  bool // may stand in a file of its own, which Name_file names
	Text    bool // such a file may have several lines
	Private bool // clients must not read it in a refusal
}

// Detected is a provider that was switched on by the environment.
type Detected struct {
	Provider  string
	Variables []string // their names; the values stay unsaid
}
