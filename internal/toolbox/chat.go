package toolbox

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func (b *Toolbox) addChat() {
	addTool(b, mcp.Tool{
		Name: "chat", Annotations: hints("Ask another model", false),
		Description: "Ask another chat model of list_models (kind chat) one question and return its answer: a second opinion, a review, a translation. " +
			"It sees nothing but what you send.",
	}, b.chat)
}

type chatIn struct {
	Model     string   `json:"model" jsonschema:"a chat model's id"`
	Prompt    string   `json:"prompt" jsonschema:"what the model is asked, with all that it needs to know"`
	System    string   `json:"system,omitempty" jsonschema:"what the model is told first"`
	Images    []string `json:"images,omitempty" jsonschema:"pictures to look at: paths of local files, file ids or URLs"`
	MaxTokens int      `json:"max_tokens,omitempty" jsonschema:"the longest answer"`
}

type answer struct {
	Model     string `json:"model"`
	Text      string `json:"text"`
	Finish    string `json:"finish_reason,omitempty"`
	In        int64  `json:"tokens_in,omitzero"`
	Out       int64  `json:"tokens_out,omitzero"`
	Truncated bool   `json:"truncated,omitzero"`
}

type message struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
}

type part struct {
	Type  string    `json:"type"`
	Text  string    `json:"text,omitzero"`
	Image *imageURL `json:"image_url,omitzero"`
}

type imageURL struct {
	URL string `json:"url"`
}

func (b *Toolbox) chat(ctx context.Context, c *call, in chatIn) (any, error) {
	var messages []message
	if in.System != "" {
		messages = append(messages, message{"system", in.System})
	}
	asked, err := b.question(ctx, in)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(struct {
		Model     string    `json:"model"`
		Stream    bool      `json:"stream"`
		Options   any       `json:"stream_options"`
		MaxTokens int       `json:"max_tokens,omitzero"`
		Messages  []message `json:"messages"`
	}{in.Model, true, map[string]bool{"include_usage": true}, in.MaxTokens, append(messages, message{"user", asked})})
	if err != nil {
		return nil, err
	}
	reply, err := b.server.Chat(ctx, body, longestText, func(n int) { c.tellProgress(ctx, float64(n), 0, "answering") })
	if err != nil {
		return nil, err
	}
	return answer{in.Model, reply.Text, reply.Finish, reply.In, reply.Out, reply.Truncated}, nil
}

// question is the text that a model is asked, with the pictures it is to look at.
func (b *Toolbox) question(ctx context.Context, in chatIn) (any, error) {
	if len(in.Images) == 0 {
		return in.Prompt, nil
	}
	parts := []part{{Type: "text", Text: in.Prompt}}
	for _, image := range in.Images {
		if local(image) {
			kept, err := b.upload(ctx, image)
			if err != nil {
				return nil, err
			}
			image = kept.URL
		}
		parts = append(parts, part{Type: "image_url", Image: &imageURL{image}})
	}
	return parts, nil
}
