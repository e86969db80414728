package blueprint

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stele/internal/manifest"
	"stele/internal/media"
)

// rules reads the rules of a body as a model file has them.
func rules(t *testing.T, text string) []media.Rule {
	t.Helper()
	var file struct {
		Body []media.Rule `yaml:"body"`
	}
	if err := manifest.Decode("rules", []byte("body:\n"+text), &file, manifest.Options{}).Err(); err != nil {
		t.Fatal(err)
	}
	return file.Body
}

func TestRulesWriteBodies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ rules, want string }{
		"a value":                      {`- {to: model, value: $upstream}`, `{"model":"up/1"}`},
		"a value deep down":            {`- {to: a.b.c, value: $prompt}`, `{"a":{"b":{"c":"a fox"}}}`},
		"a plain value":                {`- {to: watermark, value: false}`, `{"watermark":false}`},
		"a dollar sign":                {`- {to: a, value: $$prompt}`, `{"a":"$prompt"}`},
		"nothing for what is missing":  {`- {to: a, value: $negative_prompt}`, `{}`},
		"nothing if a part is missing": {`- {to: a, value: {x: $prompt, y: [$negative_prompt]}}`, `{}`},
		"copies":                       {`- {copy: {p: prompt, d.s: duration, m: mode, k: operation_id, n: negative_prompt}}`, `{"p":"a fox","d":{"s":5},"m":"text_to_video","k":"gen_1"}`},
		"appends":                      {"- {to: 'list[]', value: 1}\n- {to: 'list[]', value: {t: $prompt}}", `{"list":[1,{"t":"a fox"}]}`},
		"indexes":                      {"- {to: 'a[1].b', value: 1}\n- {to: 'a[0]', value: 2}", `{"a":[2,{"b":1}]}`},
		"each":                         {`- {to: 'c[]', each: image_urls, value: {u: $item}}`, `{"c":[{"u":"https://files/1"},{"u":"https://files/2"}]}`},
		"each of a parameter":          {`- {to: 'c[]', each: tags, value: $item|upper}`, `{"c":["X","Y"]}`},
		"each of nothing":              {`- {to: 'c[]', each: video_urls, value: $item}`, `{}`},
		"spread":                       {`- {spread: image_urls, keys: [a, b.c, d]}`, `{"a":"https://files/1","b":{"c":"https://files/2"}}`},
		"spread with a value":          {`- {spread: image_urls, keys: [a, b], value: {u: $item}}`, `{"a":{"u":"https://files/1"},"b":{"u":"https://files/2"}}`},
		"a whole list":                 {`- {copy: {urls: image_urls}}`, `{"urls":["https://files/1","https://files/2"]}`},
		"an element":                   {`- {to: a, value: "$image_urls[1]"}`, `{"a":"https://files/2"}`},
		"an element too far":           {`- {to: a, value: "$image_urls[7]"}`, `{}`},
		"parts of a file":              {`- {to: a, value: {b: $start_frame.base64, m: $start_frame.mime}}`, `{"a":{"b":"c3RhcnQ=","m":"image/png"}}`},
		"a map":                        {`- {to: mode, value: $resolution, map: {720p: std, 1080p: pro}}`, `{"mode":"std"}`},
		"a map of a boolean":           {`- {to: sound, value: $generate_audio, map: {true: "on", false: "off"}}`, `{"sound":"on"}`},
		"a map without the value":      {`- {to: mode, value: $resolution, map: {1080p: pro}}`, `{"mode":"720p"}`},
		"a table":                      {`- {to: px, table: px, keys: [aspect_ratio, resolution]}`, `{"px":"1280:720"}`},
		"a table of lists":             {`- {to: size, table: sizes, keys: [aspect_ratio]}`, `{"size":[1280,720]}`},
		"a table by mode":              {`- {to: t, table: modes, keys: [mode]}`, `{"t":"t2v"}`},
		"a table with another way out": {`- {to: px, table: px, keys: [seed], else: auto}`, `{"px":"auto"}`},
		"a table without a row":        {`- {to: px, table: px, keys: [seed]}`, `{}`},
		"when it is there":             {"- {to: a, when: start_frame, value: 1}\n- {to: b, when: end_frame, value: 1}", `{"a":1}`},
		"when it is so":                {"- {to: a, when: {mode: text_to_video}, value: 1}\n- {to: b, when: {mode: text_to_video, duration: 6}, value: 1}", `{"a":1}`},
		"unless":                       {"- {to: a, unless: start_frame, value: 1}\n- {to: b, unless: {mode: x}, value: 1}", `{"b":1}`},
		"filters":                      {`- {to: a, value: [$duration|str, "$duration|suffix:s", $duration|ms, "$duration|frames:24", $resolution|upper, "$guidance|ms|str"]}`, `{"a":["5","5s",5000,120,"720P","7500"]}`},
		"the last word":                {"- {to: a, value: {x: 1, y: 2}}\n- {to: a.y, value: $prompt}", `{"a":{"x":1,"y":"a fox"}}`},
		"a graph":                      {"- {to: prompt, value: $graph}\n- {copy: {prompt.6.inputs.text: prompt}}", `{"prompt":{"6":{"inputs":{"clip":["4",1],"text":"a fox"}}}}`},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			w := plain(t)
			w.req.Model.Call.Body = rules(t, c.rules)
			for range 2 { // the second writing must not see the first
				p, err := compile(w.req.Model, w.req.Operation)
				if err != nil {
					t.Fatal(err)
				}
				body, err := p.write(t.Context(), w)
				if err != nil {
					t.Fatal(err)
				}
				payload, err := encodeJSON(body)
				if err != nil {
					t.Fatal(err)
				}
				if got := text(t, payload); sorted(t, got) != sorted(t, c.want) {
					t.Errorf("got  %s\nwant %s", got, c.want)
				}
			}
		})
	}
}

// plain is a writing that all rules can be tried on.
func plain(t *testing.T) *writing {
	t.Helper()
	req := &media.Request{
		Key: "gen_1", Prompt: "a fox", Operation: &media.Operation{Mode: "text_to_video"},
		Parameters: map[string]any{
			"duration": int64(5), "resolution": "720p", "generate_audio": true, "aspect_ratio": "16:9", "guidance": 7.5, "seed": int64(3),
			"tags": []any{"x", "y"},
		},
		Model: &media.Model{Call: media.Call{Tables: map[string]map[string]any{
			"px":    {"16:9|720p": "1280:720"},
			"sizes": {"16:9": []any{int64(1280), int64(720)}},
			"modes": {"text_to_video": "t2v"},
		}}},
	}
	link := func(where string) func(context.Context) (string, error) {
		return func(context.Context) (string, error) { return where, nil }
	}
	for field, links := range map[string][]string{"image_urls": {"https://files/1", "https://files/2"}, "start_frame": {"https://files/start"}} {
		for _, l := range links {
			s := source(field, []byte("start"))
			s.Link = link(l)
			req.Sources = append(req.Sources, s)
		}
	}
	var graph any
	if err := json.Unmarshal([]byte(`{"6":{"inputs":{"text":"","clip":["4",1]}}}`), &graph); err != nil {
		t.Fatal(err)
	}
	return &writing{op: &Operation{Name: "test/op"}, req: req, upstream: "up/1", graph: graph}
}

func TestRulesThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ rules, want string }{
		"two things in one place": {"- {to: a, value: 1}\n- {to: a.b, value: 2}", "no object"},
		"a list in an object":     {"- {to: a, value: {b: 1}}\n- {to: 'a[]', value: 2}", "no list"},
		"more than there is room": {`- {spread: image_urls, keys: [a]}`, "at most 1"},
		"no such filter":          {`- {to: a, value: $prompt|rot}`, "rot"},
		"seconds of a word":       {`- {to: a, value: $resolution|ms}`, "no number"},
		"no place":                {`- {to: "a..b", value: 1}`, "no path"},
		"a file in JSON":          {`- {to: a, value: $start_frame.file}`, "takes no files"},
	} {
		w := plain(t)
		w.req.Model.Call.Body = rules(t, c.rules)
		p, err := compile(w.req.Model, w.req.Operation)
		if err == nil {
			_, err = p.write(t.Context(), w)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBuiltInModelsSayWhatTheirProvidersExpect holds bodies against what the
// providers document.
func TestBuiltInModelsSayWhatTheirProvidersExpect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		model, mode, address, body string
		fields                     []string
		set                        map[string]any
	}{
		{
			model: "openai/gpt-image-2", mode: "text_to_image", address: "/images/generations", set: map[string]any{"n": int64(2), "size": "1536x1024"},
			body: `{"background":"auto","model":"gpt-image-2","n":2,"output_format":"png","prompt":"a fox in the snow","quality":"auto","size":"1536x1024"}`,
		},
		{
			model: "openai/gpt-4o-mini-tts", mode: "text_to_speech", address: "/audio/speech", set: map[string]any{"instructions": "calmly"},
			body: `{"input":"a fox in the snow","instructions":"calmly","model":"gpt-4o-mini-tts","response_format":"mp3","speed":1,"voice":"alloy"}`,
		},
		{
			model: "google/gemini-nano-banana-2.1", mode: "text_to_image", address: "/v1beta/models/gemini-nano-banana-2.1:generateContent",
			set:  map[string]any{"aspect_ratio": "8:1", "resolution": "2k", "seed": int64(4)},
			body: `{"contents":[{"parts":[{"text":"a fox in the snow"}],"role":"user"}],"generationConfig":{"imageConfig":{"aspectRatio":"8:1","imageSize":"2K"},"responseModalities":["IMAGE"],"seed":4}}`,
		},
		{
			model: "google/gemini-3.8-flash-tts", mode: "text_to_speech", address: "/v1beta/models/gemini-3.8-flash-tts:generateContent",
			body: `{"contents":[{"parts":[{"text":"a fox in the snow"}],"role":"user"}],"generationConfig":{"responseModalities":["AUDIO"],"speechConfig":{"voiceConfig":{"prebuiltVoiceConfig":{"voiceName":"Kore"}}}}}`,
		},
		{
			model: "google/veo-3.1", mode: "reference_to_video", address: "/v1beta/models/veo-3.1-generate-preview:predictLongRunning", fields: []string{"image_urls"},
			body: `{"instances":[{"prompt":"a fox in the snow","referenceImages":[{"image":{"bytesBase64Encoded":"cGljdHVyZQ==","mimeType":"image/png"},"referenceType":"asset"}]}],"parameters":{"aspectRatio":"16:9","durationSeconds":8,"resolution":"720p"}}`,
		},
		{
			model: "replicate/flux-schnell", mode: "text_to_image", address: "/predictions", set: map[string]any{"output_format": "jpeg"},
			body: `{"input":{"aspect_ratio":"1:1","num_inference_steps":4,"num_outputs":1,"output_format":"jpg","output_quality":80,"prompt":"a fox in the snow"},"version":"black-forest-labs/flux-schnell"}`,
		},
		{
			model: "fal/flux-schnell", mode: "text_to_image", address: "/fal-ai/flux/schnell", set: map[string]any{"aspect_ratio": "16:9"},
			body: `{"image_size":"landscape_16_9","num_images":1,"num_inference_steps":4,"output_format":"jpeg","prompt":"a fox in the snow"}`,
		},
		{
			model: "fal/veo-3.1", mode: "frames_to_video", address: "/fal-ai/veo3.1/image-to-video", fields: []string{"start_frame"},
			body: `{"aspect_ratio":"auto","duration":"8s","generate_audio":true,"image_url":"data:image/png;base64,cGljdHVyZQ==","prompt":"a fox in the snow","resolution":"720p"}`,
		},
		{
			model: "bfl/flux-2-flex", mode: "image_to_image", address: "/flux-2-flex", fields: []string{"image_urls", "image_urls"},
			body: `{"guidance":4.5,"input_image":"cGljdHVyZQ==","input_image_2":"cGljdHVyZQ==","output_format":"jpeg","prompt":"a fox in the snow","safety_tolerance":2,"steps":50}`,
		},
	} {
		req := request(t, c.model, c.mode, c.fields...)
		for i, field := range c.fields {
			req.Sources[i] = source(field, []byte("picture"))
		}
		maps.Copy(req.Parameters, c.set)
		op, err := operationOf(req.Model.Call.Operation)
		if err != nil {
			t.Fatal(err)
		}
		m, _ := open(t, req.Model.Kind, "http://127.0.0.1:1", nil).(*Maker)
		o, err := m.prepare(t.Context(), op, &req)
		if err != nil {
			t.Errorf("%s: %v", c.model, err)
			continue
		}
		if o.address != c.address {
			t.Errorf("%s is asked at %s", c.model, o.address)
		}
		if diff := cmp.Diff(sorted(t, c.body), sorted(t, text(t, o.body))); diff != "" {
			t.Errorf("%s %s: %s", c.model, c.mode, diff)
		}
	}
}

func TestAComfyUIGraphIsFilledIn(t *testing.T) {
	t.Parallel()
	req := request(t, "comfyui/sdxl", "text_to_image")
	finder, _ := open(t, "comfyui", "http://127.0.0.1:1", nil).(*Finder)
	op, _ := operationOf("comfyui/prompt")
	seeds := make(map[any]bool)
	for _, key := range []string{"gen_1", "gen_1", "gen_2"} {
		req.Key = key
		o, err := finder.prepare(t.Context(), op, &req)
		if err != nil {
			t.Fatal(err)
		}
		var body map[string]any
		if err := json.Unmarshal([]byte(text(t, o.body)), &body); err != nil {
			t.Fatal(err)
		}
		at := func(where string) any {
			p, err := parsePath(where)
			if err != nil {
				t.Fatal(err)
			}
			v, _ := p.one(body)
			return v
		}
		seeds[at("prompt.3.inputs.seed")] = true
		if at("prompt_id") != workName(key) || at("prompt.6.inputs.text") != "a fox in the snow" || at("prompt.9.inputs.filename_prefix") != key ||
			at("prompt.5.inputs.width") != 1024.0 || at("prompt.4.inputs.ckpt_name") != "sd_xl_base_1.0.safetensors" {
			t.Errorf("%v", body)
		}
	}
	if len(seeds) != 2 {
		t.Errorf("seeds by chance: %v", seeds)
	}
}

func text(t *testing.T, p *payload) string {
	t.Helper()
	body, err := p.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	got, err := io.ReadAll(body)
	if err != nil || int64(len(got)) != p.size {
		t.Fatalf("%d bytes of %d, %v", len(got), p.size, err)
	}
	return string(got)
}

// sorted is JSON with its keys in order.
func sorted(t *testing.T, text string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestAnInputThatCannotBeReadIsNeverSent(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]func(context.Context) (io.ReadCloser, error){
		"not there": func(context.Context) (io.ReadCloser, error) { return nil, errors.New("no such blob") },
		"too short": func(context.Context) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("x")), nil },
	} {
		for _, model := range []string{"openai/gpt-image-2", "google/gemini-3-pro-image"} {
			req := request(t, model, "image_to_image", "image_urls")
			req.Sources[0].Open = broken
			stage := fakeOpenAI(fakePictures(1))
			if req.Model.Kind == "gemini" {
				stage = fakeGemini(fakePictures(1))
			}
			defer stage.Close()
			_, err := open(t, req.Model.Kind, stage.URL, nil).Submit(t.Context(), req)
			if f := media.ToFailure(err); f.Class != media.Transient || stage.Accepted() != 0 {
				t.Errorf("%s, %s: %v, %d accepted", model, name, err, stage.Accepted())
			}
		}
	}
}
