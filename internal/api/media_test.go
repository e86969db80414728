package api

import (
	"testing"

	"github.com/go-json-experiment/json"

	"stele/internal/media"
)

func TestAnOperationIsListedWithItsBoundsAndPrice(t *testing.T) {
	t.Parallel()
	m, err := media.Read("f", []byte(`
model: acme/clip
media_type: video
kind: acme
operations:
  - mode: frames_to_video
    input: {required: [start_frame], optional: [prompt]}
    limits: {start_frame: {max_mb: 10, formats: [image/png], forms: [url]}, prompt: {max_length: 500}}
    exclusive: [[size], [width, height]]
    requires: [{if: width, then: height}]
    parameters:
      - {name: duration, type: integer, default: 5}
      - {name: sound, type: boolean, default: false}
      - {name: size, type: string, max_length: 9}
      - {name: width, type: integer}
      - {name: height, type: integer}
      - {name: tags, type: array, items: string, max_items: 3}
    price: {per: second, first: 0.2, by: [sound], table: {"true": 0.1, "false": 0.05}}
  - mode: text_to_video
    input: {required: [prompt]}
`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(toWireMediaModel(&m).Operations, json.Deterministic(true), json.FormatNilSliceAsNull(false))
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"mode":"frames_to_video","input":{"required":["start_frame"],"optional":["prompt"]},` +
		`"input_requirements":{"required":["start_frame"],"optional":["prompt"]},"parameters":[` +
		`{"name":"duration","type":"integer","default":5,"required":false},{"name":"sound","type":"boolean","default":false,"required":false},` +
		`{"name":"size","type":"string","required":false,"max_length":9},{"name":"width","type":"integer","required":false},` +
		`{"name":"height","type":"integer","required":false},{"name":"tags","type":"array","required":false,"items":"string","max_items":3}],` +
		`"limits":{"prompt":{"max_length":500},"start_frame":{"max_mb":10,"formats":["image/png"]}},` +
		`"exclusive":[["size"],["width","height"]],"requires":[{"if":"width","then":"height"}],` +
		`"price":{"usd":"0","first":"0.2","per":"second","by":["sound"],"table":{"false":"0.05","true":"0.1"}}},` +
		`{"mode":"text_to_video","input":{"required":["prompt"],"optional":[]},"input_requirements":{"required":["prompt"],"optional":[]},"parameters":[]}]`
	if string(got) != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}
