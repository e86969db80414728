package toolbox

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"stele/internal/client"
	"stele/internal/generation"
	"stele/internal/media"
)

const (
	// usualWait is shorter than the minute after which many clients give a call up.
	usualWait   = 50
	longestWait = 3600
	accepting   = 2 * time.Minute // an order may bring files that the server fetches first
)

func (b *Toolbox) addGenerate() {
	addTool(b, mcp.Tool{
		Name: "generate_image", Annotations: hints("Make a picture", false),
		Description: "Make a picture from a text, or edit pictures. Saves it and returns its path and, if it is small, the picture itself. " +
			"Without a model the server's built-in studio draws it: posters, cards, patterns and landscapes with the words set in type, at no cost. " +
			"Name a model of list_models for photographs and illustrations.",
	}, b.generateImage)
	addTool(b, mcp.Tool{
		Name: "generate_video", Annotations: hints("Make a clip", false),
		Description: "Make a clip from a text, or from a picture that it starts with. Saves it and returns its path. " +
			"Without a model the server's built-in studio animates it, at no cost.",
	}, b.generateVideo)
	addTool(b, mcp.Tool{
		Name: "generate_speech", Annotations: hints("Speak a text", false),
		Description: "Speak a text. Saves the sound and returns its path. Without a model the server's built-in voice speaks, at no cost. " +
			"Music and effects: generate with a model that has the mode text_to_audio.",
	}, b.generateSpeech)
	addTool(b, mcp.Tool{
		Name: "generate", Annotations: hints("Generate with any model", false),
		Description: "Make media with any media model in any of its modes, with the inputs that describe_model lists. Saves what was made and returns the paths.",
	}, b.generate)
}

// ordering is what every tool that makes something takes.
type ordering struct {
	SaveAs string `json:"save_as,omitempty" jsonschema:"where to save it, relative to the output folder, such as assets/hero.png, or a folder; a number is added where there is a file already"`
	Wait   *int   `json:"wait_seconds,omitempty" jsonschema:"how long to wait until it is done (default 50); 0 returns at once with its id for get_generation"`
}

type imageIn struct {
	Prompt      string         `json:"prompt" jsonschema:"what the picture is to show, or how pictures are to be changed"`
	Model       string         `json:"model,omitempty" jsonschema:"a media model's id; the built-in studio where it is left out"`
	Images      []string       `json:"images,omitempty" jsonschema:"pictures to work on: paths of local files, file ids or URLs"`
	AspectRatio string         `json:"aspect_ratio,omitempty" jsonschema:"such as 1:1, 16:9 or 9:16"`
	Parameters  map[string]any `json:"parameters,omitempty" jsonschema:"further parameters of the model, by name, as describe_model lists them"`
	ordering
}

func (b *Toolbox) generateImage(ctx context.Context, c *call, in imageIn) (any, error) {
	mode := "text_to_image"
	if len(in.Images) > 0 {
		mode = "image_to_image"
	}
	fields := fieldsOf(in.Parameters, map[string]any{"prompt": in.Prompt, "image_urls": anyOf(in.Images), "aspect_ratio": in.AspectRatio})
	return b.convenient(ctx, c, convenience{in.Model, b.models.Image, "image", mode}, fields, in.ordering)
}

type videoIn struct {
	Prompt      string         `json:"prompt" jsonschema:"what the clip is to show"`
	Model       string         `json:"model,omitempty" jsonschema:"a media model's id; the built-in studio where it is left out"`
	StartFrame  string         `json:"start_frame,omitempty" jsonschema:"a picture to start with: path of a local file, file id or URL"`
	EndFrame    string         `json:"end_frame,omitempty" jsonschema:"a picture to end with"`
	AspectRatio string         `json:"aspect_ratio,omitempty" jsonschema:"such as 16:9 or 9:16"`
	Duration    float64        `json:"duration,omitempty" jsonschema:"seconds"`
	Parameters  map[string]any `json:"parameters,omitempty" jsonschema:"further parameters of the model, by name, as describe_model lists them"`
	ordering
}

func (b *Toolbox) generateVideo(ctx context.Context, c *call, in videoIn) (any, error) {
	mode := "text_to_video"
	if in.StartFrame != "" {
		mode = "frames_to_video"
	}
	fields := fieldsOf(in.Parameters, map[string]any{
		"prompt": in.Prompt, "start_frame": in.StartFrame, "end_frame": in.EndFrame, "aspect_ratio": in.AspectRatio, "duration": in.Duration,
	})
	return b.convenient(ctx, c, convenience{in.Model, b.models.Video, "video", mode}, fields, in.ordering)
}

type speechIn struct {
	Text       string         `json:"text" jsonschema:"what is to be spoken"`
	Model      string         `json:"model,omitempty" jsonschema:"a media model's id; the built-in voice where it is left out"`
	Voice      string         `json:"voice,omitempty" jsonschema:"one of the model's voices"`
	Parameters map[string]any `json:"parameters,omitempty" jsonschema:"further parameters of the model, by name, as describe_model lists them"`
	ordering
}

func (b *Toolbox) generateSpeech(ctx context.Context, c *call, in speechIn) (any, error) {
	fields := fieldsOf(in.Parameters, map[string]any{"prompt": in.Text, "voice": in.Voice})
	return b.convenient(ctx, c, convenience{in.Model, b.models.Speech, "audio", "text_to_speech"}, fields, in.ordering)
}

type generateIn struct {
	Model  string         `json:"model" jsonschema:"a media model's id"`
	Mode   string         `json:"mode,omitempty" jsonschema:"such as text_to_image; needed only where the inputs fit several"`
	Inputs map[string]any `json:"inputs" jsonschema:"prompt, image_urls, start_frame, end_frame, video_urls, audio_urls and the mode's parameters, all in one object; files are paths of local files, file ids or URLs"`
	ordering
}

func (b *Toolbox) generate(ctx context.Context, c *call, in generateIn) (any, error) {
	return b.order(ctx, c, fieldsOf(in.Inputs, map[string]any{"model": in.Model, "mode": in.Mode}), in.ordering)
}

// convenience is a model that may not have been named, and the mode it is for.
type convenience struct{ named, configured, mediaType, mode string }

func (b *Toolbox) convenient(ctx context.Context, c *call, want convenience, fields map[string]any, o ordering) (any, error) {
	models, err := b.mediaModels(ctx, want.mediaType)
	if err != nil {
		return nil, err
	}
	id := cmp.Or(want.named, want.configured)
	if id == "" {
		if id, err = choose(models, want.mode); err != nil {
			return nil, err
		}
	}
	fields["model"] = id
	// A model without the mode may have another for these inputs: the server finds it.
	if slices.ContainsFunc(models, func(m model) bool { return m.ID == id && slices.Contains(m.Modes, want.mode) }) {
		fields["mode"] = want.mode
	}
	return b.order(ctx, c, fields, o)
}

// fieldsOf joins what an agent gave by name with the rest. What is empty was not given.
func fieldsOf(rest, named map[string]any) map[string]any {
	fields := maps.Clone(rest)
	if fields == nil {
		fields = make(map[string]any)
	}
	for name, value := range named {
		switch v := value.(type) {
		case string:
			if v == "" {
				continue
			}
		case float64:
			if v == 0 {
				continue
			}
		case []any:
			if len(v) == 0 {
				continue
			}
		}
		fields[name] = value
	}
	return fields
}

func anyOf(texts []string) []any {
	out := make([]any, len(texts))
	for i, text := range texts {
		out[i] = text
	}
	return out
}

// order uploads the local files of an order and places it.
func (b *Toolbox) order(ctx context.Context, c *call, fields map[string]any, o ordering) (any, error) {
	for _, name := range media.Inputs() {
		if media.Takes(name) == "" {
			continue
		}
		if err := b.uploadField(ctx, fields, name); err != nil {
			return nil, err
		}
	}
	prompt, _ := fields["prompt"].(string)
	return b.place(ctx, c, client.Generations, fields, o, prompt)
}

// place places an order at a path, and stops it if the client does not wait for it any longer.
func (b *Toolbox) place(ctx context.Context, c *call, path string, fields map[string]any, o ordering, called string) (any, error) {
	if err := b.checkName(o.SaveAs); err != nil {
		return nil, err
	}
	body, err := json.Marshal(fields, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	// An order whose answer is not awaited would go on unseen: its id is needed to stop it.
	accepted, done := context.WithTimeout(context.WithoutCancel(ctx), accepting)
	defer done()
	v, err := b.server.Order(accepted, path, body)
	if err != nil {
		return nil, err
	}
	if v.DryRun {
		return summary(v), nil
	}
	return b.await(ctx, c, v, o, called)
}

// await follows a task to its end, or for as long as the call says.
func (b *Toolbox) await(ctx context.Context, c *call, v generation.View, o ordering, called string) (any, error) {
	v, err := b.follow(ctx, c, v, o.wait())
	if ctx.Err() != nil {
		stop, done := context.WithTimeout(context.WithoutCancel(ctx), stopping)
		defer done()
		if _, err := b.server.Cancel(stop, v.ID); err != nil {
			return nil, fmt.Errorf("%s could not be stopped: %w", v.ID, err)
		}
		return nil, fmt.Errorf("%s was canceled", v.ID)
	}
	if err != nil {
		return nil, fmt.Errorf("%s was ordered, but how it goes on is not known: %w; ask with get_generation", v.ID, err)
	}
	return b.result(ctx, v, o.SaveAs, called)
}

// follow waits for a task and tells the client how far it is.
func (b *Toolbox) follow(ctx context.Context, c *call, v generation.View, wait time.Duration) (generation.View, error) {
	bounded, done := context.WithTimeout(ctx, wait)
	defer done()
	tell := func(v generation.View) { c.tellProgress(ctx, v.Progress*100, 100, standing(v)) }
	tell(v)
	if client.HasEnded(v) || wait == 0 {
		return v, nil
	}
	last, err := b.server.Follow(bounded, v, tell)
	if bounded.Err() != nil && ctx.Err() == nil {
		err = nil // it takes longer than the call waits
	}
	return last, err
}

// wait is how long a call waits.
func (o ordering) wait() time.Duration {
	seconds := usualWait
	if o.Wait != nil {
		seconds = max(0, min(*o.Wait, longestWait))
	}
	return time.Duration(seconds) * time.Second
}

// standing says where a task is, for people who watch.
func standing(v generation.View) string {
	for _, s := range v.Steps {
		if s.State != "processing" {
			continue
		}
		if s.Total > 0 {
			return fmt.Sprintf("%s: %s %d of %d", v.ID, s.ID, s.Done, s.Total)
		}
		return v.ID + ": " + s.ID
	}
	return strings.TrimSpace(v.ID + ": " + v.Status)
}
