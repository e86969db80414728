package bridge_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// TestHard1264ATriggerMakesAConversationShorter has a conversation summed up on the route for
// responses, as Codex asks for it (openai/codex#22809, Soju06/codex-lb#971,
// router-for-me/CLIProxyAPI#4848), and goes on from that.
func TestHard1264ATriggerMakesAConversationShorter(t *testing.T) {
	t.Parallel()
	const long = `{"role":"user","content":"Look at a.txt"},{"type":"function_call","call_id":"c1","name":"read","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"forty-two"},` +
		`{"type":"agent_message","author":"/root/sub","recipient":"/root","content":[{"type":"encrypted_content","encrypted_content":"it is prime"}]},{"type":"compaction_trigger"}`
	for _, members := range []string{`"stream":true,`, ``, `"background":true,"stream":true,`} {
		s := newServer(t, chunks("stop", `"reasoning_content":"hm"`, `"content":"All"`, `"content":" that"`))
		at := newBridge(t, s).URL + "/v1/responses"
		status, _, body := post(t, at, `{"model":"m",`+members+`"tools":[{"type":"function","name":"read","parameters":{}}],"instructions":"Be kind.","input":[`+long+`]}`)
		if status != http.StatusOK {
			t.Fatalf("%d %s", status, body)
		}
		asked := gjson.ParseBytes(s.last())
		told := asked.Get("messages.1.content").Str
		for _, want := range []string{"Be kind.", "Look at a.txt", "forty-two", "it is prime"} {
			if !strings.Contains(told, want) {
				t.Errorf("the model is not told %q:\n%s", want, told)
			}
		}
		if asked.Get("messages.#").Int() != 2 || asked.Get("tools").Exists() {
			t.Errorf("asked %s", asked)
		}
		last := gjson.Parse(body)
		if strings.Contains(members, "stream") {
			var events []string
			for _, line := range strings.Split(body, "\n") {
				if name, ok := strings.CutPrefix(line, "event: "); ok {
					events = append(events, name)
				}
				if data, ok := strings.CutPrefix(line, "data: "); ok {
					last = gjson.Get(data, "response")
				}
			}
			if got, want := strings.Join(events, " "), "response.created response.in_progress response.output_item.added response.output_item.done response.completed"; strings.ReplaceAll(got, "response.queued ", "") != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
		if last.Get("output.#").Int() != 1 || last.Get("output.0.type").Str != "compaction" || last.Get("status").Str != "completed" {
			t.Errorf("%s", last)
		}
		for _, next := range []string{`"input":[` + last.Get("output.0").Raw + `,{"role":"user","content":"Go on."}]`, `"previous_response_id":"` + last.Get("id").Str + `","input":"Go on."`} {
			if status, head, body := post(t, at, `{"model":"m",`+next+`}`); status != http.StatusOK || head.Get("X-Stele-Dropped") != "" {
				t.Errorf("%d %s %s", status, head, body)
			}
			if got := messages(t, s.last()); !strings.Contains(got, `until now:\n\nAll that`) || strings.Contains(got, "forty-two") || !strings.HasSuffix(got, `{"role":"user","content":"Go on."}]`) {
				t.Errorf("asked %s", got)
			}
		}
	}
}

// TestATriggerThatCannotBe has one at a wrong place, and models that write no summary.
func TestATriggerThatCannotBe(t *testing.T) {
	t.Parallel()
	const trigger = `{"type":"compaction_trigger"}`
	s := newServer(t, spoken)
	at := newBridge(t, s).URL + "/v1/responses"
	for _, input := range []string{trigger, trigger + `,{"role":"user","content":"x"}`, `{"role":"user","content":"x"},` + trigger + `,` + trigger} {
		if status, _, body := post(t, at, `{"model":"m","input":[`+input+`]}`); status != http.StatusBadRequest || !strings.HasPrefix(gjson.Get(body, "error.param").Str, "input[") {
			t.Errorf("%s: %d %s", input, status, body)
		}
	}
	for _, answer := range []string{chunks("stop"), chunks("length", `"content":"All"`), chunks("content_filter", `"content":"All"`), chunks("tool_calls", callOf(`"index":0,"id":"a",`+argsBegin), callOf(`"index":0,`+argsEnd))} {
		s.answer = answer
		if status, _, body := post(t, at, `{"model":"m","input":[{"role":"user","content":"x"},`+trigger+`]}`); status < http.StatusInternalServerError {
			t.Errorf("%s: %d %s", answer, status, body)
		}
		if _, _, body := post(t, at, `{"model":"m","stream":true,"input":[{"role":"user","content":"x"},`+trigger+`]}`); !strings.Contains(body, "event: response.failed") || strings.Contains(body, "output_item.done") {
			t.Errorf("%s: %s", answer, body)
		}
	}
}
