package start

import (
	"cmp"
	"embed"
	"slices"
	"strings"
	"text/template"

	"stele/internal/catalog"
	"stele/internal/console/page"
	"stele/internal/media"
)

// snippet is a call that can be pasted and run.
type snippet struct {
	Language, Dialect string
	Install           string // what gets the library; "" where none is needed
	Text              string
}

// ID names the snippet on the page.
func (s snippet) ID() string { return "snippet-" + s.Language + "-" + s.Dialect }

var (
	snippetLanguages = page.Choices("curl", "curl", "python", "Python", "typescript", "TypeScript", "go", "Go")
	snippetDialects  = page.Choices("openai", "OpenAI", "anthropic", "Anthropic", "gemini", "Gemini", "generations", "Generations")
)

var installs = map[string]string{
	"python openai": "pip install openai", "python anthropic": "pip install anthropic", "python gemini": "pip install google-genai",
	"typescript openai": "npm install openai", "typescript anthropic": "npm install @anthropic-ai/sdk", "typescript gemini": "npm install @google/genai",
	"go openai": "go get github.com/openai/openai-go/v3", "go anthropic": "go get github.com/anthropics/anthropic-sdk-go",
	"go gemini": "go get google.golang.org/genai",
}

//go:embed snippets/*.txt
var snippetFiles embed.FS

// snippetTexts are the snippets with places for the address and the models. Models are
// picked whose names need no escaping in any of the languages.
var snippetTexts = template.Must(template.ParseFS(snippetFiles, "snippets/*.txt"))

// snippets are the calls for an address, a chat model and a media model. Without a
// model of a kind there are none of its calls.
func snippets(root, chat, picture string) []snippet {
	var list []snippet
	for _, d := range snippetDialects {
		model := chat
		if d.Value == "generations" {
			model = picture
		}
		if model == "" {
			continue
		}
		for _, l := range snippetLanguages {
			var b strings.Builder
			if err := snippetTexts.ExecuteTemplate(&b, l.Value+"-"+d.Value+".txt", map[string]string{"Root": root, "Model": model}); err != nil {
				continue // a test writes them all
			}
			list = append(list, snippet{l.Value, d.Value, installs[l.Value+" "+d.Value], strings.TrimSpace(b.String())})
		}
	}
	return list
}

// pickChat is a model for an example.
func pickChat(models []catalog.Model) string {
	return pick(models, func(m catalog.Model) (string, bool) { return m.ID, true })
}

// pickMedia is a media model that makes something of words alone.
func pickMedia(models []media.Model) string {
	return pick(models, func(m media.Model) (string, bool) {
		return m.ID, slices.ContainsFunc(m.Operations, func(o media.Operation) bool {
			return o.Mode == "text_to_image" || o.Mode == "text_to_video" || o.Mode == "text_to_audio"
		})
	})
}

// pick is one of the operator's own models that fit, else one built in.
func pick[M any](models []M, fits func(M) (id string, ok bool)) string {
	ours := ""
	for _, m := range models {
		id, ok := fits(m)
		switch {
		case !ok || !page.IsPlain(id):
		case !strings.HasPrefix(id, catalog.BuiltIn):
			return id
		default:
			ours = cmp.Or(ours, id)
		}
	}
	return ours
}
