package dialect

import (
	"testing"

	"stele/internal/chat"
)

func TestASurveyTellsHowMuchARequestMayTake(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		dialect, body string
		want          chat.Asked
	}{
		{"openai", `{"max_tokens":7,"messages":[]}`, chat.Asked{Output: 7}},
		{"openai", `{"max_tokens":7,"max_completion_tokens":9,"n":3,"user":"u","safety_identifier":"s"}`, chat.Asked{Output: 9, Answers: 3, User: "s"}},
		{"openai", `{"max_tokens":null,"n":1,"user":"u"}`, chat.Asked{User: "u"}},
		{"openai", `{"messages":[{"max_tokens":5,"n":4,"user":"x"}],"tools":[]}`, chat.Asked{Tools: true}},
		{"openai", `{"messages":[{"content":[{"type":"image_url"}]}]}`, chat.Asked{Pictures: true}},
		{"openai", `{"messages":[{"content":[{"type":"file","file":{"file_data":""}}]}]}`, chat.Asked{Documents: true}},
		{"openai", `{"messages":[{"content":"a \"document\", an \"image\" and \"tools\""}]}`, chat.Asked{}},
		{"anthropic", `{"max_tokens":7,"metadata":{"user_id":"u"},"n":2,"user":"x"}`, chat.Asked{Output: 7, User: "u"}},
		{"anthropic", `{"max_tokens":7,"speed":"fast"}`, chat.Asked{Output: 7, Fast: true}},
		{"anthropic", `{"max_tokens":7,"speed":"standard"}`, chat.Asked{Output: 7}},
		{"anthropic", `{"max_tokens":7,"speed":null}`, chat.Asked{Output: 7}},
		{"openai", `{"max_tokens":7,"speed":"fast"}`, chat.Asked{Output: 7}},
		{"anthropic", `{"messages":[{"content":[{"type":"document"}]}]}`, chat.Asked{Documents: true}},
		{"gemini", `{"generationConfig":{"maxOutputTokens":7,"candidateCount":2},"labels":{"user":"u"},"n":5}`, chat.Asked{Output: 7, Answers: 2, User: "u"}},
		{"gemini", `{"contents":[{"parts":[{"inlineData":{}}]}],"cachedContent":"c"}`, chat.Asked{Documents: true}},
		{"openai", `{"messages":[{"content":[{"type":"\u0066ile","f\u0069le":{}}]}]}`, chat.Asked{Documents: true}},
		{"openai", `{"messages":[{"content":[{"type":"image_url"},{"type":"im\u0061ge_url"}]}]}`, chat.Asked{Pictures: true, Documents: true}},
		{"openai", `{"messages":[{"content":"image\u0020\n"}],"t\u006fols":[]}`, chat.Asked{Pictures: true, Tools: true}},
		{"gemini", `{"\u0067enerationConfig":{"m\u0061xOutputTokens":7},"contents":[{"parts":[{"\u0069nlineData":{}}]}]}`, chat.Asked{Output: 7, Documents: true}},
		{"", `{"max_tokens":7,"user":"u"}`, chat.Asked{}},
	} {
		facts, err := Survey(test.dialect, []byte(test.body), nil)
		if err != nil || facts.Asked != test.want {
			t.Errorf("%s %s: %+v (%v), want %+v", test.dialect, test.body, facts.Asked, err, test.want)
		}
	}
}

func TestPicturesAreCountedAtMost(t *testing.T) {
	t.Parallel()
	body := []byte(`{"messages":[{"content":[{"type":"image_url","image_url":{}},{"type":"text","text":"an \"image"}]}]}`)
	facts, err := Survey("openai", body, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := Pictures(&chat.Request{Origin: chat.Origin{Body: body, Facts: facts}}); n != 3 {
		t.Errorf("%d pictures at most, want 3", n)
	}
}
