package hard

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"stele/test/rig"
	"stele/test/upstream"
)

func TestHard212AStreamAsAnArray(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, model := range []string{"o", "a", "g"} {
		a := s.Post(t, geminiPath+model+":streamGenerateContent", s.Key, plainG)
		var chunks []map[string]any
		if a.Status != http.StatusOK || !strings.HasPrefix(a.Header.Get("Content-Type"), "application/json") || json.Unmarshal([]byte(a.Body), &chunks) != nil || len(chunks) == 0 {
			t.Errorf("%s: %d %s\n%s", model, a.Status, a.Header.Get("Content-Type"), a.Body)
		}
	}
}

// TestHard212AnArrayElementByElement reads the first element while the upstream
// holds the rest back.
func TestHard212AnArrayElementByElement(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.anthropic.Next(upstream.Silent(4))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := s.Request(t, "POST", geminiPath+"a:streamGenerateContent").WithContext(ctx)
	r.Body = io.NopCloser(strings.NewReader(plainG))
	r.Header.Set("Authorization", "Bearer "+s.Key)
	answer, err := s.Client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	d := json.NewDecoder(answer.Body)
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	var chunk struct {
		Candidates []any `json:"candidates"`
	}
	if err := d.Decode(&chunk); err != nil || len(chunk.Candidates) != 1 {
		t.Errorf("%v %v", chunk, err)
	}
}

func TestHard221ARefusalBeforeTheFirstByteKeepsItsStatus(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, server := range []*upstream.Server{s.openai, s.anthropic, s.gemini} {
		server.Handle(func(r *upstream.Recorded) upstream.Answer {
			body := string(r.Body)
			switch {
			case strings.Contains(body, "limit me"):
				return upstream.RateLimited(30 * time.Second)
			case strings.Contains(body, "too busy"):
				return upstream.Overloaded()
			}
			return upstream.TooLong()
		})
	}
	statuses := map[string]map[string]int{
		"too long": {chatPath: 400, messagesPath: 400, geminiPath: 400},
		"too busy": {chatPath: 503, messagesPath: 529, geminiPath: 503},
		"limit me": {chatPath: 429, messagesPath: 429, geminiPath: 429},
	}
	for _, order := range []string{"too long", "too busy", "limit me"} { // the limit last: what it is about is left alone afterwards
		want := statuses[order]
		for _, model := range []string{"o", "a", "g"} {
			for path, status := range want {
				body := strings.Replace(plainO(model, `,"stream":true`), `"hi"`, `"`+order+`"`, 1)
				where := path
				switch path {
				case messagesPath:
					body = strings.Replace(plainA(model, `,"stream":true`), `"hi"`, `"`+order+`"`, 1)
				case geminiPath:
					body, where = strings.Replace(plainG, `"hi"`, `"`+order+`"`, 1), path+model+":streamGenerateContent?alt=sse"
				}
				a := s.Post(t, where, s.Key, body)
				if a.Status != status || !strings.Contains(a.Body, `"error"`) || strings.Contains(a.Header.Get("Content-Type"), "event-stream") {
					t.Errorf("%s %s %s: %d %s", order, path, model, a.Status, a.Body)
				}
				if wait, err := strconv.Atoi(a.Header.Get("Retry-After")); order == "limit me" && (err != nil || wait < 1 || wait > 30) {
					t.Errorf("%s %s: Retry-After %q", path, model, a.Header.Get("Retry-After"))
				}
				if order == "too busy" && a.Header.Get("X-Should-Retry") != "false" {
					t.Errorf("%s %s: its own tries are spent, and it does not say so", path, model)
				}
			}
		}
	}
}

func TestHard226AClientThatLeavesEarlyEndsTheCall(t *testing.T) {
	t.Parallel()
	s := open(t)
	for model, server := range map[string]*upstream.Server{"o": s.openai, "a": s.anthropic, "g": s.gemini} {
		server.Next(upstream.Never())
		ctx, cancel := context.WithCancel(t.Context())
		r := s.Request(t, "POST", chatPath).WithContext(ctx)
		r.Body = io.NopCloser(strings.NewReader(plainO(model, `,"stream":true`)))
		r.Header.Set("Authorization", "Bearer "+s.Key)
		done := make(chan struct{})
		go func() {
			defer close(done)
			if a, err := s.Client.Do(r); err == nil {
				a.Body.Close()
			}
		}()
		rig.Eventually(t, model+" is asked", func() bool { return len(server.Requests()) == 1 })
		cancel()
		<-done
		asked := server.Requests()[0]
		rig.Eventually(t, model+" is left", func() bool {
			_, left := asked.HungUp()
			return left
		})
	}
}

func TestHard237AStreamWhateverAcceptSays(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, model := range []string{"o", "a", "g"} {
		for path, body := range map[string]string{
			chatPath: plainO(model, `,"stream":true`), messagesPath: plainA(model, `,"stream":true`),
			geminiPath + model + ":streamGenerateContent?alt=sse": plainG,
		} {
			a := s.send(t, path, body, map[string]string{"Authorization": "Bearer " + s.Key, "Accept": "application/json", "Anthropic-Version": "2023-06-01"})
			if a.Status != http.StatusOK || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/event-stream") || !strings.Contains(a.Body, "data: {") {
				t.Errorf("%s: %d %s", path, a.Status, a.Header.Get("Content-Type"))
			}
		}
	}
}

// TestHard520AnEventIsOneLineToReadersOfText has models say what Python's splitlines ends
// a line at: HTTPX, and with it Google's library and LiteLLM, reads streams through that.
func TestHard520AnEventIsOneLineToReadersOfText(t *testing.T) {
	t.Parallel()
	s := open(t)
	const ends = "\u0085\u2028\u2029"
	servers := map[string]*upstream.Server{"o": s.openai, "a": s.anthropic, "g": s.gemini}
	for model, server := range servers {
		for own, path := range map[string]string{"o": chatPath, "a": messagesPath, "g": geminiPath + model + ":streamGenerateContent?alt=sse"} {
			if own == model {
				continue // its own bytes
			}
			server.Next(upstream.Say(upstream.Text("one" + ends + "two")))
			a := s.Post(t, path, s.Key, map[string]string{"o": plainO(model, `,"stream":true`), "a": plainA(model, `,"stream":true`), "g": plainG}[own])
			if a.Status != http.StatusOK || strings.ContainsAny(a.Body, ends) || !strings.Contains(a.Body, `\u0085\u2028\u2029`) {
				t.Errorf("%s of %s: %d %q", path, model, a.Status, a.Body)
			}
		}
	}
}

func TestHard253ABodyOverTheLimit(t *testing.T) {
	t.Parallel()
	s := open(t)
	huge := strings.Repeat("x", 33<<20)
	for path, body := range map[string]string{
		chatPath: plainO("a", `,"x":"`+huge+`"`), messagesPath: plainA("a", `,"x":"`+huge+`"`),
		geminiPath + "a:generateContent": `{"x":"` + huge + `"}`,
	} {
		a := s.Post(t, path, s.Key, body)
		if a.Status != http.StatusRequestEntityTooLarge || !strings.Contains(a.Body, `"error"`) {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
		if path == messagesPath && !strings.Contains(a.Body, "request_too_large") {
			t.Error(a.Body)
		}
	}
	if n := len(s.anthropic.Requests()); n > 0 {
		t.Errorf("%d calls", n)
	}
}
