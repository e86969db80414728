package bounds

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/test/rig"
)

// mostOverIdle is how much memory the process may take beyond what it needs at rest,
// whatever one caller does.
const mostOverIdle = 300 << 20

// siege is a server that is attacked, and its upstreams.
type siege struct {
	*rig.House
	key      string
	idle     int64
	upstream *httptest.Server
	sent     chan int64 // bytes of each body that reached the upstream
}

// besiege starts a server that nothing has been asked of yet.
func besiege(t *testing.T) *siege {
	t.Helper()
	s := &siege{sent: make(chan int64, 1000)}
	s.upstream = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		s.sent <- n
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.Contains(r.URL.Path, "messages"):
			_, _ = io.WriteString(w, `{"id":"m","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"ok"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`)
		case strings.Contains(r.URL.Path, "generateContent"):
			_, _ = io.WriteString(w, `{"candidates":[{"content":{"parts":[{"text":"ok"}],"role":"model"},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1,"totalTokenCount":2}}`)
		default:
			_, _ = io.WriteString(w, `{"id":"c","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`)
		}
	}))
	t.Cleanup(s.upstream.Close)
	s.House = rig.Start(t, rig.Options{Config: fmt.Sprintf(`
egress: {allow_private: [127.0.0.0/8, "::1/128"]}
providers:
  o: {kind: openai, base_url: %[1]s/v1, api_key: none, models: ['*']}
  a: {kind: anthropic, base_url: %[1]s, api_key: none, models: ['*']}
  g: {kind: gemini, base_url: %[1]s, api_key: none, models: ['*']}
`, s.upstream.URL)})
	s.key = s.CreateKey(t).Key
	s.Await(t, s.key, http.StatusOK)
	s.idle = rig.AtRest(t, s.PID())
	return s
}

// survived holds what the process took at most against what it may take.
func (s *siege) survived(t *testing.T) {
	t.Helper()
	over := rig.Memory(t, "VmHWM", s.PID()) - s.idle
	t.Logf("%d MB at rest, %d MB over that", s.idle>>20, over>>20)
	if over > mostOverIdle {
		t.Errorf("the process took %d MB over the %d MB it has at rest", over>>20, s.idle>>20)
	}
	if a := s.Post(t, "/api/v1/chat/completions", s.key, `{"model":"o/m","messages":[{"role":"user","content":"still there?"}]}`); a.Status != http.StatusOK {
		t.Errorf("afterwards: %d %s", a.Status, a.Body)
	}
}

func (s *siege) upload(t *testing.T, name string, content []byte) string {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField("purpose", "user_data")
	part, err := form.CreateFormFile("file", name)
	if err == nil {
		_, err = part.Write(content)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/v1/files", &body)
	r.Header.Set("Authorization", "Bearer "+s.key)
	r.Header.Set("Content-Type", form.FormDataContentType())
	answer, err := s.Client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var kept struct{ ID string }
	if err := json.NewDecoder(answer.Body).Decode(&kept); err != nil || kept.ID == "" {
		t.Fatalf("upload: %d %v", answer.StatusCode, err)
	}
	return kept.ID
}

// noisyPNG is a picture of about so many bytes.
func noisyPNG(t *testing.T, size int) []byte {
	t.Helper()
	side := 1
	for side*side*4 < size {
		side++
	}
	m := image.NewNRGBA(image.Rect(0, 0, side, side))
	state := uint32(1)
	for i := range m.Pix {
		state = state*1664525 + 1013904223
		m.Pix[i] = byte(state >> 24)
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.NoCompression}
	if err := encoder.Encode(&out, m); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// The attacks of a chat key. Not parallel: others would take the processor.
func TestNoCallerTakesTheMemoryOfOthers(t *testing.T) { //nolint:paralleltest // see above
	for name, attack := range map[string]func(*testing.T, *siege){
		"200 announced giants": announceGiants, "giants, half sent": sendHalves, "one file 40 times": nameAFileOften,
		"40 addresses": nameAddresses, "a packed address": namePacked, "tiny messages": sendTinyMessages, "eight answers": askForEight,
		"large texts at once": sendLargeTexts, "lists of nothing": sendLists,
	} {
		t.Run(name, func(t *testing.T) {
			s := besiege(t)
			attack(t, s)
			s.survived(t)
		})
	}
}

// giant opens a request that announces a body of 32 MB and sends some of it.
func (s *siege) giant(t *testing.T, sent int) net.Conn {
	t.Helper()
	u, _ := url.Parse(s.URL)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "POST /api/v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", s.key, 32<<20)
	_ = conn.SetWriteDeadline(time.Now().Add(10 * time.Second))
	_, _ = conn.Write(spaces[:sent]) // it may be refused before
	return conn
}

var spaces = bytes.Repeat([]byte(" "), 16<<20)

func announceGiants(t *testing.T, s *siege) {
	for range 200 {
		defer s.giant(t, 1).Close()
	}
	s.settle(t)
}

func sendHalves(t *testing.T, s *siege) {
	var all sync.WaitGroup
	for range halves {
		all.Go(func() {
			conn := s.giant(t, 16<<20)
			defer conn.Close()
			_ = conn.SetReadDeadline(time.Now().Add(5 * time.Second))
			_, _ = conn.Read(make([]byte, 1))
		})
	}
	all.Wait()
}

// settle waits until the server has read what it was sent: it answers one that came later.
func (s *siege) settle(t *testing.T) {
	t.Helper()
	for range 3 {
		s.Get(t, "/api/v1/models", s.key)
	}
}

func (s *siege) post(t *testing.T, path, body string) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	r, _ := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+s.key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Anthropic-Version", "2023-06-01")
	answer, err := s.Client.Do(r)
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 300))
	t.Logf("%d: %.300s", answer.StatusCode, text)
	return answer.StatusCode
}

func nameAFileOften(t *testing.T, s *siege) {
	id := s.upload(t, "p.png", noisyPNG(t, 4<<20))
	part := fmt.Sprintf(`{"type":"file","file":{"file_id":%q}}`, id)
	picture := fmt.Sprintf(`{"type":"image_url","image_url":{"url":%q}}`, id)
	for _, p := range []string{part, picture} {
		for _, model := range []string{"o/m", "a/m"} {
			s.post(t, "/api/v1/chat/completions", `{"model":"`+model+`","max_tokens":5,"messages":[{"role":"user","content":[`+strings.TrimSuffix(strings.Repeat(p+",", 40), ",")+`]}]}`)
		}
	}
}

func nameAddresses(t *testing.T, s *siege) {
	content := noisyPNG(t, 4<<20)
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content) }))
	defer host.Close()
	var parts []string
	for i := range 40 {
		parts = append(parts, fmt.Sprintf(`{"type":"image","source":{"type":"url","url":"%s/%d.png"}}`, host.URL, i))
	}
	s.post(t, "/api/v1/messages", `{"model":"o/m","max_tokens":5,"messages":[{"role":"user","content":[`+strings.Join(parts, ",")+`]}]}`)
	s.post(t, "/api/v1/messages", `{"model":"g/m","max_tokens":5,"messages":[{"role":"user","content":[`+strings.Join(parts, ",")+`]}]}`)
	s.post(t, "/api/v1beta/models/o/m:generateContent", `{"contents":[{"parts":[`+strings.TrimSuffix(strings.Repeat(`{"fileData":{"mimeType":"image/png","fileUri":"`+host.URL+`/x.png"}},`, 40), ",")+`]}]}`)
}

func namePacked(t *testing.T, s *siege) {
	member := func(b []byte) []byte {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = z.Write(b)
		_ = z.Close()
		return packed.Bytes()
	}
	small := append(member(noisyPNG(t, 1<<20)), bytes.Repeat(member(make([]byte, 1<<20)), 1<<10)...)
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(small)
	}))
	defer host.Close()
	var all sync.WaitGroup
	for i := range unpacked {
		all.Go(func() {
			s.post(t, "/api/v1/messages", fmt.Sprintf(`{"model":"g/m","max_tokens":5,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"url","url":"%s/%d.png"}}]}]}`, host.URL, i))
		})
	}
	all.Wait()
}

func sendTinyMessages(t *testing.T, s *siege) {
	body := func(model string) string {
		return `{"model":"` + model + `","max_tokens":5,"messages":[` + strings.TrimSuffix(strings.Repeat(`{"role":"user","content":[{"type":"text","text":"a"}]},`, 600_000), ",") + `]}`
	}
	var all sync.WaitGroup
	for _, model := range []string{"o/m", "a/m", "stele/sandbox"} {
		all.Go(func() { s.post(t, "/api/v1/chat/completions", body(model)) })
	}
	all.Wait()
}

func askForEight(t *testing.T, s *siege) {
	s.post(t, "/api/v1/chat/completions", `{"model":"a/m","n":8,"max_tokens":5,"messages":[{"role":"user","content":"`+strings.Repeat("long ", 4<<20)+`"}]}`)
}

func sendLargeTexts(t *testing.T, s *siege) {
	text := strings.Repeat(`lo\n `, 6<<20)
	var all sync.WaitGroup
	for i := range 12 {
		model := []string{"a/m", "o/m", "stele/sandbox"}[i%3]
		all.Go(func() {
			s.post(t, "/api/v1/chat/completions", `{"model":"`+model+`","max_tokens":5,"messages":[{"role":"user","content":"`+text+`"}]}`)
		})
	}
	all.Wait()
}

func sendLists(t *testing.T, s *siege) {
	for _, field := range []string{"stop", "messages", "tools", "metadata", "logit_bias"} {
		value := "[" + strings.Repeat("0,", zeros) + "0]"
		if field == "metadata" || field == "logit_bias" {
			var b strings.Builder
			for i := range names {
				fmt.Fprintf(&b, `"%d":0,`, i)
			}
			value = "{" + strings.TrimSuffix(b.String(), ",") + "}"
		}
		s.post(t, "/api/v1/chat/completions", `{"model":"a/m","`+field+`":`+value+`,"max_tokens":5}`)
	}
}

// What is legal goes on as before: the largest body, translated and passed on, a picture
// of 30 MB as a file and at an address.
func TestTheLargestLegalRequestsAreServed(t *testing.T) { //nolint:paralleltest // its memory is looked at
	s := besiege(t)
	picture := noisyPNG(t, 29<<20)
	id := s.upload(t, "p.png", picture)
	text := strings.Repeat("a text that is long. ", (31<<20)/21)
	inline := base64.StdEncoding.EncodeToString(picture[:23<<20])
	for name, ask := range map[string]struct{ path, body string }{
		"a text, translated":              {"/api/v1/chat/completions", `{"model":"a/m","max_tokens":5,"messages":[{"role":"user","content":"` + text + `"}]}`},
		"a text, passed on":               {"/api/v1/chat/completions", `{"model":"o/m","messages":[{"role":"user","content":"` + text + `"}]}`},
		"a text to the sandbox":           {"/api/v1/chat/completions", `{"model":"stele/sandbox","messages":[{"role":"user","content":"` + text + `"}]}`},
		"a text with breaks, translated":  {"/api/v1/messages", `{"model":"o/m","max_tokens":5,"messages":[{"role":"user","content":"` + strings.Repeat(`a line of a text\n`, (30<<20)/18) + `"}]}`},
		"a picture in it, translated":     {"/api/v1/messages", `{"model":"o/m","max_tokens":5,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + inline + `"}}]}]}`},
		"a picture in it, passed on":      {"/api/v1/chat/completions", `{"model":"o/m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + inline + `"}}]}]}`},
		"a picture as a file, translated": {"/api/v1/chat/completions", `{"model":"a/m","max_tokens":5,"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"` + id + `"}}]}]}`},
		"a picture as a file, passed on":  {"/api/v1/chat/completions", `{"model":"o/m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"` + id + `"}}]}]}`},
		"a picture as a file, gemini":     {"/api/v1beta/models/o/m:generateContent", `{"contents":[{"parts":[{"fileData":{"mimeType":"image/png","fileUri":"files/` + id + `"}}]}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			before := rig.AtRest(t, s.PID())
			if status := s.post(t, ask.path, ask.body); status != http.StatusOK {
				t.Errorf("answered %d", status)
			}
			t.Logf("%d MB before, at most %d MB", before>>20, rig.Memory(t, "VmHWM", s.PID())>>20)
		})
	}
	s.survived(t)
}
