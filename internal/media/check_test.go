package media

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"stele/internal/fault"
)

// parseBody reads a request as its client sends it.
func parseBody(body []byte) (Ask, error) {
	fields, err := Fields(body)
	if err != nil {
		return Ask{}, err
	}
	return Parse(fields)
}

// ask runs a body through everything a request goes through.
func ask(m *Model, body string) (*Operation, map[string]any, error) {
	a, err := parseBody([]byte(body))
	if err != nil {
		return nil, nil, err
	}
	o, err := m.Infer(&a)
	if err != nil {
		return nil, nil, err
	}
	values, err := o.Check(&a)
	return o, values, err
}

// TestTellsWhatIsWrongWithARequest holds the codes of the contract, their details
// and the order in which they are told.
func TestTellsWhatIsWrongWithARequest(t *testing.T) {
	t.Parallel()
	m := read(t, "clip.yaml")
	for _, row := range []struct {
		body    string
		code    fault.Code
		field   any
		details string // JSON, where it matters
	}{
		{``, fault.InvalidRequestBody, nil, ``},
		{`{`, fault.InvalidRequestBody, nil, ``},
		{`null`, fault.InvalidRequestBody, nil, ``},
		{`"text"`, fault.InvalidRequestBody, nil, ``},
		{`[1]`, fault.InvalidRequestBody, nil, ``},
		{`{} {}`, fault.InvalidRequestBody, nil, ``},
		{`{"model":"a","model":"b"}`, fault.InvalidRequestBody, nil, ``},
		{`{"model":"a","x":{"y":1,"y":2}}`, fault.InvalidRequestBody, nil, ``},
		{"{\"model\":\"\xff\"}", fault.InvalidRequestBody, nil, ``},
		{`[]`, fault.MissingParameter, "model", ``},
		{`{}`, fault.MissingParameter, "model", ``},
		{`{"model":null}`, fault.MissingParameter, "model", ``},
		{`{"model":" "}`, fault.MissingParameter, "model", ``},

		{`{"input":{},"model":5}`, fault.UnsupportedField, "input", ``},
		{`{"model":"m","options":{}}`, fault.UnsupportedField, "options", ``},
		{`{"model":"m","mediaType":"image"}`, fault.UnsupportedField, "mediaType", ``},
		{`{"model":"m","subModeId":1}`, fault.UnsupportedField, "subModeId", ``},
		{`{"model":"m","images":[]}`, fault.UnsupportedField, "images", ``},

		{`{"model":5}`, fault.InvalidRequestBody, "model", ``},
		{`{"model":"m","mode":[]}`, fault.InvalidRequestBody, "mode", ``},
		{`{"model":"m","prompt":5}`, fault.InvalidRequestBody, "prompt", ``},
		{`{"model":"m","prompt":"a\u0000b"}`, fault.InvalidRequestBody, "prompt", ``},
		{`{"model":"m","image_urls":"https://x"}`, fault.InvalidRequestBody, "image_urls", ``},
		{`{"model":"m","image_urls":["https://x",null]}`, fault.InvalidRequestBody, "image_urls", ``},
		{`{"model":"m","image_urls":{}}`, fault.InvalidRequestBody, "image_urls", ``},
		{`{"model":"m","start_frame":["https://x"]}`, fault.InvalidRequestBody, "start_frame", ``},
		{`{"model":"m","is_public":"yes"}`, fault.InvalidRequestBody, "is_public", ``},
		{`{"model":"m","copy_protected":1}`, fault.InvalidRequestBody, "copy_protected", ``},
		{`{"model":"m","dry_run":"true"}`, fault.InvalidRequestBody, "dry_run", ``},
		{`{"model":"m","webhook_url":5}`, fault.InvalidRequestBody, "webhook_url", ``},
		{`{"model":"m","webhook_url":"ftp://x"}`, fault.InvalidParameter, "webhook_url", `{"allowed":"https://…","field":"webhook_url","got":"ftp://x"}`},
		{`{"model":"m","webhook_url":"https://"}`, fault.InvalidParameter, "webhook_url", ``},
		{`{"model":"m","webhook_url":"https://u:p@x"}`, fault.InvalidParameter, "webhook_url", ``},
		{`{"model":"m","webhook_url":"not a url"}`, fault.InvalidParameter, "webhook_url", ``},
		{`{"prompt":5,"webhook_url":"ftp://x"}`, fault.InvalidRequestBody, "prompt", ``},
		{`{"webhook_url":"ftp://x"}`, fault.MissingParameter, "model", ``},

		{`{"model":"m","mode":"text_to_film","prompt":"x"}`, fault.ModeNotSupported, "mode",
			`{"field":"mode","got":"text_to_film","modes":["text_to_video","frames_to_video","reference_to_video"]}`},
		{`{"model":"m"}`, fault.UnsupportedInput, nil, `{"given":[],"modes":["text_to_video","frames_to_video","reference_to_video"]}`},
		{`{"model":"m","prompt":"  "}`, fault.UnsupportedInput, nil, ``},
		{`{"model":"m","image_urls":["a"]}`, fault.UnsupportedInput, nil, ``},
		{`{"model":"m","end_frame":"a"}`, fault.UnsupportedInput, nil, ``},
		{`{"model":"m","prompt":"x","start_frame":"a","image_urls":["a"]}`, fault.UnsupportedInput, nil,
			`{"given":["prompt","image_urls","start_frame"],"modes":["text_to_video","frames_to_video","reference_to_video"]}`},

		{`{"model":"m","mode":"text_to_video","image_urls":["a"]}`, fault.UnsupportedParameter, "image_urls",
			`{"allowed":["prompt","duration","resolution","generate_audio","aspect_ratio","width","height","seed","strength","tags","points","title"],"field":"image_urls"}`},
		{`{"model":"m","prompt":"x","colour":"red","apple":1}`, fault.UnsupportedParameter, "apple", ``},
		{`{"model":"m","prompt":"x","voice":"anna"}`, fault.UnsupportedParameter, "voice", ``},
		{`{"model":"m","mode":"text_to_video"}`, fault.MissingParameter, "prompt", ``},
		{`{"model":"m","mode":"text_to_video","duration":99}`, fault.MissingParameter, "prompt", ``},
		{`{"model":"m","mode":"reference_to_video","prompt":"x","image_urls":[]}`, fault.MissingParameter, "image_urls", ``},
		{`{"model":"m","prompt":"x","image_urls":["a"]}`, fault.MissingParameter, "voice", ``},
		{`{"model":"m","prompt":"x","image_urls":["a"],"voice":""}`, fault.MissingParameter, "voice", ``},
		{`{"model":"m","prompt":"x","image_urls":["a"],"voice":null,"n":9}`, fault.MissingParameter, "voice", ``},

		{`{"model":"m","prompt":"x","duration":2}`, fault.InvalidParameter, "duration", `{"allowed":{"max":15,"min":3,"step":1,"type":"integer"},"field":"duration","got":2}`},
		{`{"model":"m","prompt":"x","duration":5.5}`, fault.InvalidParameter, "duration", ``},
		{`{"model":"m","prompt":"x","duration":"5"}`, fault.InvalidParameter, "duration", ``},
		{`{"model":"m","prompt":"x","duration":[5]}`, fault.InvalidParameter, "duration", `{"allowed":{"max":15,"min":3,"step":1,"type":"integer"},"field":"duration","got":"a list"}`},
		{`{"model":"m","prompt":"x","duration":{"a":1}}`, fault.InvalidParameter, "duration", ``},
		{`{"model":"m","prompt":"x","duration":1e999}`, fault.InvalidParameter, "duration", ``},
		{`{"model":"m","prompt":"x","seed":9223372036854775808}`, fault.InvalidParameter, "seed", ``},
		{`{"model":"m","prompt":"x","seed":-1}`, fault.InvalidParameter, "seed", ``},
		{`{"model":"m","prompt":"x","resolution":"4k"}`, fault.InvalidParameter, "resolution", `{"allowed":["720p","1080p"],"field":"resolution","got":"4k"}`},
		{`{"model":"m","prompt":"x","resolution":720}`, fault.InvalidParameter, "resolution", ``},
		{`{"model":"m","prompt":"x","generate_audio":"true"}`, fault.InvalidParameter, "generate_audio", `{"allowed":{"type":"boolean"},"field":"generate_audio","got":"true"}`},
		{`{"model":"m","prompt":"x","generate_audio":1}`, fault.InvalidParameter, "generate_audio", ``},
		{`{"model":"m","prompt":"x","strength":0.33}`, fault.InvalidParameter, "strength", ``},
		{`{"model":"m","prompt":"x","strength":1.05}`, fault.InvalidParameter, "strength", ``},
		{`{"model":"m","prompt":"x","width":100,"height":128}`, fault.InvalidParameter, "width", ``},
		{`{"model":"m","prompt":"x","tags":"a"}`, fault.InvalidParameter, "tags", `{"allowed":{"items":"string","max_items":3,"max_length":10,"type":"array"},"field":"tags","got":"a"}`},
		{`{"model":"m","prompt":"x","tags":["a","b","c","d"]}`, fault.InvalidParameter, "tags", ``},
		{`{"model":"m","prompt":"x","tags":["a",5]}`, fault.InvalidParameter, "tags", ``},
		{`{"model":"m","prompt":"x","tags":["a",null]}`, fault.InvalidParameter, "tags", ``},
		{`{"model":"m","prompt":"x","tags":["01234567890"]}`, fault.InvalidParameter, "tags", ``},
		{`{"model":"m","prompt":"x","points":[1,101]}`, fault.InvalidParameter, "points", `{"allowed":{"items":"integer","max":100,"max_items":64,"min":0,"type":"array"},"field":"points","got":101}`},
		{`{"model":"m","prompt":"x","title":"` + strings.Repeat("ü", 21) + `"}`, fault.InvalidParameter, "title", ``},
		{`{"model":"m","prompt":"x","title":"a\u0000"}`, fault.InvalidParameter, "title", ``},
		{`{"model":"m","prompt":"x","title":"` + strings.Repeat("x", 999) + `"}`, fault.InvalidParameter, "title",
			`{"allowed":{"max_length":20,"type":"string"},"field":"title","got":"` + strings.Repeat("x", 200) + `…"}`},
		{`{"model":"m","prompt":"x","resolution":"4k","duration":99}`, fault.InvalidParameter, "duration", ``}, // in the order of the file
		{`{"model":"m","prompt":"` + strings.Repeat("ü", 2001) + `"}`, fault.InvalidParameter, "prompt", `{"allowed":{"max_length":2000},"field":"prompt","got":2001}`},
		{`{"model":"m","prompt":"x","voice":"anna","image_urls":["1","2","3","4","5","6","7","8","9","10"]}`, fault.InvalidParameter, "image_urls",
			`{"allowed":{"max_items":9},"field":"image_urls","got":10}`},

		{`{"model":"m","prompt":"x","aspect_ratio":"9:16","width":64,"height":64}`, fault.InvalidParameter, "width",
			`{"allowed":"one of: aspect_ratio | width, height","field":"width","got":["aspect_ratio","width"]}`},
		{`{"model":"m","prompt":"x","voice":"anna","image_urls":["a"],"video_urls":["b"],"audio_urls":["c"]}`, fault.InvalidParameter, "audio_urls", ``},
		{`{"model":"m","prompt":"x","width":64}`, fault.MissingParameter, "height", ``},
		{`{"model":"m","prompt":"x","height":64}`, fault.MissingParameter, "width", ``},
	} {
		_, _, err := ask(m, row.body)
		e := fault.From(err)
		if e == nil || e.Code != row.code || e.Details["field"] != row.field {
			t.Errorf("%.120s\n got %v %v\nwant %s of %v", row.body, err, e, row.code, row.field)
			continue
		}
		if e.Message == "" || !strings.HasSuffix(e.Message, ".") {
			t.Errorf("%.120s: %q is no sentence", row.body, e.Message)
		}
		details, err := json.Marshal(e.Details, json.Deterministic(true))
		if err != nil || (row.details != "" && string(details) != row.details) {
			t.Errorf("%.120s: %v\n got %s\nwant %s", row.body, err, details, row.details)
		}
	}
}

// TestSaysWhatModesLack reads the sentence for inputs that fit no mode.
func TestSaysWhatModesLack(t *testing.T) {
	t.Parallel()
	m := read(t, "clip.yaml")
	for body, want := range map[string]string{
		`{"model":"m"}`:                                      " What is missing: prompt for text_to_video, or start_frame for frames_to_video, or prompt and image_urls for reference_to_video.",
		`{"model":"m","end_frame":"a"}`:                      " What is missing: start_frame for frames_to_video.",
		`{"model":"m","start_frame":"a","image_urls":["a"]}`: "takes exactly these inputs.",
	} {
		if _, _, err := ask(m, body); err == nil || !strings.HasSuffix(fault.From(err).Message, want) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestFillsInDefaultsAndTypes(t *testing.T) {
	t.Parallel()
	m := read(t, "clip.yaml")
	standard := map[string]any{
		"duration": int64(5), "resolution": "720p", "generate_audio": false, "aspect_ratio": "16:9", "strength": 0.5, "tags": []any{"a"},
	}
	with := func(changes map[string]any) map[string]any {
		all := make(map[string]any)
		for _, from := range []map[string]any{standard, changes} {
			for name, v := range from {
				all[name] = v
				if v == nil {
					delete(all, name)
				}
			}
		}
		return all
	}
	for body, want := range map[string]map[string]any{
		`{"model":"m","prompt":"x"}`:                                                  standard,
		`{"model":"m","prompt":"x","duration":null,"title":null}`:                     standard,
		`{"model":"m","prompt":"x","mode":"","start_frame":"","image_urls":[]}`:       standard,
		`{"model":"m","prompt":"x","duration":5.0}`:                                   standard,
		`{"model":"m","prompt":"x","duration":1e1}`:                                   with(map[string]any{"duration": int64(10)}),
		`{"model":"m","prompt":"x","seed":9223372036854775807}`:                       with(map[string]any{"seed": int64(math.MaxInt64)}),
		`{"model":"m","prompt":"x","seed":9007199254740993.00}`:                       with(map[string]any{"seed": int64(9007199254740993)}),
		`{"model":"m","prompt":"x","strength":1}`:                                     with(map[string]any{"strength": 1.0}),
		`{"model":"m","prompt":"x","strength":0.15}`:                                  with(map[string]any{"strength": 0.15}),
		`{"model":"m","prompt":"x","generate_audio":true,"resolution":"1080p"}`:       with(map[string]any{"generate_audio": true, "resolution": "1080p"}),
		`{"model":"m","prompt":"x","width":128,"height":64}`:                          with(map[string]any{"width": int64(128), "height": int64(64), "aspect_ratio": nil}),
		`{"model":"m","prompt":"x","points":[1,2.0,3e1],"tags":[]}`:                   with(map[string]any{"points": []any{int64(1), int64(2), int64(30)}, "tags": []any{}}),
		`{"model":"m","prompt":"x","title":""}`:                                       with(map[string]any{"title": ""}),
		`{"model":"m","start_frame":"a"}`:                                             {"duration": "5s", "resolution": "720p"},
		`{"model":"m","start_frame":"a","end_frame":"b","prompt":"x"}`:                {"duration": "5s", "resolution": "720p"},
		`{"model":"m","prompt":"x","image_urls":["a"],"voice":"ben"}`:                 {"voice": "ben", "n": int64(1), "duration": 2.5},
		`{"model":"m","mode":"text_to_video","prompt":"x","webhook_url":"http://x/"}`: standard,
	} {
		_, got, err := ask(m, body)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n got %#v %v\nwant %#v", body, got, err, want)
		}
	}
	_, first, err := ask(m, `{"model":"m","prompt":"x"}`)
	if err != nil {
		t.Fatal(err)
	}
	first["tags"].([]any)[0] = "changed"
	if _, again, _ := ask(m, `{"model":"m","prompt":"x"}`); !reflect.DeepEqual(again, standard) {
		t.Errorf("a caller changed the model's default: %v", again)
	}
}

func TestSeparatesTheRequestsOwnFields(t *testing.T) {
	t.Parallel()
	a, err := parseBody([]byte(`{"model":"m","mode":"x","prompt":"p","audio_urls":["c"],"image_urls":["a","b"],"end_frame":"e","start_frame":"s",
		"video_urls":["v"],"is_public":true,"copy_protected":false,"webhook_url":"https://h/","dry_run":true,"seed":5,"gone":null}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Given{{"image_urls", "a"}, {"image_urls", "b"}, {"start_frame", "s"}, {"end_frame", "e"}, {"video_urls", "v"}, {"audio_urls", "c"}}
	if !reflect.DeepEqual(a.Media, want) || a.Model != "m" || a.Mode != "x" || a.Prompt != "p" || !a.Public || a.CopyProtected || !a.DryRun || a.Webhook != "https://h/" {
		t.Errorf("%+v", a)
	}
	if n, ok := wholeNumber(a.Parameters["seed"]); len(a.Parameters) != 1 || !ok || n != 5 {
		t.Errorf("%v", a.Parameters)
	}
	if a, err := parseBody([]byte(`{"model":"m"}`)); err != nil || !a.CopyProtected || a.Public || a.DryRun {
		t.Errorf("%+v %v", a, err)
	}
}

func TestInfersTheModeFromInputsThenParameters(t *testing.T) {
	t.Parallel()
	m := &Model{ID: "m", Operations: []Operation{
		{Mode: "plain", Input: Input{Required: []string{"prompt"}}, Parameters: []Parameter{{Name: "seed", Type: "integer"}}},
		{Mode: "rich", Input: Input{Required: []string{"prompt"}, Optional: []string{"image_urls"}},
			Parameters: []Parameter{{Name: "seed", Type: "integer"}, {Name: "voice", Type: "string"}}},
		{Mode: "edit", Input: Input{Required: []string{"image_urls"}, Optional: []string{"prompt"}}},
	}}
	for body, want := range map[string]string{
		`{"model":"m","prompt":"x","voice":"a"}`:              "rich", // plain has no voice
		`{"model":"m","image_urls":["a"]}`:                    "edit",
		`{"model":"m","prompt":"x","image_urls":["a"]}`:       "ambiguous_generation_mode rich,edit",
		`{"model":"m","prompt":"x"}`:                          "ambiguous_generation_mode plain,rich",
		`{"model":"m","prompt":"x","seed":1}`:                 "ambiguous_generation_mode plain,rich",
		`{"model":"m","prompt":"x","nonsense":1}`:             "ambiguous_generation_mode plain,rich",
		`{"model":"m","video_urls":["a"]}`:                    "unsupported_input_for_model plain,rich,edit",
		`{"model":"m","mode":"edit","prompt":"x","voice":""}`: "edit", // a mode that is given decides, whatever Check says
	} {
		a, err := parseBody([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		o, err := m.Infer(&a)
		var got string
		if e := fault.From(err); e != nil {
			modes, _ := e.Details["modes"].([]string)
			got = string(e.Code) + " " + strings.Join(modes, ",")
		} else {
			got = o.Mode
		}
		if got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}

func TestChecksTheInputsOfAnApp(t *testing.T) {
	t.Parallel()
	list := []Parameter{{Name: "photo", Type: "array", Required: true}, {Name: "style", Type: "string", Values: []any{"studio", "outdoor"}, Default: "studio"}}
	fields, err := Fields([]byte(`{"photo":["a"],"webhook_url":"https://x","dry_run":true}`))
	if err != nil {
		t.Fatal(err)
	}
	extras, err := ParseExtras(fields)
	if err != nil || !extras.DryRun || extras.Webhook != "https://x" {
		t.Error(extras, err)
	}
	values, err := Values(list, fields)
	if err != nil || !reflect.DeepEqual(values, map[string]any{"photo": []any{"a"}, "style": "studio"}) {
		t.Error(values, err)
	}
	for body, want := range map[string]fault.Code{
		`{}`:                           fault.MissingParameter,
		`{"photo":[]}`:                 fault.MissingParameter,
		`{"photo":["a"],"prompt":"x"}`: fault.UnsupportedParameter,
		`{"photo":["a"],"style":"x"}`:  fault.InvalidParameter,
	} {
		fields, err := Fields([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Values(list, fields); fault.From(err) == nil || fault.From(err).Code != want {
			t.Errorf("%s: %v, want %s", body, err, want)
		}
	}
	if _, err := ParseExtras(map[string]any{"dry_run": 1}); fault.From(err) == nil || fault.From(err).Code != fault.InvalidRequestBody {
		t.Error(err)
	}
}

func TestTypedRestoresWhatJSONForgets(t *testing.T) {
	t.Parallel()
	m := read(t, "clip.yaml")
	o, values, err := ask(m, `{"model":"m","prompt":"x","points":[1,2],"strength":1,"tags":["b"]}`)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	var back map[string]any
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if got := o.WithTypes(back); !reflect.DeepEqual(got, values) {
		t.Errorf("%#v, want %#v", got, values)
	}
	if got := o.WithTypes(nil); got == nil || len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestTheWidestLimitOfAKindIsWhatUploadsAreHeldAgainst(t *testing.T) {
	t.Parallel()
	o := Operation{
		Input: Input{Required: []string{"start_frame"}, Optional: []string{"end_frame", "image_urls", "prompt"}},
		Limits: map[string]Limit{
			"start_frame": {MB: 5, Formats: []string{"image/png"}}, "end_frame": {MB: 10, Formats: []string{"image/jpeg"}}, "image_urls": {MB: 8, Formats: []string{"image/png"}},
		},
	}
	limit, ok := o.Accepts("image")
	if !ok || limit.MB != 10 || !reflect.DeepEqual(limit.Formats, []string{"image/png", "image/png", "image/jpeg"}) {
		t.Errorf("%+v %v", limit, ok)
	}
	delete(o.Limits, "end_frame")
	if limit, ok := o.Accepts("image"); !ok || limit.MB != 0 || limit.Formats != nil {
		t.Errorf("%+v %v", limit, ok)
	}
	for _, kind := range []string{"video", "audio", "document", ""} {
		if _, ok := o.Accepts(kind); ok {
			t.Errorf("takes %q", kind)
		}
	}
}
