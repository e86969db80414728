package attack

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/test/rig"
)

// What a tenant says in chats. The first counts rows, and the last leaves an upstream that is held for broken.
func TestChatsOfATenant(t *testing.T) { //nolint:paralleltest // besiege sees to that
	onOneHouse(t,
		attack{"names of models are not kept", namesOfModelsAreNotKept},
		attack{"a key gets the model that it opens", aKeyGetsTheModelThatItOpens},
		attack{"addresses that lead inside do not pass", addressesThatLeadInsideDoNotPass},
		attack{"a file named often is many files", aFileNamedOftenIsManyFiles},
		attack{"heavy bodies are quick work", heavyBodiesAreQuickWork},
		attack{"a revoked key ends its streams", aRevokedKeyEndsItsStreams},
		attack{"a breaker opens for who breaks", aBreakerOpensForWhoBreaks},
	)
}

// Names of models are refused before anything is kept of them, and other tenants'
// rows are saved beside them.
func namesOfModelsAreNotKept(t *testing.T, s *siege) {
	names := []string{
		`a\u0000b`, strings.Repeat("n", 6<<10), strings.Repeat("n", 257), strings.Repeat("é", 200), `a\nb`, `a\u202eb`, "", " ", "self/../../admin", "gem/../../../admin",
		"self//x", "self/./x", "/", "..", "gem/%2e%2e/%2e%2e/admin", strings.Repeat("n", 8<<20),
	}
	s.under(t, func() {
		for i, name := range names {
			for _, prefix := range []string{"", "self/", "gem/"} {
				a := s.chat(t, fmt.Sprintf(`{"model":"%s%s","messages":[{"role":"user","content":"x"}]}`, prefix, name))
				if a.Status >= 500 || len(a.Body) > 4<<10 {
					t.Errorf("%s and name %d: %d, %d bytes", prefix, i, a.Status, len(a.Body))
				}
			}
		}
		for range 100 {
			s.greet(t)
		}
	})
	paths, _, _ := s.up.heard()
	for _, path := range paths {
		if strings.Contains(path, "..") || strings.Contains(path, "admin") && !strings.Contains(path, "%2F") && !strings.HasPrefix(path, "/v1beta/models/") {
			t.Errorf("the upstream was asked for %.200s", path)
		}
	}
	books := s.Books(t, "")
	var rows, longest int
	rig.Eventually(t, "the good rows are saved", func() bool {
		if err := books.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM requests WHERE workspace = 'victim' AND status = 200`).Scan(&rows); err != nil {
			t.Fatal(err)
		}
		return rows >= 100
	})
	for _, table := range []string{"requests", "usage_days"} {
		if err := books.QueryRowContext(t.Context(), `SELECT COALESCE(MAX(LENGTH(model)), 0) FROM `+table).Scan(&longest); err != nil {
			t.Fatal(err)
		}
		if longest > 256 {
			t.Errorf("%s keeps a model's name of %d characters", table, longest)
		}
	}
}

// A key that opens one model gets no other by a second name for it.
func aKeyGetsTheModelThatItOpens(t *testing.T, s *siege) {
	s.bad = s.CreateKey(t, "--allow-model", "self/small")
	s.Await(t, s.bad.Key, http.StatusOK)
	ways := []string{
		`"Model":"BIG"`, `"MODEL":"BIG"`, `"mOdel":"BIG"`, `"models":["BIG"]`, `"fallbacks":["BIG"]`, `"fallbacks":[{"small":["BIG"]}]`,
		`"extra_body":{"model":"BIG"}`, `"extra_body":{"models":["BIG"]}`, `"extra_body":{"Model":"BIG"}`, `"options":{"model":"BIG"}`, `"extra_body":{"extra_body":{"model":"BIG"}}`,
		`"context_window_fallbacks":[{"small":["BIG"]}]`, `"model_list":[{"model_name":"small","litellm_params":{"model":"BIG"}}]`,
	}
	for _, way := range ways {
		for _, format := range []string{`{"model":"self/small",%s,"messages":[{"role":"user","content":"x"}]}`, `{%s,"model":"self/small","messages":[{"role":"user","content":"x"}]}`} {
			s.chat(t, fmt.Sprintf(format, way))
		}
	}
	_, said, _ := s.up.heard()
	for _, body := range said {
		if strings.Contains(body, "BIG") {
			t.Errorf("the upstream was told %s", body)
		}
	}
}

// Addresses that lead inside do not reach an upstream that would fetch them.
func addressesThatLeadInsideDoNotPass(t *testing.T, s *siege) {
	addresses := []string{
		"http://127.0.0.1/MARK", "http://localhost/MARK", "http://169.254.169.254/MARK", "http://[::1]/MARK", "http://10.0.0.1/MARK", "http://0x7f000001/MARK",
		"http://2130706433/MARK", "http://127.1/MARK", "http://[::ffff:127.0.0.1]/MARK", "http://192.168.0.1:8080/MARK", "file:///etc/MARK", "FILE:///etc/MARK",
		"gopher://127.0.0.1/MARK", "http://user@127.0.0.1/MARK", "http://127.0.0.1.nip.invalid@127.0.0.1/MARK", " http://127.0.0.1/MARK", "HTTP://LOCALHOST/MARK", "//127.0.0.1/MARK",
		"ftp://10.0.0.1/MARK", "http://metadata.google.internal/MARK", "/etc/MARK", "http://100.64.0.1/MARK", "http://[fd00::1]/MARK", "http://0/MARK",
	}
	parts := []string{
		`{"type":"image_url","image_url":{"url":%q}}`, `{"type":"image_url","image_url":%q}`, `{"type":"video_url","video_url":{"url":%q}}`,
		`{"type":"audio_url","audio_url":{"url":%q}}`, `{"type":"input_image","image_url":%q}`, `{"type":"input_video","input_video":{"url":%q}}`,
		`{"type":"file","file":{"file_data":%q}}`, `{"type":"file","file":{"file_url":%q}}`, `{"type":"input_file","file_url":%q}`,
		`{"type":"image","image":%q}`, `{"type":"video","video":[%q]}`,
		`{"type":"image_url","Image_URL":{"URL":%q}}`, `{"Type":"image_url","IMAGE_URL":{"Url":%q}}`, `{"type":"text","Text":%q}`, `{"type":"image","Arguments":{"Image":%q}}`,
	}
	for _, part := range parts {
		for _, address := range addresses {
			if (strings.Contains(part, "file_data") || strings.Contains(part, `"Text"`)) && strings.HasPrefix(address, "/etc") {
				continue // there it is base64, or words, and nothing else
			}
			quoted := fmt.Sprintf(part, address)
			s.chat(t, `{"model":"self/steady","messages":[{"role":"user","content":[{"type":"text","text":"x"},`+quoted+`]}]}`)
		}
	}
	_, said, _ := s.up.heard()
	seen := make(map[string]bool)
	for _, body := range said {
		if strings.Contains(body, "MARK") {
			seen[body] = true
		}
	}
	for body := range seen {
		t.Errorf("the upstream was told %d such addresses, as in %s", len(seen), body)
		break
	}
}

// upload puts a file of the bad tenant's into the house.
func (s *siege) upload(t *testing.T, name string, bytesOf []byte) string {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	_ = w.WriteField("purpose", "user_data") // documents are taken for chats
	part, err := w.CreateFormFile("file", name)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write(bytesOf)
	_ = w.Close()
	a := s.send(t, "/api/v1/files", w.FormDataContentType(), &form)
	id := regexp.MustCompile(`"file_\w+"`).FindString(a.Body)
	if id == "" {
		t.Fatalf("upload: %d %.300s", a.Status, a.Body)
	}
	return strings.Trim(id, `"`)
}

// One file named often is as many files.
func aFileNamedOftenIsManyFiles(t *testing.T, s *siege) {
	id := s.upload(t, "a.txt", bytes.Repeat([]byte("0123456789abcde\n"), 256<<10))
	s.under(t, func() {
		for _, dialect := range []string{"self/steady", "gem/steady"} {
			part := fmt.Sprintf(`{"type":"file","file":{"file_id":%q}}`, id)
			s.chat(t, fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":[%s]}]}`, dialect, strings.Join(slices.Repeat([]string{part}, 40), ",")))
		}
	})
	if _, _, sent := s.up.heard(); sent > 200<<20 {
		t.Errorf("%d MB were sent upstream for 8 KB", sent>>20)
	}
}

// heavy are bodies whose work grew faster than they did.
func heavy() map[string]string {
	list := func(n int, one func(int) string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = one(i)
		}
		return strings.Join(parts, ",")
	}
	tool := func(i int) string { return fmt.Sprintf(`{"type":"function","function":{"name":"f%d"}}`, i) }
	strict := func(schema string) string {
		return `{"model":"gem/steady","messages":[{"role":"user","content":"x"}],"response_format":{"type":"json_schema","json_schema":{"name":"a","strict":true,"schema":` + schema + `}}}`
	}
	shape := func(schema string) string {
		return `{"model":"stele/sandbox","messages":[{"role":"user","content":"x"}],"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":` +
			`{"type":"object","properties":{"a":` + schema + `},"required":["a"]}}}}`
	}
	doubling := func(n int) string {
		return `{"$defs":{"d0":{"type":"string"},` + list(n, func(i int) string {
			return fmt.Sprintf(`"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i+1, i, i)
		}) + fmt.Sprintf(`},"type":"object","properties":{"a":{"$ref":"#/$defs/d%d"}},"required":["a"],"additionalProperties":false}`, n)
	}
	return map[string]string{
		"parts": `{"model":"stele/sandbox","messages":[{"role":"user","content":[` + list(100_000, func(int) string { return `{"type":"text","text":"a"}` }) + `]}]}`,
		"messages": `{"model":"stele/sandbox","messages":[` + list(50_000, func(i int) string {
			return fmt.Sprintf(`{"role":%q,"content":"a"}`, []string{"user", "assistant"}[i%2])
		}) + `]}`,
		"allowed tools": `{"model":"stele/sandbox","messages":[{"role":"user","content":"x"}],"tools":[` + list(30_000, tool) +
			`],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[` + list(30_000, tool) + `]}}}`,
		"tools and a text": `{"model":"stele/sandbox","messages":[{"role":"user","content":"` + strings.Repeat("word ", 20_000) + `"}],"tools":[` + list(50_000, tool) + `]}`,
		"types":            strict(`{"type":"object","properties":{"a":{"type":[` + list(50_000, func(int) string { return `"null"` }) + `]}},"required":["a"],"additionalProperties":false}`),
		"keywords": strict(`{"type":"object","properties":{` + list(20_000, func(i int) string { return fmt.Sprintf(`"p%d":{"type":"string","x-%d":1}`, i, i) }) +
			`},"required":[` + list(20_000, func(i int) string { return fmt.Sprintf(`"p%d"`, i) }) + `],"additionalProperties":false}`),
		"doubling definitions": strict(doubling(20)), "more doubling": strict(doubling(60)),
		"a doubling tool":     `{"model":"gem/steady","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f","parameters":` + doubling(24) + `}}]}`,
		"doubling, sandbox":   strings.Replace(strict(doubling(24)), "gem/steady", "stele/sandbox", 1),
		"names in a schema":   strict(`{"type":"object","properties":{` + list(40_000, func(i int) string { return fmt.Sprintf(`"p%d":{"$ref":"#a%d"}`, i, i) }) + `}}`),
		"nothing in a schema": strict(`{"type":"object","properties":{"a":{` + list(100_000, func(i int) string { return fmt.Sprintf(`"n%d":null`, i) }) + `}}}`),
		"one of all": strict(`{"type":"object","properties":{"a":{` + list(50_000, func(i int) string { return fmt.Sprintf(`"a%d":1`, i) }) + `,"allOf":[{` +
			list(50_000, func(i int) string { return fmt.Sprintf(`"b%d":1`, i) }) + `}]}}}`),
		"tool results": `{"model":"stele/sandbox","messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[` +
			list(20_000, func(i int) string {
				return fmt.Sprintf(`{"id":"c%d","type":"function","function":{"name":"f","arguments":"{}"}}`, i)
			}) + `]},` + list(20_000, func(i int) string { return fmt.Sprintf(`{"role":"tool","tool_call_id":"c%d","content":"r"}`, i) }) + `]}`,
		"a long text":       shape(`{"type":"string","minLength":1000000000}`),
		"a long list":       shape(`{"type":"array","minItems":1000000000,"items":{"type":"integer"}}`),
		"lists of lists":    shape(`{"type":"array","minItems":1000,"items":{"type":"array","minItems":1000,"items":{"type":"array","minItems":1000,"items":{"type":"string","minLength":1000}}}}`),
		"many properties":   shape(`{"type":"object","minProperties":100000000,"additionalProperties":{"type":"string"}}`),
		"a pattern":         shape(`{"type":"string","pattern":"^(((a{30}){30}){30})$"}`),
		"a large number":    shape(`{"type":"integer","multipleOf":1e-300,"minimum":1e300}`),
		"itself":            shape(`{"$ref":"#"}`),
		"many answers":      `{"model":"stele/sandbox","messages":[{"role":"user","content":"x"}],"n":100000000}`,
		"words and answers": `{"model":"stele/sandbox","messages":[{"role":"user","content":"x [[sandbox: words=10000]]"}],"n":128,"logprobs":true,"top_logprobs":20}`,
		"a large seed":      `{"model":"stele/sandbox","messages":[{"role":"user","content":"x"}],"seed":9223372036854775807,"max_tokens":9223372036854775807}`,
		"stops":             `{"model":"stele/sandbox","messages":[{"role":"user","content":"x"}],"stop":[` + list(50_000, func(i int) string { return fmt.Sprintf(`"s%d"`, i) }) + `]}`,
		"biases":            `{"model":"gem/steady","messages":[{"role":"user","content":"x"}],"logit_bias":{` + list(50_000, func(i int) string { return fmt.Sprintf(`"%d":1`, i) }) + `}}`,
	}
}

// A body's work grows no faster than the body.
func heavyBodiesAreQuickWork(t *testing.T, s *siege) {
	s.under(t, func() {
		for name, body := range heavy() {
			before := s.processor(t)
			a := s.chat(t, body)
			took := s.processor(t) - before
			t.Logf("%s: %d KB, %d, %s of processor, %d MB over idle", name, len(body)>>10, a.Status, took, (s.memory(t, "VmHWM")-s.idle)>>20)
			if a.Status >= 500 || a.Status == 0 || took > 5*time.Second {
				t.Errorf("%s: %d, %s of processor: %.200s", name, a.Status, took, a.Body)
			}
			before = s.processor(t)
			if a := s.post(t, "/console/playground/code", "application/json", strings.NewReader(body)); a.Status >= 500 {
				t.Errorf("%s as code: %d", name, a.Status)
			}
			if took := s.processor(t) - before; took > 5*time.Second {
				t.Errorf("%s as code: %s of processor", name, took)
			}
			t.Logf("%s as code: %d MB over idle", name, (s.memory(t, "VmHWM")-s.idle)>>20)
		}
	})
}

// One tenant's requests that break an upstream do not take it from the others.
func aBreakerOpensForWhoBreaks(t *testing.T, s *siege) {
	for range 60 {
		s.chat(t, `{"model":"shared","messages":[{"role":"user","content":"BREAK"}]}`)
	}
	for range 5 {
		if a := s.Post(t, "/api/v1/chat/completions", s.good.Key, `{"model":"shared","messages":[{"role":"user","content":"x"}]}`); a.Status != http.StatusOK {
			t.Errorf("the good tenant: %d %.200s", a.Status, a.Body)
		}
	}
}

// Revoking a key ends what it has begun.
func aRevokedKeyEndsItsStreams(t *testing.T, s *siege) {
	key := s.CreateKey(t)
	s.Await(t, key.Key, http.StatusOK)
	ctx, cancel := context.WithTimeout(t.Context(), rig.Patience)
	defer cancel()
	const body = `{"model":"stele/sandbox","stream":true,"messages":[{"role":"user","content":"x [[sandbox: words=9000 gap=100ms]]"}]}`
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/api/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key.Key)
	response, err := s.Client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := response.Body.Read(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	s.Revoke(t, key.ID)
	if rest, err := io.ReadAll(response.Body); ctx.Err() != nil {
		t.Errorf("the stream goes on: %v, %d bytes", err, len(rest))
	}
}

// All at once: slow clients, silent streams, giants and spinning expressions.
func TestAllAtOnce(t *testing.T) { //nolint:paralleltest // besiege sees to that
	s := besiege(t, "")
	if !s.publish(t, "spin", spinner) {
		t.Fatal("the app that spins is not taken")
	}
	s.under(t, func() {
		var open sync.Map
		var all sync.WaitGroup
		keep := func(n int, text func(int) string) {
			for i := range n {
				if c := s.dial(t, text(i)); c != nil {
					open.Store(c, true)
				}
			}
		}
		keep(slowClients, func(i int) string {
			return fmt.Sprintf("POST /console/signin HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n%d", i)
		})
		keep(silentStreams, func(int) string {
			const body = `{"model":"stele/sandbox","stream":true,"messages":[{"role":"user","content":"x [[sandbox: silence]]"}]}`
			return fmt.Sprintf("POST /api/v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
				s.bad.Key, len(body), body)
		})
		keep(giants, func(int) string {
			return fmt.Sprintf("POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nX-Api-Key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n{", s.bad.Key, 32<<20)
		})
		for range spinning {
			all.Go(func() {
				s.post(t, "/console/apps/spin/price", "application/x-www-form-urlencoded", strings.NewReader("seed=x"))
			})
		}
		all.Wait()
		for range 50 {
			s.greet(t)
		}
		open.Range(func(c, _ any) bool { return c.(io.Closer).Close() == nil })
	})
}
