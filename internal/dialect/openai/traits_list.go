package openai

import (
	"time"

	"github.com/go-json-experiment/json"

	"stele/internal/dialect"
	"stele/internal/jsonscan"
	"stele/internal/price"
)

// wireModel is the API's model with what we add to it: name and all after. The figures
// stand under each name that clients read: OpenRouter's, Groq's, Vercel's and vLLM's.
// What is not known is left out.
type wireModel struct {
	ID           string          `json:"id"`
	Object       string          `json:"object"`
	Created      int64           `json:"created"`
	OwnedBy      string          `json:"owned_by"`
	Name         string          `json:"name"`
	Description  string          `json:"description,omitempty"`
	Capabilities map[string]bool `json:"capabilities"`
	Tags         []string        `json:"tags"`

	ContextLength       int64             `json:"context_length,omitzero"`        // OpenRouter
	ContextWindow       int64             `json:"context_window,omitzero"`        // Groq, Vercel
	MaxModelLen         int64             `json:"max_model_len,omitzero"`         // vLLM
	MaxTokens           int64             `json:"max_tokens,omitzero"`            // Vercel
	MaxCompletionTokens int64             `json:"max_completion_tokens,omitzero"` // Groq
	Architecture        *wireArchitecture `json:"architecture,omitzero"`
	TopProvider         *wireTopProvider  `json:"top_provider,omitzero"`
	Pricing             *wirePricing      `json:"pricing,omitzero"`
	SupportedParameters []string          `json:"supported_parameters,omitempty"`
	ExpirationDate      string            `json:"expiration_date,omitempty"`
	Successor           string            `json:"successor,omitempty"`
}

type wireArchitecture struct {
	InputModalities  []string `json:"input_modalities,omitempty"`
	OutputModalities []string `json:"output_modalities,omitempty"`
}

type wireTopProvider struct {
	ContextLength       int64 `json:"context_length,omitzero"`
	MaxCompletionTokens int64 `json:"max_completion_tokens,omitzero"`
}

// wirePricing is in USD for each token, request and search.
type wirePricing struct {
	Prompt            string `json:"prompt"`
	Completion        string `json:"completion"`
	InputCacheRead    string `json:"input_cache_read,omitempty"`
	InputCacheWrite   string `json:"input_cache_write,omitempty"`
	InternalReasoning string `json:"internal_reasoning,omitempty"`
	Request           string `json:"request,omitempty"`
	WebSearch         string `json:"web_search,omitempty"`
}

// EncodeModel is a model as the list has it.
func (Codec) EncodeModel(m *dialect.Model) ([]byte, error) {
	return json.Marshal(modelToWire(m), json.Deterministic(true), json.FormatNilSliceAsNull(false), json.FormatNilMapAsNull(false))
}

// ListModels is the list of models that EncodeModel has written.
func (Codec) ListModels(models [][]byte) []byte {
	return jsonscan.NewWriter(nil).Open(object).Key("object").Text("list").Key("data").List(models).Close(object).Bytes()
}

func modelToWire(m *dialect.Model) wireModel {
	f := &m.Traits
	w := wireModel{
		ID: m.ID, Object: "model", Created: m.Created.Unix(), OwnedBy: m.Owner,
		Name: m.Name, Description: m.Description, Tags: m.Tags,
		Capabilities:  m.Capabilities, // what was not said is not known, which is not false
		ContextLength: f.Window, ContextWindow: f.Window, MaxModelLen: f.Window,
		MaxTokens: f.Output, MaxCompletionTokens: f.Output,
		Pricing: pricing(m.Price), SupportedParameters: parameters(m.Capabilities), Successor: m.Successor,
	}
	if len(f.Takes) > 0 || len(f.Gives) > 0 {
		w.Architecture = &wireArchitecture{InputModalities: f.Takes, OutputModalities: f.Gives}
	}
	if f.Window > 0 || f.Output > 0 {
		w.TopProvider = &wireTopProvider{ContextLength: f.Window, MaxCompletionTokens: f.Output}
	}
	if !m.Retires.IsZero() {
		w.ExpirationDate = m.Retires.Format(time.DateOnly)
	}
	return w
}

// pricing is what a model costs, in the classes that have a price of their own.
func pricing(s *price.Sheet) *wirePricing {
	if s == nil {
		return nil
	}
	own := func(c price.Class) string {
		if each, ok := s.Rates.Own(c); ok {
			return price.EachToken(each)
		}
		return ""
	}
	p := &wirePricing{
		Prompt: price.EachToken(s.Rates.Of(price.Input)), Completion: price.EachToken(s.Rates.Of(price.Output)),
		InputCacheRead: own(price.CachedInput), InputCacheWrite: own(price.CacheWrite), InternalReasoning: own(price.Reasoning),
	}
	if s.PerRequest > 0 {
		p.Request = s.PerRequest.String()
	}
	if s.PerSearch > 0 {
		p.WebSearch = s.PerSearch.String()
	}
	return p
}

// parameters are the request's fields that a model is known to take for what it can do.
func parameters(can map[string]bool) (list []string) {
	for _, ability := range []struct {
		name   string
		fields []string
	}{
		{"tools", []string{"tools", "tool_choice"}},
		{"reasoning", []string{"reasoning", "include_reasoning", "reasoning_effort"}},
		{"structured_output", []string{"response_format", "structured_outputs"}},
	} {
		if can[ability.name] {
			list = append(list, ability.fields...)
		}
	}
	if len(list) > 0 {
		list = append(list, "max_tokens") // every model does
	}
	return list
}
