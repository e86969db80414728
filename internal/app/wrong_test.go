package app

import (
	"strings"
	"testing"
)

// right is an app with nothing wrong in it. Each wrong file differs from it in one line.
const right = `app: right
name: Right
version: 2
media_type: image
deadline: 5m
inputs:
  - {name: idea, type: string, required: true}
  - {name: count, type: integer, default: 3, min: 1, max: 9}
  - {name: photos, type: array, media: image}
steps:
  - id: think
    retries: 1
    chat:
      model: stele/sandbox
      prompt: Think of ${inputs.idea}
      schema: {type: object, properties: {title: {type: string}, list: {type: array, items: {type: string}}}}
  - id: draw
    each: ${steps.think.data.list}
    parallel: 2
    most: 5
    generate:
      model: stele/canvas
      mode: text_to_image
      with: {prompt: "${item}", seed: "${index}", n: 1}
  - id: got
    when: ${inputs.count > 2}
    timeout: 10s
    optional: true
    file: {fetch: "https://example.com/${inputs.idea}.png", media: image}
  - id: sheet
    after: [got]
    file: {compose: "${map(steps.draw, .image)}", layout: row, gap: 4, format: png}
result:
  images: ${steps.sheet.image}
  texts: ["${steps.think.text}"]
  data: {title: "${steps.think.data.title}"}
`

func TestARightFileIsRead(t *testing.T) {
	t.Parallel()
	r, err := Read("right.yaml", []byte(right))
	if err == nil {
		err = r.Check(studio(t))
	}
	if err != nil {
		t.Fatal(err)
	}
	if r.Version != 2 || len(r.order) != 4 || r.Name != "Right" {
		t.Errorf("%+v", r)
	}
}

// TestWrongFilesAreRefusedWithPlaceAndReason changes one thing at a time.
func TestWrongFilesAreRefusedWithPlaceAndReason(t *testing.T) {
	t.Parallel()
	models := studio(t)
	for _, c := range []struct{ old, wrong, want string }{
		// The head.
		{"app: right\n", "app: Right One\n", "1:6: app: an app's id is up to 64"},
		{"app: right\n", "app: -right\n", "1:6: app: an app's id is up to 64"},
		{"app: right\n", "appp: right\n", `1:1: unknown field "appp"`},
		{"name: Right\n", "name: [Right]\n", "2:1: name: expected text"},
		{"version: 2\n", "version: 0\n", "3:10: version: must be 1 or more"},
		{"version: 2\n", "version: two\n", "3:10: version: "},
		{"media_type: image\n", "media_type: picture\n", `4:13: media_type: "picture" is not one of`},
		{"media_type: image\n", "media_typ: image\n", `4:1: unknown field "media_typ"; did you mean "media_type"?`},
		{"deadline: 5m\n", "deadline: -5m\n", "5:11: deadline: "},
		{"deadline: 5m\n", "deadline: soon\n", "5:11: deadline: "},
		// Inputs.
		{"name: idea, type: string", "name: Idea, type: string", "7:12: inputs[0].name: a parameter's name is in lower case"},
		{"name: idea, type: string", "name: idea, type: text", "7:24: inputs[0].type: "},
		{"name: count,", "name: idea,", `8:12: inputs[1].name: "idea" is here twice`},
		{"name: count,", "name: dry_run,", `8:12: inputs[1].name: "dry_run" is reserved for the request itself`},
		{"name: count,", "name: webhook_url,", `8:12: inputs[1].name: "webhook_url" is reserved`},
		{"default: 3,", "default: 30,", "8:43: inputs[1].default: is out of the parameter's own bounds"},
		{"default: 3,", "default: three,", "8:43: inputs[1].default: is not an integer"},
		{"min: 1, max: 9", "min: 10, max: 9", "8:51: inputs[1].min: is above max"},
		{"media: image}\nsteps", "media: picture}\nsteps", `9:40: inputs[2].media: "picture" is not one of`},
		{"type: array, media", "type: integer, media", "9:42: inputs[2].media: files are given as a string or an array of strings"},
		{"type: string, required: true", "type: string, requird: true", `7:32: unknown field "requird" in inputs[0]; did you mean "required"?`},
		{"type: string, required: true", "type: string, media: image, default: x", "inputs[0].default: a file has no default"},
		// Steps.
		{"id: think", "id: Think", "11:9: steps[0].id: a step's id is in lower case"},
		{"id: think", "id: think-first", "11:9: steps[0].id: a step's id is in lower case"},
		{"id: draw", "id: think", `17:9: steps[1].id: "think" is here twice`},
		{"retries: 1", "retries: 9", "12:14: steps[0].retries: must be from 0 to 5"},
		{"retries: 1", "retries: -1", "12:14: steps[0].retries: must be from 0 to 5"},
		{"retries: 1", "parallel: 2", "12:15: steps[0].parallel: has no meaning without each"},
		{"retries: 1", "most: 2", "12:11: steps[0].most: has no meaning without each"},
		{"retries: 1", "file: {fetch: x}", "steps[0]: a step is exactly one of chat, generate and file"},
		{"retries: 1", "retry: 1", `12:5: unknown field "retry" in steps[0]`},
		{"parallel: 2", "parallel: 0", "19:15: steps[1].parallel: must be from 1 to 16"},
		{"most: 5", "most: 1000", "20:11: steps[1].most: must be from 1 to 100"},
		{"timeout: 10s", "timeout: 0s", "27:14: steps[2].timeout: must be more than 0"},
		{"after: [got]", "after: [gott]", `31:13: steps[3].after[0]: there is no step "gott"; did you mean "got"?`},
		{"after: [got]", "after: [sheet]", "steps[3]: sheet waits for itself"},
		{"retries: 1", "after: [draw]", "wait for each other"},
		// Chats.
		{"model: stele/sandbox", "model: ''", "14:14: steps[0].chat.model: names a model"},
		{"prompt: Think of ${inputs.idea}", "prompt: ''", "15:15: steps[0].chat.prompt: is missing"},
		{"prompt: Think of ${inputs.idea}", "promt: Think", `15:7: unknown field "promt" in steps[0].chat; did you mean "prompt"?`},
		{"schema: {type: object,", "schema: {type: thing,", "16:7: steps[0].chat.schema: is no JSON Schema"},
		{"schema: {type: object, properties: {title", "temperature: 3\n      schema: {type: object, properties: {title", "16:20: steps[0].chat.temperature: must be from 0 to 2"},
		{"schema: {type: object, properties: {title", "max_tokens: 0\n      schema: {type: object, properties: {title", "16:19: steps[0].chat.max_tokens: must be 1 or more"},
		// Expressions: names, types, form.
		{"Think of ${inputs.idea}", "Think of ${inputs.ideas}", `15:15: steps[0].chat.prompt: ${inputs.ideas}: character`},
		{"Think of ${inputs.idea}", "Think of ${input.idea}", `unknown name input; did you mean "inputs"?`},
		{"Think of ${inputs.idea}", "Think of ${inputs.idea", "15:15: steps[0].chat.prompt: ${ is never closed by }"},
		{"Think of ${inputs.idea}", "Think of ${inputs.idea +}", "15:15: steps[0].chat.prompt: ${inputs.idea +}: character"},
		{"Think of ${inputs.idea}", "Think of ${inputs.photos}", "is a list or an object and cannot stand inside a text"},
		{"Think of ${inputs.idea}", "Think of ${item}", "unknown name item"},
		{"Think of ${inputs.idea}", "Think of ${now()}", "15:15: steps[0].chat.prompt: ${now()}: character"},
		{"Think of ${inputs.idea}", "Think of ${inputs.idea + 1}", "15:15: steps[0].chat.prompt: ${inputs.idea + 1}: character"},
		{"Think of ${inputs.idea}", "Think of ${steps}", "steps is followed by the id of a step"},
		{"each: ${steps.think.data.list}", "each: ${steps.think.data.title}", "18:11: steps[1].each: must be a list"},
		{"each: ${steps.think.data.list}", "each: ${steps.think.data.lists}", `there is no lists here`},
		{"each: ${steps.think.data.list}", "each: ${steps.thing.data.list}", `there is no thing here; did you mean "think"?`},
		{"each: ${steps.think.data.list}", "each: hello", "18:11: steps[1].each: must be a list"},
		{"when: ${inputs.count > 2}", "when: ${inputs.count}", "26:11: steps[2].when: must be true or false"},
		{"when: ${inputs.count > 2}", "when: ${inputs.idea > 2}", "26:11: steps[2].when: ${inputs.idea > 2}: character"},
		// Generations, against the models there are.
		{"model: stele/canvas", "model: stele/canvass", `22:14: steps[1].generate.model: the media model "stele/canvass" is not offered here`},
		{"mode: text_to_image", "mode: text_to_picture", `23:13: steps[1].generate.mode: stele/canvas has no mode "text_to_picture"`},
		{"mode: text_to_image", "mode: image_to_image", "24:7: steps[1].generate.with: image_urls is missing"},
		{"mode: text_to_image\n", "\n", "steps[1].generate.mode: is missing: stele/canvas has"},
		{`{prompt: "${item}", seed`, `{seed`, "24:7: steps[1].generate.with: prompt is missing"},
		{"n: 1}", "n: 9}", "24:54: steps[1].generate.with.n: n takes a whole number from 1 to 4."},
		{"n: 1}", "m: 1}", "24:54: steps[1].generate.with.m: stele/canvas takes no m in mode text_to_image"},
		{"n: 1}", "n: many}", "24:54: steps[1].generate.with.n: n takes a whole number"},
		{"n: 1}", `n: "${inputs.idea}"}`, "24:54: steps[1].generate.with.n: must be an integer"},
		{"n: 1}", "dry_run: true}", "24:60: steps[1].generate.with.dry_run: is not a field of the model"},
		// Files.
		{`media: image}
  - id: sheet`, `media: text}
  - id: sheet`, `steps[2].file.media: "text" is not one of`},
		{"layout: row", "layout: circle", `steps[3].file.layout: "circle" is not one of`},
		{"format: png", "format: gif", `steps[3].file.format: "gif" is not one of`},
		{"{compose:", "{convert:", "steps[3].file.layout: has no meaning here"},
		{"{compose:", "{fetch: x, compose:", "steps[3].file: is exactly one of fetch, convert and compose"},
		// The result.
		{"images: ${steps.sheet.image}", "images: ${steps.sheet.width}", "34:11: result.images: must be a file or a list of files"},
		{"images: ${steps.sheet.image}", "images: ${steps.sheets.image}", `34:11: result.images: ${steps.sheets.image}: character`},
		{`texts: ["${steps.think.text}"]`, `texts: 5`, "35:10: result.texts: must be a text or a list of texts"},
		{`texts: ["${steps.think.text}"]`, `text: x`, `35:3: unknown field "text" in result; did you mean "texts"?`},
		// The form.
		{"media_type: image\n", "media_type: image\nmedia_type: image\n", "5:1: "},
		{"media_type: image\n", "media_type: *image\n", "4:13: "},
		{"inputs:\n", "inputs: {\n", "not valid YAML"},
	} {
		if strings.Count(right, c.old) < 1 {
			t.Errorf("%q is not in the right file", c.old)
			continue
		}
		src := strings.Replace(right, c.old, c.wrong, 1)
		r, err := Read("wrong.yaml", []byte(src))
		if err == nil {
			err = r.Check(models)
		}
		if err == nil {
			t.Errorf("%q is accepted", c.wrong)
			continue
		}
		if !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "wrong.yaml:") {
			t.Errorf("%q:\n%v\nwant %s", c.wrong, err, c.want)
		}
	}
	for _, c := range []struct{ src, want string }{
		{"", "an app needs at least one step"},
		{"app: x\nmedia_type: image\nresult: {texts: x}\n", "steps: an app needs at least one step"},
		{"app: x\nmedia_type: image\nsteps: [{id: a, file: {fetch: x}}]\n", "result: an app needs a result"},
		{"app: x\nmedia_type: image\nsteps: [{id: a}]\nresult: {texts: x}\n", "3:9: steps[0]: a step is exactly one of chat, generate and file"},
		{"- app: x\n", "1:1: "},
	} {
		if _, err := Read("wrong.yaml", []byte(c.src)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q:\n%v\nwant %s", c.src, err, c.want)
		}
	}
}
