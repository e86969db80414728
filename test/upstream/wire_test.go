package upstream

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// streamed is a question that each server answers with a stream.
func streamed(s *Server) (string, string) {
	switch s.api.(type) {
	case openai:
		return path(s, "", true), chatOpenAI(`{"role":"user","content":"some words to say"}`, `"stream":true`)
	case anthropic:
		return path(s, "", true), chatClaude("", `{"role":"user","content":"some words to say"}`, `"stream":true`)
	}
	return path(s, "gemini-2.5-flash", true), chatGemini(`{"parts":[{"text":"some words to say"}]}`, ``)
}

func all(t *testing.T) map[string]*Server {
	return map[string]*Server{"openai": NewOpenAI(t), "anthropic": NewAnthropic(t), "gemini": NewGemini(t)}
}

// TestCutAtEveryByte expects an error of the connection wherever a stream is cut.
func TestCutAtEveryByte(t *testing.T) {
	t.Parallel()
	for name, s := range all(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			where, body := streamed(s)
			whole := post(t, s, where, body)
			sent, frames := s.Last(t).Sent()
			if sent != len(whole.body) || frames < 5 {
				t.Fatalf("%d bytes in %d frames, not %d", sent, frames, len(whole.body))
			}
			for at := 1; at < len(whole.body); at += 97 {
				s.Next(Cut(at))
				if cut := post(t, s, where, body); cut.body != whole.body[:at] || !errors.Is(cut.err, io.ErrUnexpectedEOF) {
					t.Fatalf("cut at %d: %d bytes, %v", at, len(cut.body), cut.err)
				}
			}
			s.Next(CutFrames(2), ShortFrames(2), Cut(1<<20), Short(10))
			if cut := post(t, s, where, body); cut.err == nil || len(events(t, cut.body)) != 2 {
				t.Errorf("%v %s", cut.err, cut.body)
			}
			if short := post(t, s, where, body); short.err != nil || len(events(t, short.body)) != 2 {
				t.Errorf("%v %s", short.err, short.body)
			}
			if long := post(t, s, where, body); long.body != whole.body || long.err != nil {
				t.Errorf("%v %s", long.err, long.body)
			}
			if short := post(t, s, where, body); short.body != whole.body[:10] || short.err != nil {
				t.Errorf("%v %s", short.err, short.body)
			}
		})
	}
}

func TestWhoHangsUpIsSeen(t *testing.T) {
	t.Parallel()
	for name, s := range all(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			where, body := streamed(s)
			for what, a := range map[string]Answer{
				"never": Never(), "silent": Silent(2), "headers": Silent(0), "endless": Endless(), "line": EndlessLine(), "slow": SlowFirst(time.Hour), "gap": Gap(3, time.Hour),
			} {
				s.Forget()
				s.Next(a)
				ctx, leave := context.WithCancel(t.Context())
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					if response, err := http.DefaultClient.Do(request(t, s, where, body).WithContext(ctx)); err == nil {
						io.Copy(io.Discard, response.Body)
						response.Body.Close()
					}
				}()
				s.WaitRequests(t, 1)
				leave()
				<-ended
				r := s.WaitHangup(t)
				if at, gone := r.HungUp(); !gone || at.Before(r.At) || string(r.Body) != body {
					t.Errorf("%s: %v %v", what, gone, at)
				}
			}
		})
	}
}

// TestTheSameInOtherBytes has the events of a stream survive every way to write it.
func TestTheSameInOtherBytes(t *testing.T) {
	t.Parallel()
	for name, s := range all(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			where, body := streamed(s)
			usual := post(t, s, where, body).body
			for what, c := range map[string]struct {
				answer Answer
				undo   func(string) string
			}{
				"crlf": {CRLF(), func(b string) string { return strings.ReplaceAll(b, "\r\n", "\n") }},
				"cr":   {CR(), func(b string) string { return strings.ReplaceAll(b, "\r", "\n") }},
				"no space": {NoSpace(), func(b string) string {
					return strings.NewReplacer("\ndata:{", "\ndata: {", "event:", "event: ").Replace(b)
				}},
				"bom":      {BOM(), func(b string) string { return strings.TrimPrefix(b, "\ufeff") }},
				"comments": {Comments(), func(b string) string { return strings.ReplaceAll(b, ": keep-alive\n\n", "") }},
				"pieces":   {Pieces(3), func(b string) string { return b }},
				"joined":   {Joined(), func(b string) string { return b }},
				"gzip":     {Gzipped(), func(b string) string { return b }},
			} {
				s.Next(c.answer)
				answer := post(t, s, where, body)
				plain := strings.NewReplacer("\r\n", "\n", "data:{", "data: {", "data:[", "data: [").Replace
				if got := c.undo(answer.body); plain(got) != plain(usual) || answer.err != nil {
					t.Errorf("%s: %v %q", what, answer.err, answer.body)
				}
				if what != "gzip" && what != "pieces" && what != "joined" && answer.body == usual && (name != "gemini" || what != "crlf") {
					t.Errorf("%s is as usual", what)
				}
			}
		})
	}
}

func TestGzipBomb(t *testing.T) {
	t.Parallel()
	s := NewOpenAI(t)
	where, body := streamed(s)
	s.Next(GzipBomb(8))
	r := request(t, s, where, body)
	r.Header.Set("Accept-Encoding", "gzip") // and unpack by hand
	packed := send(t, r)
	unpacked, err := gzip.NewReader(strings.NewReader(packed.body))
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, unpacked)
	if n != 8<<20 || err != nil || len(packed.body) > 128<<10 {
		t.Errorf("%d bytes of %d, %v", n, len(packed.body), err)
	}
}

func TestBadUTF8(t *testing.T) {
	t.Parallel()
	for name, s := range all(t) {
		where, body := streamed(s)
		s.Next(BadUTF8())
		if answer := post(t, s, where, body); utf8.ValidString(answer.body) || !strings.Contains(answer.body, "\xff") {
			t.Errorf("%s: %q", name, answer.body)
		}
	}
}
