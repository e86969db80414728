package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"stele/internal/assembly"
	"stele/internal/config"
)

// flags are what every command takes. Only those that were given count.
type flags struct {
	set    *pflag.FlagSet
	config string
	values map[string]*string
}

var settings = []struct{ name, usage string }{
	{"listen", "address to serve on (default 127.0.0.1:8080)"},
	{"data", "folder for the database, files and the master key (default stele-data)"},
	{"database-url", "postgres://… instead of SQLite in the data folder"},
	{"blob-url", "s3://… instead of files in the data folder"},
	{"public-url", "address clients reach Stele at (default http:// and the listen address)"},
	{"master-key-file", "file with the master key (default: made in the data folder)"},
	{"log-format", "text or json (default text on a terminal, else json)"},
}

func (f *flags) add(set *pflag.FlagSet) {
	f.set, f.values = set, make(map[string]*string)
	set.StringVar(&f.config, "config", "", "configuration file (default stele.yaml, if there is one)")
	for _, s := range settings {
		f.values[s.name] = set.String(s.name, "", s.usage)
	}
}

// load reads the configuration that these flags and the world around them give.
func (f *flags) load(w world) (*config.Config, error) { return config.Load(f.sources(w)) }

func (f *flags) sources(w world) config.Sources {
	return config.Sources{
		Path: f.config, Dir: w.dir, Getenv: w.getenv, Kinds: assembly.Kinds(),
		Flags: config.Flags{
			Listen: f.valueOf("listen"), Data: f.valueOf("data"), DatabaseURL: f.valueOf("database-url"),
			BlobURL: f.valueOf("blob-url"), PublicURL: f.valueOf("public-url"),
			MasterKeyFile: f.valueOf("master-key-file"), LogFormat: f.valueOf("log-format"),
		},
	}
}

func (f *flags) valueOf(name string) *string {
	if f.set.Changed(name) {
		return f.values[name]
	}
	return nil
}

// take puts what a flag says into its place, where the flag was given.
func take[T any](c *cobra.Command, flag string, place *T, said T) {
	if c.Flags().Changed(flag) {
		*place = said
	}
}
