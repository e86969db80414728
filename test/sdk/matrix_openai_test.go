package sdk

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"
)

func openAIMatrix() client {
	return client{
		name: "openai-go", dialect: "openai",
		open: func(t *testing.T, s *stage, w manner) talk {
			t.Helper()
			tape, hc := newTape(t)
			c := openai.NewClient(option.WithBaseURL(s.OpenAI()), option.WithMaxRetries(0), option.WithAPIKey(s.Key), option.WithHTTPClient(hc))
			o := &openAITalk{tape: tape, client: c, manner: w, params: openAIParams(w)}
			if w.strict {
				o.options = append(o.options, option.WithHeader("X-Stele-Strict", "true"))
			}
			if w.quiet {
				o.options = append(o.options, option.WithJSONSet("reasoning", map[string]any{"effort": "medium", "exclude": true}))
			}
			return o
		},
		failed: openAIFailure,
		terms: map[string]string{
			"limited": "rate_limit_exceeded", "wrong": "invalid_parameter", "busy": "server_is_overloaded", "locked": "upstream_error",
			"broken": "upstream_error", "page": "upstream_error", "gone": "model_not_found", "strict": "strict_mode",
		},
	}
}

type openAITalk struct {
	*tape

	client  openai.Client
	manner  manner
	params  openai.ChatCompletionNewParams
	options []option.RequestOption
}

func openAIParams(w manner) openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{Model: w.model}
	if w.system != "" {
		p.Messages = append(p.Messages, openai.SystemMessage(w.system))
	}
	for _, t := range w.tools {
		p.Tools = append(p.Tools, openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: t.name, Description: openai.String(t.description), Parameters: t.schema,
		}))
	}
	switch w.choice {
	case "":
	case "any":
		p.ToolChoice.OfAuto = openai.String("required")
	case "none":
		p.ToolChoice.OfAuto = openai.String("none")
	default:
		p.ToolChoice = openai.ToolChoiceOptionFunctionToolChoice(openai.ChatCompletionNamedToolChoiceFunctionParam{Name: w.choice})
	}
	if w.schema != nil {
		p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
			Name: "person", Schema: w.schema, Strict: openai.Bool(true),
		}}
	}
	if w.think {
		p.ReasoningEffort = shared.ReasoningEffortMedium
	}
	if w.most > 0 {
		p.MaxCompletionTokens = openai.Int(int64(w.most))
	}
	if w.stops != nil {
		p.Stop.OfStringArray = w.stops
	}
	if w.cool {
		p.Temperature = openai.Float(0.5)
	}
	if w.private {
		p.LogitBias = map[string]int64{"50256": -100}
		p.Verbosity = "low"
	}
	if w.stream {
		p.StreamOptions.IncludeUsage = openai.Bool(true)
	}
	return p
}

func (o *openAITalk) move(_ *testing.T, model string) { o.params.Model = model }

func (o *openAITalk) say(ctx context.Context, w words) (answer, error) {
	if w.image == nil && w.pdf == nil {
		o.params.Messages = append(o.params.Messages, openai.UserMessage(w.text))
		return o.send(ctx)
	}
	parts := []openai.ChatCompletionContentPartUnionParam{openai.TextContentPart(w.text)}
	if w.image != nil {
		parts = append(parts, openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{
			URL: "data:image/png;base64," + base64.StdEncoding.EncodeToString(w.image),
		}))
	}
	if w.pdf != nil {
		parts = append(parts, openai.FileContentPart(openai.ChatCompletionContentPartFileFileParam{
			Filename: openai.String("paper.pdf"), FileData: openai.String("data:application/pdf;base64," + base64.StdEncoding.EncodeToString(w.pdf)),
		}))
	}
	o.params.Messages = append(o.params.Messages, openai.UserMessage(parts))
	return o.send(ctx)
}

func (o *openAITalk) give(ctx context.Context, results ...result) (answer, error) {
	for _, r := range results {
		o.params.Messages = append(o.params.Messages, openai.ToolMessage(r.text, r.id))
	}
	return o.send(ctx)
}

func (o *openAITalk) send(ctx context.Context) (answer, error) {
	completion, thought, err := o.complete(ctx)
	if err != nil {
		return answer{}, err
	}
	if len(completion.Choices) != 1 {
		return answer{}, errors.New("not one choice: " + completion.RawJSON())
	}
	said := completion.Choices[0]
	o.params.Messages = append(o.params.Messages, said.Message.ToParam())
	u := completion.Usage
	a := answer{
		text: said.Message.Content, stop: said.FinishReason, model: completion.Model,
		in: u.PromptTokens, out: u.CompletionTokens, thinks: u.CompletionTokensDetails.ReasoningTokens, cached: u.PromptTokensDetails.CachedTokens,
		thought: thought,
	}
	for _, c := range said.Message.ToolCalls {
		call := toolCall{id: c.ID, name: c.Function.Name}
		if err := json.Unmarshal([]byte(c.Function.Arguments), &call.args); err != nil {
			return answer{}, err
		}
		a.calls = append(a.calls, call)
	}
	if own := map[string]string{"stop": "end", "tool_calls": "tools", "content_filter": "refusal"}[a.stop]; own != "" {
		a.stop = own
	}
	return a, nil
}

func openAIThought(raw string) string {
	var text string
	_ = json.Unmarshal([]byte(raw), &text) // nothing where there is none
	return text
}

// complete is an answer and, beside it because the SDK's types know nothing of it,
// what the model thought.
func (o *openAITalk) complete(ctx context.Context) (*openai.ChatCompletion, string, error) {
	if !o.manner.stream {
		completion, err := o.client.Chat.Completions.New(ctx, o.params, o.options...)
		if err != nil || len(completion.Choices) == 0 {
			return completion, "", err
		}
		return completion, openAIThought(completion.Choices[0].Message.JSON.ExtraFields["reasoning_content"].Raw()), nil
	}
	stream := o.client.Chat.Completions.NewStreaming(ctx, o.params, o.options...)
	defer stream.Close()
	var all openai.ChatCompletionAccumulator
	thought, ended := "", 0
	for stream.Next() {
		chunk := stream.Current()
		if !all.AddChunk(chunk) {
			return nil, "", errors.New("the accumulator refused " + chunk.RawJSON())
		}
		if _, ok := all.JustFinishedToolCall(); ok {
			ended++
		}
		if len(chunk.Choices) > 0 {
			thought += openAIThought(chunk.Choices[0].Delta.JSON.ExtraFields["reasoning_content"].Raw())
		}
		if o.manner.watch != nil {
			o.manner.watch()
		}
	}
	if err := stream.Err(); err != nil {
		return nil, "", err
	}
	if len(all.Choices) == 1 && ended != len(all.Choices[0].Message.ToolCalls) {
		return nil, "", errors.New("the accumulator did not see all calls end")
	}
	return &all.ChatCompletion, thought, nil
}
