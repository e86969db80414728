package provider

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"sort"
	"strings"
	"testing"

	"stele/internal/fault"
)

// claudeEvents are a short answer.
var claudeEvents = []struct{ name, data string }{
	{"message_start", `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":1}}}`},
	{"content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`},
	{"content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hel"}}`},
	{"content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"lo"}}`},
	{"content_block_stop", `{"type":"content_block_stop","index":0}`},
	{"message_delta", `{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":2}}`},
	{"message_stop", `{"type":"message_stop"}`},
}

func claudeFrames() [][]byte {
	frames := make([][]byte, len(claudeEvents))
	for i, e := range claudeEvents {
		frames[i] = chunk(e.data)
	}
	return frames
}

const bedrockModel = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0"

var authorization = regexp.MustCompile(`^AWS4-HMAC-SHA256 Credential=AKID/(\d{8})/us-east-1/bedrock/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$`)

// wrongSignature checks a request's signature as Amazon's documents describe it,
// and says what is wrong with it.
func wrongSignature(host, uri, body string, head http.Header) string {
	found := authorization.FindStringSubmatch(head.Get("Authorization"))
	if found == nil {
		return "header " + head.Get("Authorization")
	}
	day, names, signature := found[1], strings.Split(found[2], ";"), found[3]
	if !sort.StringsAreSorted(names) || !strings.HasPrefix(head.Get("X-Amz-Date"), day) {
		return "names or date"
	}
	var lines string
	for _, name := range names {
		value := head.Get(name)
		if name == "host" {
			value = host
		}
		lines += name + ":" + strings.TrimSpace(value) + "\n"
	}
	path, _, _ := strings.Cut(uri, "?")
	path = strings.ReplaceAll(url.PathEscape(path), "%2F", "/") // what is encoded already is once more
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return hex.EncodeToString(sum[:])
	}
	canonical := fmt.Sprintf("POST\n%s\n\n%s\n%s\n%s", path, lines, strings.Join(names, ";"), hash(body))
	text := fmt.Sprintf("AWS4-HMAC-SHA256\n%s\n%s/us-east-1/bedrock/aws4_request\n%s", head.Get("X-Amz-Date"), day, hash(canonical))
	key := []byte("AWS4secret")
	for _, part := range []string{day, "us-east-1", "bedrock", "aws4_request", text} {
		h := hmac.New(sha256.New, key)
		h.Write([]byte(part))
		key = h.Sum(nil)
	}
	if hex.EncodeToString(key) != signature {
		return "signature of " + canonical
	}
	return ""
}

func openBedrock(t *testing.T, server *cloud) *Chat {
	t.Helper()
	return open(t, "bedrock", server.URL, "", map[string]string{
		"region": "us-east-1", "access_key_id": "AKID", "secret_access_key": "secret", "session_token": "session",
	}, server.Client())
}

func TestBedrockServesClaudeWhole(t *testing.T) {
	t.Parallel()
	server := newCloud(t, jsonAnswer(anthropicAnswer))
	c := openBedrock(t, server)
	header := http.Header{"Anthropic-Version": {"2023-06-01"}, "Anthropic-Beta": {"one,two", "three"}}
	body := strings.TrimSuffix(askAnthropic, "}") + ` , "stream": false}`
	reply, err := ask(t, c, "anthropic", bedrockModel, body, header)
	if err != nil {
		t.Fatal(err)
	}
	if !reply.Passed || string(reply.Raw) != anthropicAnswer {
		t.Errorf("%s", reply.Raw)
	}
	uri, head, sent := server.asked()
	if want := "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Ainference-profile%2Fus.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke"; uri != want {
		t.Errorf("got %s, want %s", uri, want)
	}
	if want := `{"max_tokens":10, "messages":[{"role":"user","content":"hi"}],"anthropic_version":"bedrock-2023-05-31","anthropic_beta":["one","two","three"]}`; sent != want {
		t.Errorf("got  %s\nwant %s", sent, want)
	}
	if why := wrongSignature(strings.TrimPrefix(server.URL, "http://"), uri, sent, head); why != "" {
		t.Error(why)
	}
	for _, name := range []string{"Anthropic-Version", "Anthropic-Beta", "X-Api-Key"} {
		if head.Get(name) != "" {
			t.Errorf("%s was sent", name)
		}
	}
	if head.Get("X-Amz-Security-Token") != "session" {
		t.Error(head)
	}
}

func TestBedrockServesClaudeStreamed(t *testing.T) {
	t.Parallel()
	server := newCloud(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", eventStreamType)
		for _, f := range claudeFrames() {
			_, _ = w.Write(f)
			_ = http.NewResponseController(w).Flush()
		}
	})
	c := openBedrock(t, server)
	for from, body := range map[string]string{"anthropic": askAnthropic, "openai": askOpenAI, "gemini": askGemini} {
		reply, err := ask(t, c, from, "anthropic.claude-sonnet-4-5-20250929-v1:0", strings.TrimSuffix(body, "}")+`,"stream":true}`, nil)
		if err != nil {
			t.Fatal(err)
		}
		var raw bytes.Buffer
		var text strings.Builder
		for chunk, err := range reply.Stream {
			if err != nil {
				t.Fatal(err)
			}
			raw.Write(chunk.Raw)
			for _, e := range chunk.Events {
				text.WriteString(e.Part.Text)
			}
		}
		want := ""
		for _, e := range claudeEvents {
			want += "event: " + e.name + "\ndata: " + e.data + "\n\n"
		}
		if reply.Passed && raw.String() != want {
			t.Errorf("%s: %s", from, raw.String())
		} else if !reply.Passed && text.String() != "hello" {
			t.Errorf("%s: %s", from, text.String())
		}
		if u := reply.Seen.Usage; u.Input != 3 || u.Output != 2 {
			t.Errorf("%s: %+v", from, u)
		}
		uri, head, sent := server.asked()
		if uri != "/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke-with-response-stream" || strings.Contains(sent, `"stream"`) || strings.Contains(sent, `"model"`) {
			t.Errorf("%s %s", uri, sent)
		}
		if why := wrongSignature(strings.TrimPrefix(server.URL, "http://"), uri, sent, head); why != "" {
			t.Error(why)
		}
	}
}

func TestABedrockStreamThatGoesWrongSaysSo(t *testing.T) {
	t.Parallel()
	start := bytes.Join(claudeFrames()[:3], nil)
	damaged := claudeFrames()[3]
	damaged[len(damaged)/2] ^= 1
	for name, test := range map[string]struct {
		stream []byte
		code   fault.Code
	}{
		"cut between frames": {start, fault.UpstreamError},
		"cut in a frame":     {append(bytes.Clone(start), claudeFrames()[3][:40]...), fault.UpstreamError},
		"damaged":            {append(bytes.Clone(start), damaged...), fault.UpstreamError},
		"throttled":          {append(bytes.Clone(start), exception("throttlingException", "slow")...), fault.RateLimited},
		"overloaded":         {append(bytes.Clone(start), exception("serviceUnavailableException", "x")...), fault.Unavailable},
		"timed out":          {append(bytes.Clone(start), exception("modelTimeoutException", "x")...), fault.UpstreamTimeout},
		"failed":             {append(bytes.Clone(start), exception("modelStreamErrorException", "x")...), fault.UpstreamError},
	} {
		server := newCloud(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", eventStreamType)
			_, _ = w.Write(test.stream)
		})
		c := openBedrock(t, server)
		for _, from := range []string{"anthropic", "openai"} {
			body := map[string]string{"anthropic": askAnthropic, "openai": askOpenAI}[from]
			reply, err := ask(t, c, from, "m", strings.TrimSuffix(body, "}")+`,"stream":true}`, nil)
			if err == nil {
				for _, broken := range reply.Stream {
					err = broken
				}
			}
			if err == nil {
				t.Errorf("%s, %s: ended as if it were whole", name, from)
			} else if e := fault.From(err); e.Code != test.code {
				t.Errorf("%s, %s: %v", name, from, e)
			}
		}
	}
}

func TestAnExceptionAtOnceLeavesTheWayToAnother(t *testing.T) {
	t.Parallel()
	server := newCloud(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", eventStreamType)
		_, _ = w.Write(exception("throttlingException", "slow"))
	})
	_, err := ask(t, openBedrock(t, server), "anthropic", "m", strings.TrimSuffix(askAnthropic, "}")+`,"stream":true}`, nil)
	if e := failure(t, err); e.Code != fault.RateLimited {
		t.Error(e)
	}
}

func TestBedrocksRefusalsAreUnderstood(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status       int
		header, body string
		code         fault.Code
		credentials  bool
	}{
		{400, "ValidationException:http://internal.amazon.com/coral/x/", `{"message":"max_tokens: Field required"}`, fault.InvalidParameter, false},
		{400, "ValidationException", `{"message":"Input is too long for requested model."}`, fault.InvalidParameter, false},
		{400, "ValidationException", `{"message":"The provided model identifier is invalid."}`, fault.ModelNotFound, false},
		{404, "ResourceNotFoundException", `{"message":"Could not resolve the foundation model from the provided model identifier."}`, fault.ModelNotFound, false},
		{403, "AccessDeniedException", `{"Message":"User: arn:aws:iam::123456789012:user/x is not authorized"}`, fault.UpstreamError, true},
		{403, "InvalidSignatureException", `{"message":"The request signature we calculated does not match"}`, fault.UpstreamError, true},
		{400, "ServiceQuotaExceededException", `{"message":"Too many tokens per day"}`, fault.RateLimited, false},
		{429, "ThrottlingException", `{"message":"Too many requests"}`, fault.RateLimited, false},
		{429, "ModelNotReadyException", `{"message":"wait"}`, fault.Unavailable, false},
		{408, "ModelTimeoutException", `{"message":"x"}`, fault.UpstreamTimeout, false},
		{424, "ModelErrorException", `{"message":"x"}`, fault.UpstreamError, false},
		{500, "InternalServerException", `{"message":"x"}`, fault.UpstreamError, false},
		{503, "ServiceUnavailableException", ``, fault.Unavailable, false},
	} {
		server := newCloud(t, refusal(test.status, test.header, test.body))
		_, err := ask(t, openBedrock(t, server), "anthropic", "m", askAnthropic, nil)
		e := failure(t, err)
		if e.Code != test.code || e.Credentials != test.credentials || strings.Contains(e.Message, "123456789012") {
			t.Errorf("%s %s: %v", test.header, test.body, e)
		}
	}
}

func TestBedrockTakesAKeyInsteadOfASignature(t *testing.T) {
	t.Parallel()
	server := newCloud(t, jsonAnswer(anthropicAnswer))
	c := open(t, "bedrock", server.URL, "ABSK-key", map[string]string{"region": "us-east-1"}, server.Client())
	if _, err := ask(t, c, "anthropic", "m", askAnthropic, nil); err != nil {
		t.Fatal(err)
	}
	if _, head, _ := server.asked(); head.Get("Authorization") != "Bearer ABSK-key" || head.Get("X-Amz-Date") != "" {
		t.Error(head)
	}
}
