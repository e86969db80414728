// Command speed is the two processes that Stele's figures are measured against:
// an upstream that answers as fast as it can, and a bare reverse proxy.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("speed", flag.ContinueOnError)
	target := flags.String("proxy", "", "be a bare reverse proxy to this address; otherwise be the upstream")
	chunks := flags.Int("chunks", 100, "text frames in a stream")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var handler http.Handler = upstream(*chunks)
	if *target != "" {
		to, err := url.Parse(*target)
		if err != nil {
			return err
		}
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.MaxIdleConnsPerHost = 256
		transport.DisableCompression = true
		handler = &httputil.ReverseProxy{
			Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(to) },
			FlushInterval: -1,
			Transport:     transport,
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + listener.Addr().String()) // the parent reads where we are
	if err := http.Serve(listener, handler); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// upstream answers like OpenAI's API, without looking at anything but "stream".
func upstream(chunks int) http.Handler {
	const head = `data: {"id":"chatcmpl-abcdefghijklmnopqrstuvwxyz","object":"chat.completion.chunk","created":1763200000,"model":"gpt-4.1-2025-04-14","service_tier":"default","system_fingerprint":"fp_0123456789",`
	frames := []string{head + `"choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}],"usage":null}` + "\n\n"}
	for i := range chunks {
		frames = append(frames, fmt.Sprintf(head+`"choices":[{"index":0,"delta":{"content":" word%d"},"logprobs":null,"finish_reason":null}],"usage":null}`+"\n\n", i))
	}
	frames = append(frames,
		head+`"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"usage":null}`+"\n\n",
		head+`"choices":[],"usage":{"prompt_tokens":20,"completion_tokens":100,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}}`+"\n\n",
		"data: [DONE]\n\n")
	whole := []byte(`{"id":"chatcmpl-abcdefghijklmnopqrstuvwxyz","object":"chat.completion","created":1763200000,"model":"gpt-4.1-2025-04-14","choices":[{"index":0,"message":{"role":"assistant","content":"` +
		strings.Repeat("Some words of an answer. ", 40) + `","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":20,"completion_tokens":200,"total_tokens":220,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}},"service_tier":"default","system_fingerprint":"fp_0123456789"}`)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if !strings.Contains(string(body), `"stream":true`) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(whole)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		control := http.NewResponseController(w)
		for i, frame := range frames {
			if _, err := io.WriteString(w, frame); err != nil || control.Flush() != nil {
				return
			}
			if i == 0 && strings.Contains(string(body), `"user":"hold"`) {
				<-r.Context().Done() // an open stream, for measuring memory
				return
			}
		}
	})
}
