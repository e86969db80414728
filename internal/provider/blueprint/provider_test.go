package blueprint

import (
	"bytes"
	"context"
	"io"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"stele/internal/generation"
	"stele/internal/guard"
	"stele/internal/media"
	"stele/internal/provider"
)

// suite is one row: a model in a mode, on a fake.
type suite struct {
	model, mode string
	stage       func([]fakeOutput) *fakeStage
	outputs     []fakeOutput
	kind        string
	options     map[string]string
	wav         bool
	sources     []string
	refusals    []media.Class
	failures    []media.Class
	whole       bool
	cancels     bool
}

func TestEveryProviderPassesTheSuite(t *testing.T) {
	t.Parallel()
	usual := []media.Class{media.BadInput, media.Auth, media.Quota, media.Rate, media.Transient}
	policy := append([]media.Class{media.PolicyInput, media.PolicyOutput}, usual...)
	for name, s := range map[string]suite{
		"openai pictures": {model: "openai/gpt-image-2", mode: "text_to_image", stage: fakeOpenAI, outputs: fakePictures(2), kind: "openai", whole: true, refusals: policy},
		"openai edits":    {model: "openai/gpt-image-2.5-flare", mode: "image_to_image", stage: fakeOpenAI, outputs: fakePictures(1), kind: "openai", whole: true, sources: []string{"image_urls", "image_urls"}, refusals: policy},
		"openai speech":   {model: "openai/gpt-4o-mini-tts", mode: "text_to_speech", stage: fakeOpenAI, outputs: fakeSound(), kind: "openai", whole: true, refusals: usual},
		"gemini pictures": {model: "google/gemini-3-pro-image", mode: "image_to_image", stage: fakeGemini, outputs: fakePictures(1), kind: "gemini", whole: true, sources: []string{"image_urls"}, refusals: policy},
		"gemini speech":   {model: "google/gemini-3.8-flash-tts", mode: "text_to_speech", stage: fakeGemini, outputs: fakeSamples(), kind: "gemini", whole: true, wav: true, refusals: policy},
		"veo":             {model: "google/veo-3.1", mode: "text_to_video", stage: fakeGemini, outputs: fakeClip(), kind: "gemini", refusals: usual, failures: []media.Class{media.ModelFailed, media.PolicyOutput}},
		"veo frames":      {model: "google/veo-3.1-lite", mode: "frames_to_video", stage: fakeGemini, outputs: fakeClip(), kind: "gemini", sources: []string{"start_frame", "end_frame"}, refusals: usual},
		"replicate":       {model: "replicate/flux-schnell", mode: "text_to_image", stage: fakeReplicate, outputs: fakePictures(3), kind: "replicate", cancels: true, refusals: usual, failures: []media.Class{media.ModelFailed, media.PolicyOutput}},
		"replicate finds": {model: "replicate/flux-kontext-pro", mode: "image_to_image", stage: fakeReplicate, outputs: fakePictures(1), kind: "replicate", cancels: true, sources: []string{"image_urls"}, options: map[string]string{"webhook_url": "https://stele.example.com/hooks/"}, refusals: usual},
		"fal pictures":    {model: "fal/nano-banana", mode: "image_to_image", stage: fakeFal, outputs: fakePictures(2), kind: "fal", cancels: true, sources: []string{"image_urls", "image_urls"}, refusals: append([]media.Class{media.PolicyInput}, usual...), failures: []media.Class{media.ModelFailed, media.PolicyInput}},
		"fal clips":       {model: "fal/kling-2.5-turbo-pro", mode: "frames_to_video", stage: fakeFal, outputs: fakeClip(), kind: "fal", cancels: true, sources: []string{"start_frame"}, refusals: usual},
		"bfl":             {model: "bfl/flux-2-pro", mode: "image_to_image", stage: fakeBFL, outputs: fakePictures(1), kind: "bfl", sources: []string{"image_urls", "image_urls"}, refusals: []media.Class{media.BadInput, media.Auth, media.Quota, media.Concurrency, media.Transient}, failures: []media.Class{media.ModelFailed, media.PolicyInput, media.PolicyOutput}},
		"comfyui":         {model: "comfyui/sdxl", mode: "text_to_image", stage: fakeComfyUI, outputs: fakePictures(2), kind: "comfyui", cancels: true, refusals: []media.Class{media.BadInput, media.Transient}, failures: []media.Class{media.ModelFailed}},
		"comfyui edits":   {model: "comfyui/sdxl", mode: "image_to_image", stage: fakeComfyUI, outputs: fakePictures(1), kind: "comfyui", cancels: true, sources: []string{"image_urls"}, refusals: []media.Class{media.BadInput}},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			runSuite(t, s.start)
		})
	}
}

func (s suite) start(t *testing.T) *suiteProvider {
	stage := s.stage(s.outputs)
	t.Cleanup(stage.Close)
	p := &suiteProvider{
		Stage: stage, Request: request(t, s.model, s.mode, s.sources...), Secret: fakeKey,
		Refusals: s.refusals, Failures: s.failures, Whole: s.whole, Cancels: s.cancels,
		Open: func() generation.Maker { return open(t, s.kind, stage.URL, s.options) },
		Dead: func() generation.Maker { return open(t, s.kind, "http://127.0.0.1:1", s.options) },
	}
	for _, o := range s.outputs {
		body := o.Body
		if s.wav {
			body = sound{24000, 1}.wav(body)
		}
		p.Outputs = append(p.Outputs, body)
	}
	return p
}

// open makes a maker as cmd/stele would.
func open(t *testing.T, kind, base string, options map[string]string) generation.Maker {
	t.Helper()
	account := provider.Account{Name: "test", BaseURL: base, Key: fakeKey, Options: options}
	for _, k := range provider.Kinds() {
		if k.Name == kind {
			account.Kind = k
		}
	}
	m, err := Open(account, clients())
	if err != nil {
		t.Fatal(err)
	}
	if c, ok := m.(io.Closer); ok {
		t.Cleanup(func() { _ = c.Close() })
	}
	return m
}

var clients = sync.OnceValue(func() Options {
	return Options{
		Client: guard.Operator(guard.Options{DisableCompression: true}),
		Public: guard.Caller(guard.Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}),
	}
})

// request is an order of a built-in model with all its defaults.
func request(t *testing.T, model, mode string, fields ...string) media.Request {
	t.Helper()
	m := builtin(t, model)
	op := m.Operation(mode)
	if op == nil {
		t.Fatalf("%s has no %s", model, mode)
	}
	ask := &media.Ask{Model: model, Mode: mode, Prompt: "a fox in the snow"}
	for _, field := range fields {
		ask.Media = append(ask.Media, media.Given{Field: field, URL: "file_1"})
	}
	parameters, err := op.Check(ask)
	if err != nil {
		t.Fatal(err)
	}
	req := media.Request{Key: "gen_" + strings.ReplaceAll(t.Name(), "/", "_"), Model: m, Operation: op, Prompt: ask.Prompt, Parameters: parameters}
	for i, field := range fields {
		req.Sources = append(req.Sources, source(field, fakePictures(i + 1)[i].Body))
	}
	return req
}

var library = sync.OnceValue(func() map[string]*media.Model {
	list := make(map[string]*media.Model)
	for _, f := range Models() {
		m, _ := media.Read(f.Name, f.Body) // another test tells what is wrong
		list[m.ID] = &m
	}
	return list
})

func builtin(t *testing.T, id string) *media.Model {
	t.Helper()
	m := library()[id]
	if m == nil {
		t.Fatalf("no model %s", id)
	}
	return m
}

func source(field string, body []byte) media.Source {
	return media.Source{
		Field: field, ID: "file_1", Name: "fox.png", Type: "image/png", Size: int64(len(body)),
		Open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil },
	}
}
