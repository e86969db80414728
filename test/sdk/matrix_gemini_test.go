package sdk

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/genai"
)

func geminiMatrix() client {
	return client{
		name: "genai-go", dialect: "gemini",
		open: func(t *testing.T, s *stage, w manner) talk {
			t.Helper()
			tape, hc := newTape(t)
			header := http.Header{"Authorization": {"Bearer " + s.Key}}
			if w.strict {
				header.Set("X-Stele-Strict", "true")
			}
			c, err := genai.NewClient(t.Context(), &genai.ClientConfig{
				APIKey: dummy, Backend: genai.BackendGeminiAPI, HTTPClient: hc,
				HTTPOptions: genai.HTTPOptions{BaseURL: s.Gemini(), Headers: header},
			})
			if err != nil {
				t.Fatal(err)
			}
			g := &geminiTalk{tape: tape, client: c, manner: w}
			g.move(t, w.model)
			return g
		},
		failed: geminiFailure,
		terms: map[string]string{
			"limited": "RESOURCE_EXHAUSTED", "wrong": "INVALID_ARGUMENT", "busy": "UNAVAILABLE", "locked": "INTERNAL",
			"broken": "INTERNAL", "page": "INTERNAL", "gone": "NOT_FOUND", "strict": "INVALID_ARGUMENT",
		},
	}
}

// geminiTalk leaves the history to the SDK's own chats.
type geminiTalk struct {
	*tape

	client *genai.Client
	chat   *genai.Chat
	manner manner
}

func (g *geminiTalk) move(t *testing.T, model string) {
	t.Helper()
	var history []*genai.Content
	if g.chat != nil {
		history = g.chat.History(true)
	}
	var err error
	if g.chat, err = g.client.Chats.Create(t.Context(), model, geminiConfig(g.manner), history); err != nil {
		t.Fatal(err)
	}
}

func geminiConfig(w manner) *genai.GenerateContentConfig {
	c := &genai.GenerateContentConfig{StopSequences: w.stops, MaxOutputTokens: int32(w.most)} //nolint:gosec // small
	if w.system != "" {
		c.SystemInstruction = genai.NewContentFromText(w.system, genai.RoleUser)
	}
	var declared []*genai.FunctionDeclaration
	for _, t := range w.tools {
		declared = append(declared, &genai.FunctionDeclaration{Name: t.name, Description: t.description, ParametersJsonSchema: t.schema})
	}
	if declared != nil {
		c.Tools = []*genai.Tool{{FunctionDeclarations: declared}}
	}
	if w.choice != "" {
		calling := &genai.FunctionCallingConfig{Mode: genai.FunctionCallingConfigModeAny}
		switch w.choice {
		case "any":
		case "none":
			calling.Mode = genai.FunctionCallingConfigModeNone
		default:
			calling.AllowedFunctionNames = []string{w.choice}
		}
		c.ToolConfig = &genai.ToolConfig{FunctionCallingConfig: calling}
	}
	if w.schema != nil {
		c.ResponseMIMEType, c.ResponseJsonSchema = "application/json", w.schema
	}
	switch {
	case w.think && strings.Contains(w.model, "gemini-2.5"):
		c.ThinkingConfig = &genai.ThinkingConfig{IncludeThoughts: true, ThinkingBudget: genai.Ptr[int32](2048)}
	case w.think:
		c.ThinkingConfig = &genai.ThinkingConfig{IncludeThoughts: true, ThinkingLevel: genai.ThinkingLevelLow}
	}
	if w.quiet {
		c.ThinkingConfig.IncludeThoughts = false
	}
	if w.cool {
		c.Temperature = genai.Ptr[float32](0.5)
	}
	if w.private {
		c.SafetySettings = []*genai.SafetySetting{{
			Category: genai.HarmCategoryHarassment, Threshold: genai.HarmBlockThresholdBlockNone,
		}}
		c.MediaResolution = genai.MediaResolutionLow
	}
	return c
}

func (g *geminiTalk) say(ctx context.Context, w words) (answer, error) {
	parts := []*genai.Part{genai.NewPartFromText(w.text)}
	if w.image != nil {
		parts = append(parts, genai.NewPartFromBytes(w.image, "image/png"))
	}
	if w.pdf != nil {
		parts = append(parts, genai.NewPartFromBytes(w.pdf, "application/pdf"))
	}
	return g.send(ctx, parts)
}

func (g *geminiTalk) give(ctx context.Context, results ...result) (answer, error) {
	var parts []*genai.Part
	for _, r := range results {
		key := "output"
		if r.failed {
			key = "error"
		}
		p := genai.NewPartFromFunctionResponse(r.name, map[string]any{key: r.text})
		p.FunctionResponse.ID = r.id
		if r.image != nil {
			p.FunctionResponse.Parts = []*genai.FunctionResponsePart{genai.NewFunctionResponsePartFromBytes(r.image, "image/png")}
		}
		parts = append(parts, p)
	}
	return g.send(ctx, parts)
}

func (g *geminiTalk) send(ctx context.Context, parts []*genai.Part) (answer, error) {
	var said answer
	if !g.manner.stream {
		r, err := g.chat.Send(ctx, parts...)
		if err == nil {
			said.hear(r)
		}
		return said, err
	}
	for r, err := range g.chat.SendStream(ctx, parts...) {
		if err != nil {
			return answer{}, err
		}
		said.hear(r)
		if g.manner.watch != nil {
			g.manner.watch()
		}
	}
	return said, nil
}

// hear adds a piece of an answer.
func (a *answer) hear(r *genai.GenerateContentResponse) {
	a.model = r.ModelVersion
	if u := r.UsageMetadata; u != nil {
		a.in = int64(u.PromptTokenCount + u.ToolUsePromptTokenCount)
		a.cached = int64(u.CachedContentTokenCount)
		a.out, a.thinks = int64(u.CandidatesTokenCount+u.ThoughtsTokenCount), int64(u.ThoughtsTokenCount)
	}
	if len(r.Candidates) == 0 {
		return
	}
	c := r.Candidates[0]
	switch c.FinishReason {
	case "":
	case genai.FinishReasonStop:
		a.stop = "end"
	case genai.FinishReasonMaxTokens:
		a.stop = "length"
	case genai.FinishReasonSafety:
		a.stop = "refusal"
	default:
		a.stop = string(c.FinishReason)
	}
	if c.Content == nil {
		return
	}
	for _, p := range c.Content.Parts {
		switch {
		case p.FunctionCall != nil:
			a.calls = append(a.calls, toolCall{p.FunctionCall.ID, p.FunctionCall.Name, p.FunctionCall.Args})
		case p.Thought:
			a.thought += p.Text
		default:
			a.text += p.Text
		}
	}
	if len(a.calls) > 0 && a.stop == "end" { // Google has no word of its own for it
		a.stop = "tools"
	}
}
