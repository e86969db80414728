package bridge_test

import (
	_ "embed"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

//go:embed testdata/required.txt
var requiredText string

// required are the members that an event, an item or a part must have, and their kinds.
var required = func() map[string][]string {
	all := make(map[string][]string)
	for line := range strings.Lines(requiredText) {
		if fields := strings.Fields(line); fields[0] == "response" || fields[0] == "usage" {
			all[fields[0]] = fields[1:]
		} else if fields[0] != "#" {
			all[fields[0]+" "+fields[1]] = fields[2:]
		}
	}
	return all
}()

// holdWhole holds a value to what OpenAI's library says that it has.
func holdWhole(t *testing.T, name string, v gjson.Result) {
	t.Helper()
	members, ok := required[name]
	if !ok && (strings.HasPrefix(name, "event ") || strings.HasPrefix(name, "item ")) {
		t.Errorf("there is no %s: %s", name, v.Raw)
	}
	for _, m := range members {
		member, kinds, _ := strings.Cut(m, ":")
		if kind := kindName(v.Get(member)); kinds != "any" && !slices.Contains(strings.Split(kinds, "|"), kind) || kind == "nothing" {
			t.Errorf("%s of %s is %s, not %s: %s", member, name, kind, kinds, v.Raw)
		}
	}
}

func kindName(v gjson.Result) string {
	switch {
	case !v.Exists():
		return "nothing"
	case v.IsArray():
		return "array"
	case v.IsObject():
		return "object"
	case v.IsBool():
		return "boolean"
	}
	return strings.ToLower(v.Type.String())
}

// holdEvent holds an event and all that is in it.
func holdEvent(t *testing.T, e gjson.Result) {
	t.Helper()
	if e.Get("type").Str == "keepalive" { // OpenAI's service has it, its library does not know it
		return
	}
	holdWhole(t, "event "+e.Get("type").Str, e)
	if v := e.Get("item"); v.Exists() {
		holdItem(t, "item ", v)
	}
	if v := e.Get("part"); v.Exists() {
		holdWhole(t, "part "+v.Get("type").Str, v)
	}
	if v := e.Get("annotation"); v.Exists() {
		holdWhole(t, "part "+v.Get("type").Str, v)
	}
	if v := e.Get("response"); v.Exists() {
		holdResponse(t, v)
	}
}

// holdResponse holds a response and its items.
func holdResponse(t *testing.T, v gjson.Result) {
	t.Helper()
	holdWhole(t, "response", v)
	if usage := v.Get("usage"); usage.IsObject() {
		holdWhole(t, "usage", usage)
	}
	for _, item := range v.Get("output").Array() {
		holdItem(t, "item ", item)
	}
}

// holdItem holds an item of an answer, or of a list, and its parts.
func holdItem(t *testing.T, where string, item gjson.Result) {
	t.Helper()
	kind := item.Get("type").Str
	if kind == "message" && item.Get("role").Str != "assistant" {
		kind = "input_message"
	}
	holdWhole(t, where+kind, item)
	if kind == "shell_call" {
		holdWhole(t, "part shell_action", item.Get("action"))
	}
	for _, member := range []string{"content", "summary", "output"} {
		for _, part := range item.Get(member).Array() {
			if part.IsObject() {
				holdWhole(t, "part "+part.Get("type").Str, part)
			}
		}
	}
}

// TestHard1280ListedItemsAreWhole has clients leave out what they may when they send items, and has
// them listed with all that OpenAI's library says they have.
func TestHard1280ListedItemsAreWhole(t *testing.T) {
	t.Parallel()
	const items = `{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"assistant","content":[{"type":"output_text","text":"c"}]},{"role":"developer","content":"d"},` +
		`{"role":"user","content":[{"type":"input_text","text":"e"},{"type":"input_image","image_url":"data:image/png;base64,AAAA"}]},{"type":"reasoning"},` +
		`{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":[{"type":"input_image","image_url":"data:image/png;base64,AAAA"}]},` +
		`{"type":"custom_tool_call","call_id":"c2","name":"g","input":"x"},{"type":"custom_tool_call_output","call_id":"c2","output":"y"},` +
		`{"type":"shell_call","call_id":"c3","action":{"commands":["ls"]}},{"type":"shell_call_output","call_id":"c3","output":[{"stdout":"","stderr":"","outcome":{"type":"timeout"}}]},` +
		`{"type":"apply_patch_call","call_id":"c4","operation":{"type":"delete_file","path":"a"}},{"type":"apply_patch_call_output","call_id":"c4","status":"completed"}`
	b := newBridge(t, newServer(t, spoken))
	thread := made(t, b.URL+"/v1/conversations", `{"items":[`+items+`]}`)
	_, _, whole := post(t, b.URL+"/v1/responses", `{"model":"m","input":[`+items+`]}`)
	holdResponse(t, gjson.Parse(whole))
	for _, at := range []string{"/v1/responses/" + gjson.Get(whole, "id").Str + "/input_items", "/v1/conversations/" + thread + "/items"} {
		_, _, list := ask(t, "GET", b.URL+at+"?order=asc&limit=100", "")
		if n := gjson.Get(list, "data.#").Int(); n != 14 {
			t.Errorf("%s: %d items: %s", at, n, list)
		}
		for _, item := range gjson.Get(list, "data").Array() {
			holdItem(t, "listed ", item)
		}
	}
	if status, _, body := ask(t, "GET", b.URL+"/v1/conversations/"+thread+"/items?order=upwards", ""); status != 400 || gjson.Get(body, "error.param").Str != "order" {
		t.Errorf("%d %s", status, body)
	}
}
