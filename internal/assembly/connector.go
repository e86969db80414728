package assembly

import (
	"context"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"stele/internal/catalog"
	"stele/internal/config"
	"stele/internal/dialect"
	"stele/internal/dialect/anthropic"
	"stele/internal/dialect/gemini"
	"stele/internal/dialect/openai"
	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/memory"
	"stele/internal/provider"
	"stele/internal/provider/blueprint"
	sandbox "stele/internal/provider/sandbox/maker"
	"stele/internal/provider/studio"
	"stele/internal/relay"
	"stele/internal/supply"
)

// Dialects are the chat APIs that upstreams may speak.
func Dialects() map[string]dialect.Dialect {
	list := make(map[string]dialect.Dialect)
	for _, d := range []dialect.Dialect{openai.Codec{}, anthropic.Codec{}, gemini.Codec{}} {
		list[d.Name()] = d
	}
	return list
}

// connector opens accounts with the providers that the program knows.
type connector struct {
	operator *http.Client // for what the operator configured
	getenv   func(string) string
	log      *slog.Logger
	memory   *memory.Budget
}

// Kinds lists the kinds of provider as the configuration needs them.
func (connector) Kinds() []config.Kind { return Kinds() }

// Kinds lists the kinds of provider as the configuration needs them.
func Kinds() []config.Kind {
	var list []config.Kind
	for _, k := range provider.Kinds() {
		kind := config.Kind{
			Name: k.Name, Title: k.Title, Help: k.Help, Dialect: k.Dialect, Makes: blueprint.Makes(k.Name),
			BaseURL: k.BaseURL, KeyEnv: k.KeyEnv, URLEnv: k.URLEnv, Unlisted: k.Unlisted, Bills: k.Bills, Options: k.Options,
		}
		if k.Dialect != "" {
			kind.Models = []string{"*"}
		}
		list = append(list, kind)
	}
	return list
}

// Origin is where the secrets of an account are sent.
func (connector) Origin(p config.Provider) string {
	account := accountOf(p)
	origin, err := account.Origin()
	if err != nil {
		origin = "nowhere"
	}
	return account.Kind.Name + " " + origin
}

// Chat opens an account that speaks a chat dialect.
func (c connector) Chat(p config.Provider, egress supply.EgressClients) (relay.Upstream, error) {
	account := accountOf(p)
	d, ok := Dialects()[account.Kind.Dialect]
	if !ok {
		return nil, nil
	}
	upstream, err := provider.Open(account, d, c.operator)
	if err != nil {
		return nil, err
	}
	return upstream.WithChecker(egress.Checker), nil
}

// Maker opens an account that makes media.
func (c connector) Maker(p config.Provider, o supply.MakerOptions) (generation.Maker, error) {
	if !blueprint.Makes(p.Kind) {
		return nil, nil
	}
	return blueprint.Open(accountOf(p), blueprint.Options{
		Client: c.operator, Public: o.Egress.Callers, ReadFile: os.ReadFile, Log: c.log, Now: time.Now, Former: o.Former, Seen: o.Seen, Memory: c.memory,
	})
}

// Test makes one cheap call with an account.
func (c connector) Test(ctx context.Context, p config.Provider, model string) catalog.Trial {
	account := accountOf(p)
	d, chats := Dialects()[account.Kind.Dialect]
	if !chats {
		return blueprint.Ping(ctx, account, c.operator)
	}
	upstream, err := provider.Open(account, d, c.operator)
	if err != nil {
		return catalog.Trial{Problem: err.Error()}
	}
	return upstream.Probe(ctx, model)
}

// UpstreamWords is what an upstream said for people in the cause of a failure.
func (connector) UpstreamWords(cause string) string { return provider.WordsOf(cause) }

// accountOf is a configured provider as the clients of upstreams see it.
func accountOf(p config.Provider) provider.Account {
	account := provider.Account{Name: p.Name, BaseURL: p.BaseURL, Key: p.APIKey.Reveal(), Options: make(map[string]string, len(p.Options))}
	for _, k := range provider.Kinds() {
		if k.Name == p.Kind {
			account.Kind = k
		}
	}
	for name, value := range p.Options {
		account.Options[name] = value.Reveal()
	}
	return account
}

// mediaLibrary is the media models in the program.
type mediaLibrary struct{}

// localStudio is what can be made on this machine, looked for when it is first asked.
var localStudio = sync.OnceValue(func() *studio.Studio { return studio.Open(exec.LookPath) })

// Has reports whether a model of this id is in the program.
func (mediaLibrary) Has(id string) bool { return builtinIDs()[id] }

// StudioOffers leaves of a model what the studio of this machine can make.
func (mediaLibrary) StudioOffers(m *media.Model) bool { return localStudio().Offer(m) }

// Kinds lists the kinds of those who make media.
func (mediaLibrary) Kinds() []string {
	kinds := []string{"studio", "sandbox"}
	for _, k := range provider.Kinds() {
		if blueprint.Makes(k.Name) {
			kinds = append(kinds, k.Name)
		}
	}
	return kinds
}

// Files are the model files in the program, the studio's first.
func (mediaLibrary) Files() []supply.ModelFile {
	var list []supply.ModelFile
	for folder, files := range map[string]fs.FS{"sandbox": sandbox.Models(), "studio": studio.Models()} {
		names, _ := fs.Glob(files, "*.yaml")
		for _, name := range names {
			body, err := fs.ReadFile(files, name)
			if err != nil {
				panic(err) // it is in the program
			}
			list = append(list, supply.ModelFile{Name: folder + "/" + name, Body: body})
		}
	}
	slices.SortFunc(list, func(a, b supply.ModelFile) int { return strings.Compare(b.Name, a.Name) })
	for _, f := range blueprint.Models() {
		list = append(list, supply.ModelFile(f))
	}
	return list
}

// Check finds what is wrong with a file of a model that an account makes.
func (mediaLibrary) Check(file string, src []byte) error {
	return blueprint.Check(file, src, func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(filepath.Dir(file), name)) })
}

// builtinIDs are the ids of the media models in the program.
var builtinIDs = sync.OnceValue(func() map[string]bool {
	ids := make(map[string]bool)
	for _, file := range (mediaLibrary{}).Files() {
		if m, err := media.Read(file.Name, file.Body); err == nil {
			ids[m.ID] = true
		}
	}
	return ids
})

// ReadContents reads all that a configuration offers, or says what is wrong with it.
func ReadContents(cfg *config.Config) (supply.Contents, error) {
	return supply.Read(cfg, connector{}, mediaLibrary{})
}

// MediaModels reads the media models that a configuration offers.
func MediaModels(cfg *config.Config) ([]media.Model, error) {
	return supply.MediaModels(cfg, mediaLibrary{})
}
