package attack

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// endlessTime is how long an upstream goes on at most.
const endlessTime = 6 * time.Second

// endlessly answers with a stream that does not end by itself.
func endlessly(w http.ResponseWriter, r *http.Request, way string) {
	w.Header().Set("Content-Type", "text/event-stream")
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
	case "BLANKS":
		return frame(`"role":"assistant"`), strings.Repeat(frame(`"content":"\n"`), 50)
	default:
		return frame(`"role":"assistant"`), frame(`"content":"` + words + `"`)
	}
}
