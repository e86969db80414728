package sdk

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

func anthropicMatrix() client {
	return client{
		name: "anthropic-go", dialect: "anthropic",
		open: func(t *testing.T, s *stage, w manner) talk {
			t.Helper()
			tape, hc := newTape(t)
			c := anthropic.NewClient(option.WithoutEnvironmentDefaults(), option.WithBaseURL(s.Anthropic()), option.WithMaxRetries(0),
				option.WithAPIKey(s.Key), option.WithHTTPClient(hc))
			a := &anthropicTalk{tape: tape, client: c, manner: w, params: anthropicParams(w)}
			if w.strict {
				a.options = append(a.options, option.WithHeader("X-Stele-Strict", "true"))
			}
			return a
		},
		failed: anthropicFailure,
		terms: map[string]string{
			"limited": "rate_limit_error", "wrong": "invalid_request_error", "busy": "overloaded_error", "locked": "api_error",
			"broken": "api_error", "page": "api_error", "gone": "not_found_error", "strict": "invalid_request_error",
		},
	}
}

type anthropicTalk struct {
	*tape

	client  anthropic.Client
	manner  manner
	params  anthropic.MessageNewParams
	options []option.RequestOption
}

func anthropicParams(w manner) anthropic.MessageNewParams {
	p := anthropic.MessageNewParams{Model: w.model, MaxTokens: 16000, StopSequences: w.stops}
	if w.system != "" {
		p.System = []anthropic.TextBlockParam{{Text: w.system, CacheControl: anthropic.NewCacheControlEphemeralParam()}}
	}
	for _, t := range w.tools {
		required, _ := t.schema["required"].([]string)
		p.Tools = append(p.Tools, anthropic.ToolUnionParam{OfTool: &anthropic.ToolParam{
			Name: t.name, Description: anthropic.String(t.description),
			InputSchema: anthropic.ToolInputSchemaParam{Properties: t.schema["properties"], Required: required},
		}})
	}
	switch w.choice {
	case "":
	case "any":
		p.ToolChoice.OfAny = &anthropic.ToolChoiceAnyParam{}
	case "none":
		p.ToolChoice.OfNone = &anthropic.ToolChoiceNoneParam{}
	default:
		p.ToolChoice = anthropic.ToolChoiceParamOfTool(w.choice)
	}
	if w.schema != nil {
		p.OutputConfig.Format = anthropic.JSONOutputFormatParam{Schema: w.schema}
	}
	switch {
	case w.think && strings.Contains(w.model, "claude") && !strings.Contains(w.model, "-4-5"):
		p.Thinking.OfAdaptive = &anthropic.ThinkingConfigAdaptiveParam{Display: anthropic.ThinkingConfigAdaptiveDisplaySummarized}
		p.OutputConfig.Effort = anthropic.OutputConfigEffortMedium
	case w.think:
		p.Thinking = anthropic.ThinkingConfigParamOfEnabled(4096)
	}
	if w.quiet && p.Thinking.OfEnabled != nil {
		p.Thinking.OfEnabled.Display = anthropic.ThinkingConfigEnabledDisplayOmitted
	} else if w.quiet {
		p.Thinking.OfAdaptive.Display = anthropic.ThinkingConfigAdaptiveDisplayOmitted
	}
	if w.most > 0 {
		p.MaxTokens = int64(w.most)
	}
	if w.cool {
		p.Temperature = anthropic.Float(0.5)
	}
	if w.private {
		p.InferenceGeo = anthropic.String("eu")
		p.TopK = anthropic.Int(40)
	}
	return p
}

func (a *anthropicTalk) move(_ *testing.T, model string) { a.params.Model = model }

func (a *anthropicTalk) say(ctx context.Context, w words) (answer, error) {
	blocks := []anthropic.ContentBlockParamUnion{anthropic.NewTextBlock(w.text)}
	if w.image != nil {
		blocks = append(blocks, anthropic.NewImageBlockBase64("image/png", base64.StdEncoding.EncodeToString(w.image)))
	}
	if w.pdf != nil {
		blocks = append(blocks, anthropic.NewDocumentBlock(anthropic.Base64PDFSourceParam{Data: base64.StdEncoding.EncodeToString(w.pdf)}))
	}
	a.params.Messages = append(a.params.Messages, anthropic.NewUserMessage(blocks...))
	return a.send(ctx)
}

func (a *anthropicTalk) give(ctx context.Context, results ...result) (answer, error) {
	var blocks []anthropic.ContentBlockParamUnion
	for _, r := range results {
		block := anthropic.NewToolResultBlock(r.id, r.text, r.failed)
		if r.image != nil {
			image := anthropic.NewImageBlockBase64("image/png", base64.StdEncoding.EncodeToString(r.image)).OfImage
			block.OfToolResult.Content = append(block.OfToolResult.Content, anthropic.ToolResultBlockParamContentUnion{OfImage: image})
		}
		blocks = append(blocks, block)
	}
	a.params.Messages = append(a.params.Messages, anthropic.NewUserMessage(blocks...))
	return a.send(ctx)
}

func (a *anthropicTalk) send(ctx context.Context) (answer, error) {
	message, err := a.message(ctx)
	if err != nil {
		return answer{}, err
	}
	a.params.Messages = append(a.params.Messages, message.ToParam())
	u := message.Usage
	said := answer{
		stop: string(message.StopReason), model: message.Model, thinks: u.OutputTokensDetails.ThinkingTokens,
		in: u.InputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens, out: u.OutputTokens, cached: u.CacheReadInputTokens,
	}
	for _, block := range message.Content {
		switch b := block.AsAny().(type) {
		case anthropic.TextBlock:
			said.text += b.Text
		case anthropic.ThinkingBlock:
			said.thought += b.Thinking
		case anthropic.ToolUseBlock:
			call := toolCall{id: b.ID, name: b.Name}
			if err := json.Unmarshal(b.Input, &call.args); err != nil {
				return answer{}, err
			}
			said.calls = append(said.calls, call)
		}
	}
	if own := map[string]string{"end_turn": "end", "stop_sequence": "end", "tool_use": "tools", "max_tokens": "length"}[said.stop]; own != "" {
		said.stop = own
	}
	return said, nil
}

func (a *anthropicTalk) message(ctx context.Context) (*anthropic.Message, error) {
	if !a.manner.stream {
		return a.client.Messages.New(ctx, a.params, a.options...)
	}
	stream := a.client.Messages.NewStreaming(ctx, a.params, a.options...)
	defer stream.Close()
	var message anthropic.Message
	for stream.Next() {
		event := stream.Current()
		if err := message.Accumulate(event); err != nil {
			return nil, err
		}
		if a.manner.watch != nil {
			a.manner.watch()
		}
	}
	return &message, stream.Err()
}
