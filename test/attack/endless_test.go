package attack

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// endlessWays are what an upstream does that is no friend.
var endlessWays = []string{
	"FRAME", "PACKED", "THOUGHT", "SOUND", "SOUNDS", "CALL", "CALLS", "NAMELESS", "TEXT", "BLANKS", "COMMENTS", "COMMENT", "NOTHING", "LINES", "DATA", "NAMES", "FIELDS", "DELTAS", "USAGES",
	"WIDE PARTS", "WIDE CALLS", "WIDE LIKELIHOODS", "WIDE NOTES", "WIDE CHOICES", "WIDE MEMBERS", "DEEP", "ESCAPES", "BLANK JSON", "HEAD", "HEADS", "ELSEWHERE",
}

// endlessly answers with a stream that does not end by itself.
func endlessly(w http.ResponseWriter, r *http.Request, way string) {
	w.Header().Set("Content-Type", "text/event-stream")
	oddHead(w, way)
	var out io.Writer = w
	if way == "PACKED" {
		w.Header().Set("Content-Encoding", "gzip")
		packer := gzip.NewWriter(w)
		defer packer.Close()
		out = packer
	}
	first, again := endlessFrames(way)
	_, err := io.WriteString(out, first)
	_ = http.NewResponseController(w).Flush()
	end, sent := time.Now().Add(endlessTime), 0
	for n := 0; err == nil && sent < endlessBytes && time.Now().Before(end) && r.Context().Err() == nil; sent += n {
		n, err = io.WriteString(out, again)
	}
}

// endlessFrames are what such a stream begins with, and what it goes on with.
func endlessFrames(way string) (first, again string) {
	frame := func(delta string) string {
		return fmt.Sprintf(`data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"steady","choices":[{"index":0,"delta":{%s},"finish_reason":null}]}`+"\n\n", delta)
	}
	call := func(index int, name, arguments string) string {
		return fmt.Sprintf(`"tool_calls":[{"index":%d,"id":"c%d","type":"function","function":{%s"arguments":%q}}]`, index, index, name, arguments)
	}
	words, named := strings.Repeat("x", 4<<10), `"name":"f",`
	if first, again, found := wholeFrames(way); found {
		return first, again
	}
	switch way {
	case "FRAME", "PACKED":
		return `data: {"choices":[{"index":0,"delta":{"content":"`, strings.Repeat("x", 64<<10)
	case "THOUGHT":
		return frame(`"role":"assistant"`), frame(`"reasoning_content":"` + words + `"`)
	case "SOUND":
		return frame(`"role":"assistant"`), frame(`"audio":{"id":"a","data":"` + words + `"}`)
	case "SOUNDS":
		for i := range 100 {
			again += strings.Replace(frame(`"audio":{"id":"a","data":"`+words+`"}`), `"index":0`, fmt.Sprintf(`"index":%d`, i), 1)
		}
		return frame(`"role":"assistant"`), again
	case "CALL":
		return frame(call(0, named, `{"a":"`)), strings.Repeat(frame(call(0, "", "xxxx")), 50)
	case "CALLS":
		return frame(call(0, named, `{"a":"`)), strings.Repeat(frame(call(1, named, "")), 50)
	case "NAMELESS":
		return frame(`"role":"assistant"`), strings.Repeat(frame(call(0, "", "xxxx")), 50)
	case "COMMENTS":
		return frame(`"role":"assistant"`), strings.Repeat(": x\n", 1000)
	case "COMMENT":
		return ":", words
	case "NOTHING":
		return frame(`"role":"assistant"`), strings.Repeat("data:\n\n", 1000)
	case "LINES":
		return frame(`"role":"assistant"`), strings.Repeat("\n", 4<<10)
	case "DATA":
		return "", strings.Repeat("data: 1\n", 1000)
	case "NAMES":
		return "event: ", words
	case "FIELDS":
		return "", strings.Repeat("x: y\n", 1000)
	case "DELTAS":
		return frame(`"role":"assistant"`), strings.Repeat(`data: {"choices":[{"index":0,"delta":{}}]}`+"\n\n", 100)
	case "USAGES":
		return frame(`"role":"assistant"`), strings.Repeat(`data: {"choices":[],"usage":{"prompt_tokens":9223372036854775807,"completion_tokens":9223372036854775807,"total_tokens":1e300}}`+"\n\n", 100)
	case "BLANKS":
		return frame(`"role":"assistant"`), strings.Repeat(frame(`"content":"\n"`), 50)
	default:
		return frame(`"role":"assistant"`), frame(`"content":"` + words + `"`)
	}
}

// wholeFrames are answers that are no stream: each is one value that never ends.
func wholeFrames(way string) (first, again string, found bool) {
	const begun = `{"id":"c","object":"chat.completion","created":1,"model":"steady","choices":[{"index":0,"finish_reason":"stop",`
	wide := map[string][2]string{
		"WIDE PARTS":       {begun + `"message":{"role":"assistant","content":[`, `{},`},
		"WIDE CALLS":       {begun + `"message":{"role":"assistant","tool_calls":[`, `{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}},`},
		"WIDE LIKELIHOODS": {begun + `"message":{"role":"assistant","content":"x"},"logprobs":{"content":[`, `{"token":"a","logprob":-1,"bytes":[1,2],"top_logprobs":[]},`},
		"WIDE NOTES":       {begun + `"message":{"role":"assistant","content":"x","annotations":[`, `{"type":"url_citation","url_citation":{}},`},
		"WIDE CHOICES":     {`{"id":"c","object":"chat.completion","created":1,"model":"steady","choices":[`, `{},`},
		"WIDE MEMBERS":     {`{"id":"c","x":{`, `"a":0,`},
		"DEEP":             {`{"id":"c","x":`, `{"a":[`},
		"ESCAPES":          {begun + `"message":{"role":"assistant","content":"`, `\u0041`},
		"BLANK JSON":       {"", " "},
	}
	pair, found := wide[way]
	return pair[0], strings.Repeat(pair[1], 64<<10/max(1, len(pair[1]))), found
}

// oddHead is what an answer begins with: as much as a line of it may hold, very many lines, or another place to ask.
func oddHead(w http.ResponseWriter, way string) {
	switch {
	case strings.Contains(way, " ") || way == "DEEP" || way == "ESCAPES":
		w.Header().Set("Content-Type", "application/json")
	case way == "HEAD":
		w.Header().Set("X-Request-Id", strings.Repeat("h", 60<<10))
		w.Header().Set("Retry-After", strings.Repeat("9", 60<<10))
		w.WriteHeader(http.StatusTooManyRequests)
	case way == "HEADS":
		for i := range 8000 {
			w.Header().Set(fmt.Sprint("X-Ratelimit-", i), "1")
		}
	case way == "ELSEWHERE":
		w.Header().Set("Location", "http://169.254.169.254/latest/MARK")
		w.WriteHeader(http.StatusTemporaryRedirect)
	}
}
