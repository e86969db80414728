package media

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stele/internal/manifest"
)

// read reads a file of testdata that must be right.
func read(t testing.TB, name string) *Model {
	t.Helper()
	file := filepath.Join("testdata", name)
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Read(file, src)
	if err != nil {
		t.Fatal(err)
	}
	return &m
}

func TestReadsEveryField(t *testing.T) {
	t.Parallel()
	m := read(t, "clip.yaml")
	o := m.Operation("text_to_video")
	if m.Kind != "acme" || m.Provider != "acme-eu" || m.Upstream != "clip-2-260128" || m.Deadline.Hours() != 1 || m.RetiresOn != "2027-11-15" {
		t.Errorf("%+v", m)
	}
	if len(m.Call.Body) != 17 || m.Call.PathBy["frames_to_video"] != "image2video" || m.Call.Tables["pixels"]["16:9|720p"] != "1280:720" {
		t.Errorf("%+v", m.Call)
	}
	if o.Price.Table["720p|true"] != 126_000_000 || o.Limits["prompt"].Length != 2000 || o.Requires[0].Then != "height" {
		t.Errorf("%+v", o)
	}
	if got := strings.Join(o.fields(), " "); got != "prompt duration resolution generate_audio aspect_ratio width height seed strength tags points title" {
		t.Errorf("fields in the order of the file: %s", got)
	}
	// Defaults have the types that makers see.
	if d := o.Parameter("duration").Default; d != int64(5) {
		t.Errorf("%T", d)
	}
	if d := m.Operation("reference_to_video").Parameter("duration").Default; d != 2.5 {
		t.Errorf("%T", d)
	}
	if m := read(t, "minimal.yaml"); m.Name != "acme/paint" {
		t.Errorf("a model without a name is called by its id: %q", m.Name)
	}
	if m.Operation("nonsense") != nil || o.Parameter("nonsense") != nil {
		t.Error("found what is not there")
	}
}

// TestSaysWhatIsWrongAndWhere changes a file that is right in one place each time.
func TestSaysWhatIsWrongAndWhere(t *testing.T) {
	t.Parallel()
	clip, err := os.ReadFile("testdata/clip.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct{ old, new, want string }{
		"no id":               {"model: acme/clip-2", "model: a clip", `f:2:8: model: a model id`},
		"media type":          {"media_type: video", "media_type: film", `f:4:13: media_type: "film" is not one of`},
		"no kind":             {"kind: acme\n", "", `f:2:1: kind: names the kind of provider`},
		"a bad kind":          {"kind: acme\n", "kind: Acme Corp\n", `f:6:7: kind: names the kind of provider`},
		"unknown field":       {"upstream: clip-2-260128", "upstraem: x", `f:8:1: unknown field "upstraem"; did you mean "upstream"?`},
		"date":                {"checked_on: 2026-11-15", "checked_on: 15.11.2026", `f:9:13: checked_on: expected a date`},
		"no such date":        {"retires_on: 2027-11-15", "retires_on: 2027-02-30", `f:10:13: retires_on: expected a date`},
		"deadline":            {"deadline: 1h", "deadline: -1h", `f:11:11: deadline: must be more than 0`},
		"mode":                {"- mode: text_to_video", "- mode: Text-To-Video", `operations[0].mode: a mode is a name in lower case`},
		"mode twice":          {"- mode: frames_to_video", "- mode: text_to_video", `operations[1].mode: "text_to_video" is here twice`},
		"input":               {"required: [prompt]", "required: [promt]", `operations[0].input.required[0]: "promt" is not one of`},
		"required, optional":  {"optional: [prompt, end_frame]", "optional: [start_frame, end_frame]", `operations[1].input.optional[0]: "start_frame" is here twice`},
		"limits of what":      {"prompt: {max_length: 2000}", "video_urls: {max_items: 2}", `operations[0].limits.video_urls: the operation's input has no "video_urls"`},
		"limits and kind":     {"prompt: {max_length: 2000}", "prompt: {max_mb: 2}", `operations[0].limits.prompt.max_mb: has no meaning for prompt`},
		"items of one":        {"{max_mb: 10, formats", "{max_items: 10, formats", `operations[1].limits.start_frame.max_items: has no meaning for start_frame`},
		"limit of nothing":    {"max_mb: 10", "max_mb: 0", `operations[1].limits.start_frame.max_mb: must be more than 0`},
		"foreign format":      {"formats: [image/png", "formats: [video/mp4", `operations[1].limits.start_frame.formats[0]: "video/mp4" is not a content type of this kind`},
		"no format":           {"formats: [image/png", "formats: [png", `operations[1].limits.start_frame.formats[0]: "png" is not a content type`},
		"forms":               {"forms: [url, base64]", "forms: [url, hex]", `operations[1].limits.start_frame.forms[1]: "hex" is not one of`},
		"one group":           {"[[aspect_ratio], [width, height]]", "[[width, height]]", `operations[0].exclusive: one group excludes nothing`},
		"empty group":         {"[[aspect_ratio], [width, height]]", "[[aspect_ratio], []]", `operations[0].exclusive[1]: a group needs`},
		"unknown in group":    {"[[aspect_ratio], [width, height]]", "[[aspect_ratoi], [width, height]]", `operations[0].exclusive[0][0]: "aspect_ratoi" is not one of`},
		"twice in groups":     {"[[aspect_ratio], [width, height]]", "[[width], [width, height]]", `operations[0].exclusive[1][0]: "width" is here twice`},
		"two defaults":        {"[[aspect_ratio], [width, height]]", "[[aspect_ratio], [width, height, strength]]", `operations[0].exclusive[1][2]: has a default, as a field`},
		"two required":        {"[[video_urls], [audio_urls]]", "[[prompt], [voice]]", `operations[2].exclusive[1][0]: is required, as a field`},
		"requires unknown":    {"{if: width, then: height}", "{if: width, then: hight}", `operations[0].requires[0].then: "hight" is not one of`},
		"requires if unknown": {"{if: width, then: height}", "{if: wide, then: height}", `operations[0].requires[0].if: "wide" is not one of`},
		"requires itself":     {"{if: width, then: height}", "{if: width, then: width}", `operations[0].requires[0].then: a field does not require itself`},
		"default requires":    {"{if: width, then: height}", "{if: resolution, then: title}", `operations[0].requires[0].if: "resolution" has a default`},
		"requires exclusive":  {"{if: width, then: height}", "{if: width, then: aspect_ratio}", `"width" and "aspect_ratio" are in exclusive groups`},
		"parameter name":      {"name: title", "name: Title", `operations[0].parameters[10].name: a parameter's name`},
		"parameter twice":     {"name: title", "name: seed", `operations[0].parameters[10].name: "seed" is here twice`},
		"reserved":            {"name: title", "name: dry_run", `operations[0].parameters[10].name: "dry_run" is a field of the request itself`},
		"internal":            {"name: title", "name: scene", `operations[0].parameters[10].name: "scene" is a field of the request itself`},
		"parameter type":      {"name: title, type: string", "name: title, type: text", `operations[0].parameters[10].type: "text" is not one of`},
		"element type":        {"items: integer", "items: array", `operations[0].parameters[9].items: "array" is not one of`},
		"items of no array":   {"name: title, type: string,", "name: title, type: string, items: string,", `parameters[10].items: has no meaning for a string`},
		"length of a number":  {"type: integer, min: 0}", "type: integer, max_length: 3}", `parameters[6].max_length: has no meaning for an integer`},
		"min of a text":       {"name: title, type: string,", "name: title, type: string, min: 1,", `parameters[10].min: has no meaning for a string`},
		"half an integer":     {"default: 5, min: 3, max: 15, step: 1", "default: 5, min: 3, max: 15.5", `parameters[0].max: must be a whole number`},
		"min above max":       {"default: 5, min: 3", "default: 5, min: 30", `parameters[0].min: is above max`},
		"no step":             {"max: 1, step: 0.05", "max: 1, step: 0", `parameters[7].step: must be more than 0`},
		"beside the step":     {"default: 0.5, min: 0", "default: 0.52, min: 0", `parameters[7].default: is out of the parameter's own bounds`},
		"no values":           {"enum: [anna, ben]", "enum: []", `operations[2].parameters[0].enum: needs at least one value`},
		"value type":          {"enum: [anna, ben]", "enum: [anna, 5]", `operations[2].parameters[0].enum[1]: is not a string`},
		"value twice":         {"enum: [anna, ben]", "enum: [anna, anna]", `operations[2].parameters[0].enum[1]: anna is here twice`},
		"value out of bounds": {"default: 1, min: 1, max: 4", "default: 1, min: 1, max: 4, enum: [1, 5]", `operations[2].parameters[1].enum[1]: is out of`},
		"default type":        {"default: 5, min: 3", "default: five, min: 3", `operations[0].parameters[0].default: is not an integer`},
		"default list":        {"default: [a]", "default: a", `operations[0].parameters[8].default: is not an array`},
		"default not listed":  {"default: 720p, enum: [720p]", "default: 1080p, enum: [720p]", `operations[1].parameters[1].default: is not one of enum`},
		"default of required": {"required: true, enum", "required: true, default: anna, enum", `operations[2].parameters[0].default: is never used`},
		"unit":                {"per: second\n", "per: seconds\n", `operations[0].price.per: "seconds" is not one of`},
		"nothing to count":    {"price: {usd: 0.1, per: second}", "price: {usd: 0.1, per: second, of: length}", `operations[2].price.of: the operation has no parameter "length"`},
		"counts a text":       {"price: {usd: 0.1, per: second}", "price: {usd: 0.1, per: second, of: voice}", `operations[2].price.of: the parameter "voice" is no number`},
		"counts a guess":      {"type: number, default: 2.5, min: 0.5", "type: number, min: 0.5", `operations[2].price.per: the parameter "duration" needs a default`},
		"counts no letters":   {"price: {usd: 0.1, per: second}", "price: {usd: 0.1, per: character, of: n}", `operations[2].price.of: the operation has no text "n"`},
		"counts no images":    {"price: {usd: 0.1, per: second}", "price: {usd: 0.1, per: image, of: voice}", `operations[2].price.of: the operation has no parameter "voice"`},
		"counts nothing":      {"price: {usd: 0.1, per: second}", "price: {usd: 0.1, of: n}", `operations[2].price.of: has no meaning here`},
		"first of one":        {"price: {usd: 0.07, per: second, first: 0.1}", "price: {usd: 0.07, per: image, first: 0.1}", `operations[1].price.first: has no meaning`},
		"no amount":           {"price: {usd: 0.1, per: second}", "price: {per: second}", `operations[2].price.usd: is missing`},
		"bad amount":          {"price: {usd: 0.1, per: second}", "price: {usd: -0.1}", `operations[2].price.usd: expected an amount in USD`},
		"too fine an amount":  {"price: {usd: 0.1, per: second}", "price: {usd: 0.0000000001}", `operations[2].price.usd: an amount has at most nine decimals`},
		"by without table":    {"price: {usd: 0.1, per: second}", "price: {usd: 0.1, by: [voice]}", `operations[2].price: by and table belong together`},
		"by unknown":          {"by: [resolution, generate_audio]", "by: [resolution, generate_sound]", `operations[0].price.by[1]: "generate_sound" is not one of`},
		"row too short":       {`"720p|true": 0.126`, `"720p": 0.126`, `operations[0].price.table.720p: expected a value of resolution, then`},
		"row of no value":     {`"720p|true": 0.126`, `"72p|true": 0.126`, `"72p" is no value of resolution; did you mean "720p"?`},
		"row missing":         {`"720p|true": 0.126, `, ``, `operations[0].price.table: has no row "720p|true"`},
		"by an open one":      {"price: {usd: 0.1, per: second}", "price: {by: [duration], table: {'5': 0.1}}", `operations[2].price.usd: is missing: the table cannot`},
		"call without name":   {"operation: acme/task\n  ", "", `call.operation: names the provider's operation`},
		"path of no mode":     {"{text_to_video: text2video,", "{txt_to_video: text2video,", `call.path_by_mode.txt_to_video: "txt_to_video" is not one of`},
		"graph elsewhere":     {"graph_file: clip.api.json", "graph_file: ../clip.api.json", `call.graph_file: is the name of a file beside`},
		"no place":            {"to: watermark", "to: water..mark", `call.body[13].to: expected a place`},
		"no value":            {"{to: watermark, value: false}", "{to: watermark}", `call.body[13].value: is missing`},
		"no rule":             {"{to: watermark, value: false}", "{when: seed}", `call.body[13].to: expected a place`},
		"two forms":           {"{to: watermark, value: false}", "{to: watermark, value: 1, table: pixels, keys: [seed]}", `call.body[13].value: has no meaning beside to`},
		"copy and to":         {"{copy: {seed: seed,", "{to: x, copy: {seed: seed,", `call.body[5].to: has no meaning beside copy`},
		"copy unknown":        {"{copy: {seed: seed,", "{copy: {seed: sede,", `call.body[5].copy.seed: there is no "sede" here; did you mean "seed"?`},
		"unknown parameter":   {"text: $prompt", "text: $promt", `call.body[1].value.text: there is no "promt" here; did you mean "prompt"?`},
		"of another one":      {"value: $end_frame", "value: $generate_audio", `operations[1].body[0].value: there is no "generate_audio" here`},
		"item of nothing":     {"value: $upstream", "value: $item", `call.body[0].value: $item is the element of each or spread`},
		"part of a text":      {"text: $prompt", "text: $prompt.base64", `call.body[1].value.text: $prompt is no file`},
		"no such part":        {"$item.mime", "$item.size", `call.body[3].value.mime: "size" is not one of`},
		"index of one":        {"image_url: {url: $start_frame}", "image_url: {url: '$start_frame[0]'}", `$start_frame is no list`},
		"no such filter":      {"$duration|str", "$duration|string", `call.body[6].value: the filter "string" is not one of`},
		"suffix of nothing":   {"|suffix:s", "|suffix", `call.body[7].value: the filter suffix takes a text`},
		"frames of nothing":   {"|frames:24", "|frames", `call.body[8].value: the filter frames takes a number`},
		"filter with more":    {"$duration|str", "$duration|str:5", `call.body[6].value: the filter str takes nothing`},
		"no reference":        {"value: $upstream", "value: $Upstream", `call.body[0].value: expected a reference such as`},
		"each of one":         {"each: image_urls", "each: start_frame", `call.body[3].each: "start_frame" is no list`},
		"spread of one":       {"spread: image_urls", "spread: prompt", `call.body[16].spread: "prompt" is no list`},
		"spread to nowhere":   {`keys: [input_image, input_image_2, "more[0].url"]`, `keys: []`, `call.body[16].keys: needs the places`},
		"map of no value":     {"map: {720p: std", "map: {72p: std", `call.body[9].map.72p: "72p" is not one of`},
		"map of much":         {"value: $resolution, map", "value: [$resolution], map", `call.body[9].map: needs a value that is one reference`},
		"no table":            {"table: pixels, keys", "table: pixel, keys", `call.body[11].table: "pixel" is not one of [pixels]; did you mean "pixels"?`},
		"no keys":             {"table: pixels, keys: [aspect_ratio, resolution]", "table: pixels", `call.body[11].keys: needs the parameters`},
		"row of a table":      {`"16:9|720p": "1280:720"`, `"16:9|729p": "1280:720"`, `call.tables.pixels.16:9|729p: "729p" is no value of resolution`},
		"else of nothing":     {"{to: watermark, value: false}", "{to: watermark, value: false, else: true}", `call.body[13].else: has no meaning beside to`},
		"when unknown":        {"when: start_frame", "when: frame", `call.body[2].when: there is no "frame" here`},
		"when of a list":      {"when: start_frame", "when: [start_frame]", `call.body[2].when: expected a field, or fields`},
		"when in no mode":     {"when: {mode: text_to_video}", "when: {mode: text_to_film}", `call.body[12].when.mode: "text_to_film" is not one of`},
		"unless no value":     {`unless: {aspect_ratio: "9:16"}`, `unless: {aspect_ratio: "9:17"}`, `call.body[12].unless.aspect_ratio: "9:17" is not one of`},
		"unless much":         {`unless: {aspect_ratio: "9:16"}`, `unless: {aspect_ratio: ["9:16"]}`, `call.body[12].unless.aspect_ratio: expected one value`},
		"no graph":            {"  graph_file: clip.api.json\n", "", `call.body[15].value: there is no graph_file`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(string(clip), row.old, row.new, 1)
			if text == string(clip) {
				t.Fatalf("the file has no %q", row.old)
			}
			_, err := Read("f", []byte(text))
			problems, ok := errors.AsType[manifest.Problems](err)
			if !ok || !strings.Contains(err.Error(), row.want) {
				t.Fatalf("got  %v\nwant %s", err, row.want)
			}
			for _, p := range problems {
				if p.Line == 0 || p.Column == 0 {
					t.Errorf("no place: %s", p)
				}
			}
		})
	}
}

func TestAModelNeedsAnOperation(t *testing.T) {
	t.Parallel()
	_, err := Read("f", []byte("model: a\nmedia_type: image\nkind: acme\n"))
	if err == nil || !strings.Contains(err.Error(), "operations: a model needs at least one operation") {
		t.Error(err)
	}
	if _, err := Read("f", nil); err == nil {
		t.Error("an empty file is a model")
	}
}

func TestAModelOfAKindNobodyServesIsRefused(t *testing.T) {
	t.Parallel()
	src := []byte("model: a\nmedia_type: image\nkind: replicat\noperations: [{mode: text_to_image}]\n")
	_, err := ReadFor([]string{"studio", "replicate"})("f", src)
	if want := `f:3:7: kind: "replicat" is not one of [studio replicate]; did you mean "replicate"?`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if _, err := ReadFor([]string{"replicat"})("f", src); err != nil {
		t.Error(err)
	}
}
