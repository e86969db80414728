package toolbox

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"stele/internal/client"
	"stele/internal/generation"
)

// mostListed bounds a list: agents pay for every line they read.
const mostListed = 60

func (b *Toolbox) addModels() {
	addTool(b, mcp.Tool{
		Name: "list_models", Annotations: hints("List models", true),
		Description: "List the models that the key opens: media models (image, video, audio) with the modes they have and chat models. " +
			"Narrow the list with kind and search.",
	}, b.listModels)
	addTool(b, mcp.Tool{
		Name: "describe_model", Annotations: hints("Describe a model", true),
		Description: "Say what a model takes: for a media model every mode with its inputs, parameters, their values and bounds, and its price. " +
			"Call it before generate.",
	}, b.describeModel)
}

type listModelsIn struct {
	Kind   string `json:"kind,omitempty" jsonschema:"image, video, audio or chat; all where it is left out"`
	Search string `json:"search,omitempty" jsonschema:"only models whose id, name or description has this text"`
}

// model is a line of the list.
type model struct {
	ID          string   `json:"id"`
	Kind        string   `json:"kind"`
	Name        string   `json:"name,omitempty"`
	Description string   `json:"description,omitempty"`
	Modes       []string `json:"modes,omitempty"`

	whole jsontext.Value // as the server told it
}

type modelList struct {
	Models []model `json:"models"`
	More   int     `json:"more,omitzero"` // that were left out
	Note   string  `json:"note,omitempty"`
}

func (b *Toolbox) listModels(ctx context.Context, _ *call, in listModelsIn) (any, error) {
	if in.Kind != "" && !slices.Contains([]string{"image", "video", "audio", "chat"}, in.Kind) {
		return nil, fmt.Errorf("kind is image, video, audio or chat, not %q", in.Kind)
	}
	all, err := b.allModels(ctx, in.Kind)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(m model) bool { return !contains(in.Search, m.ID, m.Name, m.Description) })
	var out modelList
	if out.Models, out.More = firstOf(all); out.More > 0 {
		out.Note = "Use kind and search to see the others."
	}
	for i := range out.Models {
		out.Models[i].Description = shorten(out.Models[i].Description, 160)
	}
	return out, nil
}

type describeModelIn struct {
	Model string `json:"model" jsonschema:"the model's id as list_models gives it"`
}

func (b *Toolbox) describeModel(ctx context.Context, _ *call, in describeModelIn) (any, error) {
	all, err := b.allModels(ctx, "")
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all, func(m model) bool { return m.ID == in.Model })
	if at < 0 {
		return nil, fmt.Errorf("there is no model %q: list_models lists those that there are", in.Model)
	}
	var whole map[string]any
	if err := json.Unmarshal(all[at].whole, &whole); err != nil {
		return nil, err
	}
	// What the server says twice for older clients is said once.
	if operations, ok := whole["operations"].([]any); ok {
		for _, one := range operations {
			operation, _ := one.(map[string]any)
			delete(operation, "input_requirements")
			sayOnce(operation["parameters"])
		}
	}
	return whole, nil
}

// sayOnce leaves out the second of the two lists of values that parameters have.
func sayOnce(parameters any) {
	list, _ := parameters.([]any)
	for _, one := range list {
		if p, ok := one.(map[string]any); ok {
			delete(p, "values")
		}
	}
}

// allModels lists the models of a kind, or all. A kind that the key does not open has none.
func (b *Toolbox) allModels(ctx context.Context, kind string) ([]model, error) {
	var out []model
	var refused error
	for _, list := range []struct {
		wanted bool
		read   func(context.Context, string) ([]model, error)
	}{{kind != "chat", b.mediaModels}, {kind == "" || kind == "chat", b.chatModels}} {
		if !list.wanted {
			continue
		}
		models, err := list.read(ctx, kind)
		if refusal, ok := errors.AsType[*client.Refusal](err); ok && refusal.Status == http.StatusForbidden {
			refused = err
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, models...)
	}
	if len(out) == 0 {
		return nil, refused
	}
	return out, nil
}

func (b *Toolbox) mediaModels(ctx context.Context, mediaType string) ([]model, error) {
	var raw []jsontext.Value
	if err := b.server.Get(ctx, "/api/v1/media_models?media_type="+url.QueryEscape(mediaType), &raw); err != nil {
		return nil, err
	}
	out := make([]model, len(raw))
	for i, value := range raw {
		var m struct {
			Model       string `json:"model"`
			Name        string `json:"name"`
			MediaType   string `json:"media_type"`
			Description string `json:"description"`
			Operations  []struct {
				Mode string `json:"mode"`
			} `json:"operations"`
		}
		if err := json.Unmarshal(value, &m); err != nil {
			return nil, fmt.Errorf("read the list of media models: %w", err)
		}
		out[i] = model{ID: m.Model, Kind: m.MediaType, Name: m.Name, Description: m.Description, whole: value}
		for _, o := range m.Operations {
			out[i].Modes = append(out[i].Modes, o.Mode)
		}
	}
	return out, nil
}

func (b *Toolbox) chatModels(ctx context.Context, _ string) ([]model, error) {
	var raw []jsontext.Value
	if err := b.server.Get(ctx, "/api/v1/models", &raw); err != nil {
		return nil, err
	}
	out := make([]model, len(raw))
	for i, value := range raw {
		var m struct {
			ID          string `json:"id"`
			Name        string `json:"name"`
			Description string `json:"description"`
		}
		if err := json.Unmarshal(value, &m); err != nil {
			return nil, fmt.Errorf("read the list of models: %w", err)
		}
		out[i] = model{ID: m.ID, Kind: "chat", Name: m.Name, Description: m.Description, whole: value}
	}
	return out, nil
}

// choose is the model for a mode where the call names none: the studio's, else the first
// that has the mode. The sandbox makes nothing that an agent could want.
func choose(models []model, mode string) (string, error) {
	id, played := "", ""
	for _, m := range models {
		switch {
		case !slices.Contains(m.Modes, mode):
		case strings.HasPrefix(m.ID, generation.SandboxMaker):
			played = m.ID
		case strings.HasPrefix(m.ID, generation.BuiltIn):
			return m.ID, nil
		case id == "":
			id = m.ID
		}
	}
	if id == "" && played != "" {
		return "", fmt.Errorf("the key opens no model for %s but %s, which only plays one for tests: name it where that will do", mode, played)
	}
	if id == "" {
		return "", fmt.Errorf("the key opens no model for %s: list_models lists those that there are", mode)
	}
	return id, nil
}

// firstOf is as much of a list as an agent is told, and how many more there are.
func firstOf[T any](all []T) (list []T, more int) {
	n := min(len(all), mostListed)
	return append([]T{}, all[:n]...), len(all) - n
}

// contains reports whether one of the texts has what is searched, in any case of letters.
func contains(search string, texts ...string) bool {
	search = strings.ToLower(search)
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(strings.ToLower(text), search) })
}

// shorten cuts a text at a number of characters.
func shorten(text string, most int) string {
	characters := []rune(strings.Join(strings.Fields(text), " "))
	if len(characters) <= most {
		return string(characters)
	}
	return string(characters[:most]) + "…"
}
