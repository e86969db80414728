package anthropic

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
)

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// targets are models of every generation, and one of somebody else.
var targets = []string{
	"claude-3-haiku-20240307", "claude-3-5-sonnet-20241022", "claude-3-7-sonnet-20250219", "claude-opus-4-20250514", "claude-opus-4-1",
	"claude-sonnet-4-5", "claude-sonnet-4-6", "claude-opus-4-7", "claude-opus-4-8", "claude-opus-5", "claude-sonnet-5", "claude-opus-5-5",
	"claude-haiku-5-5", "claude-fable-5-2", "claude-next-9", "glm-5",
}

// maker makes conversations that nobody would have, and everybody does.
type maker struct{ *rand.Rand }

func pick[T any](m maker, list ...T) T { return list[m.IntN(len(list))] }

func (m maker) words() string { return pick(m, "", " ", "\n\t", "a", "Hello.", "zwei Wörter", "x\n") }

func (m maker) mark() *chat.Cache {
	if m.IntN(6) > 0 {
		return nil
	}
	return &chat.Cache{TTL: pick(m, "", "5m", "1h", "30m", "12h")}
}

func (m maker) proof() string {
	return pick(m, "", "sig-own", chat.Envelope{Dialect: "gemini", Raw: "g"}.Wrap(), unsigned)
}

func (m maker) id() string {
	return pick(m, "call_1", "call_2", "functions.search:0", "", strings.Repeat("x", 80))
}

func (m maker) part(role chat.Role, at int) chat.Part {
	p := chat.Part{Kind: chat.Text, Text: m.words(), Cache: m.mark(), At: at}
	if role == chat.System {
		return p
	}
	switch m.IntN(9) {
	case 0:
		p.Kind, p.Proof = chat.Thought, m.proof()
	case 1:
		p.Kind, p.Text = chat.Redacted, m.proof()
	case 2, 3:
		p.Kind, p.ID, p.Name, p.Text = chat.ToolCall, m.id(), pick(m, "f", "mcp.server:read", "g"), pick(m, "", "{}", `{"a":1}`, `[1]`, `{"a": tru`)
	case 4, 5:
		p.Kind, p.ID, p.Content, p.Failed = chat.ToolResult, m.id(), []chat.Part{{Kind: chat.Text, Text: m.words()}}, m.IntN(2) == 0
	case 6:
		p.Kind, p.Media = chat.Image, &chat.Media{Base64: png, Type: "image/jpeg"}
	case 7:
		p.Kind, p.Name, p.Raw = chat.Opaque, "executableCode", json.RawMessage(`{}`)
	}
	return p
}

func (m maker) conversation() *chat.Conversation {
	c := &chat.Conversation{Cache: m.mark()}
	for range m.IntN(3) {
		c.System = append(c.System, m.part(chat.System, 0))
	}
	for i := range m.IntN(8) {
		message := chat.Message{Role: pick(m, chat.User, chat.User, chat.Assistant, chat.Assistant, chat.System), At: i}
		for j := range m.IntN(4) {
			message.Parts = append(message.Parts, m.part(message.Role, j))
		}
		c.Messages = append(c.Messages, message)
	}
	for i, name := range []string{"f", "g", "mcp.server:read"} {
		if m.IntN(2) == 0 {
			c.Tools = append(c.Tools, chat.Tool{Name: name, Cache: m.mark(), At: i, Schema: json.RawMessage(pick(m, "", `{"type":"object"}`, `{"anyOf":[]}`, `{}`))})
		}
	}
	c.Choice = chat.Choice{Mode: pick(m, chat.Unset, chat.Auto, chat.None, chat.Required, chat.Validated), Serial: m.IntN(2) == 0}
	if m.IntN(2) == 0 {
		shown := m.IntN(2) == 0
		c.Thinking = &chat.Thinking{Effort: pick(m, "", "none", "minimal", "low", "medium", "high", "xhigh", "max"), Show: &shown}
		if budget := pick[int64](m, -1, 0, 10, 2000, 50000); m.IntN(2) == 0 {
			c.Thinking.Budget = &budget
		}
	}
	if m.IntN(2) == 0 {
		limit := pick[int64](m, 1, 1000, 5000, 500000)
		temperature, topP, topK := pick(m, 0, 0.5, 1, 1.7), pick(m, 0.1, 0.96, 1), pick(m, 1.0, 40)
		c.Sampling = chat.Sampling{MaxTokens: &limit, Temperature: &temperature, TopP: &topP, TopK: &topK, Stop: []string{"END", "\n"}}
	}
	if m.IntN(4) == 0 {
		c.Format = &chat.Format{Kind: pick(m, chat.JSONObject, chat.JSONSchema, chat.EnumText), Schema: json.RawMessage(`{"type":"object","properties":{}}`)}
	}
	return c
}

// signer is a target that made the signature sig-own.
func signer(model string) dialect.Upstream {
	return dialect.Upstream{Model: model, Proof: func(text string) (string, bool) { return text, text == "sig-own" }}
}

func TestWhateverIsSentIsLegal(t *testing.T) {
	t.Parallel()
	m := maker{rand.New(rand.NewPCG(1, 2))}
	sent := 0
	for range 3000 {
		c, model := m.conversation(), pick(m, targets...)
		call, err := Codec{}.EncodeRequest(c, signer(model))
		if err != nil {
			if _, ok := errors.AsType[*fault.Error](err); !ok {
				t.Fatal(err)
			}
			continue
		}
		sent++
		if list := complaints(call.Body, model); len(list) > 0 {
			t.Fatalf("%s would refuse it: %v\n%s\n%s", model, list, call.Body, marshal(t, c))
		}
	}
	if sent < 2000 {
		t.Errorf("only %d were sent", sent)
	}
}

// list is the messages of a request, without the end of the list.
func messagesOf(tb testing.TB, body []byte) string {
	tb.Helper()
	raw := gjson.GetBytes(body, "messages").Raw
	if raw == "" {
		tb.Fatalf("%s", body)
	}
	return strings.TrimSuffix(raw, "]")
}

func TestEveryFurtherTurnBeginsWithTheBytesOfTheLast(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"claude-3-haiku-20240307", plainModel, "claude-sonnet-4-6", "claude-opus-4-8", "claude-opus-5-5", "glm-5"} {
		m := maker{rand.New(rand.NewPCG(3, 4))}
		before := ""
		c := &chat.Conversation{
			System: []chat.Part{{Kind: chat.Text, Text: "Be brief."}},
			Tools:  []chat.Tool{{Name: "f"}, {Name: "mcp.server:read", At: 1}},
		}
		for n := range 100 {
			id := pick(m, "functions.f:0", "call_"+strconv.Itoa(n))
			if n > 0 {
				c.Messages = append(c.Messages, chat.Message{Role: chat.Assistant, At: len(c.Messages), Parts: []chat.Part{
					{Kind: chat.Thought, Text: "Hm.", Proof: pick(m, "sig-own", "", "other")},
					{Kind: chat.Text, Text: "Calling.", At: 1},
					{Kind: chat.ToolCall, ID: id, Name: "mcp.server:read", Text: `{"n":` + strconv.Itoa(n) + `}`, At: 2},
				}}, chat.Message{Role: chat.User, At: len(c.Messages) + 1, Parts: []chat.Part{
					{Kind: chat.ToolResult, ID: id, Content: []chat.Part{{Kind: chat.Text, Text: "ok"}}},
				}})
			}
			if n%7 == 3 {
				c.Messages = append(c.Messages, chat.Message{Role: chat.System, At: len(c.Messages), Parts: []chat.Part{{Kind: chat.Text, Text: "Mind the gap."}}})
			}
			if n == 0 || n%3 == 0 {
				c.Messages = append(c.Messages, chat.Message{Role: chat.User, At: len(c.Messages), Parts: []chat.Part{{Kind: chat.Text, Text: "Go on.", Cache: m.mark()}}})
			}
			call, err := Codec{}.EncodeRequest(c, signer(model))
			if err != nil {
				t.Fatal(err)
			}
			if list := complaints(call.Body, model); len(list) > 0 {
				t.Fatalf("%s, turn %d: %v\n%s", model, n, list, call.Body)
			}
			now := messagesOf(t, call.Body)
			if !strings.HasPrefix(now, before) {
				t.Fatalf("%s: turn %d does not begin with the last one:\n%s\n%s", model, n, before, now)
			}
			before = now
		}
	}
}

func TestManyOfEverythingIsLinear(t *testing.T) {
	t.Parallel()
	const many = 20000
	c := conversation(said("Go."))
	c.Tools = nil
	var calls, answers []chat.Part
	for i := range many {
		calls = append(calls, calling("same", "f"+strconv.Itoa(i), "{}"))
		answers = append(answers, result("same", txt("1")))
		c.Messages = append(c.Messages, said("a"), system("s"), reply())
	}
	c.Messages = append(c.Messages, reply(calls...), told(answers...))
	root, _ := send(t, c, "claude-opus-4-8")
	if n := root.Get("messages.#").Int(); n != many+4 {
		t.Error(n)
	}
	var fold strings.Builder
	for i := range many {
		fold.WriteString(`"k` + strconv.Itoa(i) + `":1,`)
	}
	_, read := talk(t, `{"model":"m","messages":[],"extra_body":{`+fold.String()+`"x":1}}`)
	if len(read.Extra) != many+1 {
		t.Error(len(read.Extra))
	}
}
