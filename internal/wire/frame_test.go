package wire

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// all reads a stream and tells its frames as event|data.
func all(r io.Reader, longest int) (frames []string, raw string, err error) {
	s := NewSSE(r, longest)
	for {
		f, err := s.Next()
		if err != nil {
			if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				err = nil
			}
			return frames, raw, err
		}
		raw += string(f.Raw)
		frames = append(frames, string(f.Event)+"|"+string(f.Data))
	}
}

func TestFrames(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ in, want string }{
		"one":                            {"data: a\n\n", "|a"},
		"named":                          {"event: x\ndata: a\n\n", "x|a"},
		"without a space":                {"data:a\n\n", "|a"},
		"only one space is taken":        {"data:  a\n\n", "| a"},
		"several lines":                  {"data: a\ndata: b\n\n", "|a\nb"},
		"CRLF":                           {"event: x\r\ndata: a\r\n\r\ndata: b\r\n\r\n", "x|a,|b"},
		"CR":                             {"event: x\rdata: a\r\rdata: b\r\r", "x|a,|b"},
		"a comment at the end":           {"data: a\n\n: bye\n", "|a,|"},
		"comments, ids and retries":      {": hi\n\nid: 7\nretry: 1\ndata: a\n\n", "|,|a"},
		"byte order mark":                {"\xef\xbb\xbfdata: a\n\n", "|a"},
		"the last blank line missing":    {"data: a\n\ndata: b\n", "|a,|b"},
		"a bare newline is a keep-alive": {"\ndata: a\n\n", "|,|a"},
		"no blank lines between objects": {"data: {\"a\":1}\r\nid: 1\ndata:{}\ndata: [DONE]\n", `|{"a":1},|{},|[DONE]`},
		"a name behind its data":         {"data: {}\nevent: a\n\ndata: {}\nevent: b\n\n", "a|{},b|{}"},
		"nor before names":               {"event: x\ndata: {}\nevent: y\ndata: {}\n", "x|{},y|{}"},
		"an object in several lines":     {"data: {\"a\":\ndata: {}\ndata: }\n\n", "|{\"a\":\n{}\n}"},
		"empty":                          {"", ""},
	} {
		for _, r := range []io.Reader{strings.NewReader(test.in), iotest.OneByteReader(strings.NewReader(test.in))} {
			frames, raw, err := all(r, 1<<20)
			if got := strings.Join(frames, ","); got != test.want || err != nil {
				t.Errorf("%s: %q, %v; want %q", name, got, err, test.want)
			}
			// Every byte is passed on, and the lines that are missing are added.
			again, _, _ := all(strings.NewReader(raw), 1<<20)
			if joined := strings.NewReplacer("\r", "", "\n", ""); strings.Join(again, ",") != test.want || joined.Replace(raw) != joined.Replace(test.in) || len(raw) > len(test.in)+len(frames) {
				t.Errorf("%s: raw %q, want every byte of %q", name, raw, test.in)
			}
		}
	}
}

func TestBrokenFrames(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"data: a\n\ndata: b", "event: x\n", "da", "data: {}\ndata: {}", "data: {}\nevent: x", "data: {}\ndata: {\"a"} {
		if _, _, err := all(strings.NewReader(in), 1<<20); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%q: %v, want an unexpected end", in, err)
		}
	}
	endless := io.MultiReader(strings.NewReader("data: "), iotest.DataErrReader(bytes.NewReader(make([]byte, 10<<20))))
	if _, _, err := all(endless, 1<<20); !errors.Is(err, ErrTooLong) {
		t.Errorf("an endless line: %v", err)
	}
	many := strings.Repeat("data: x\n", 1<<18)
	if _, _, err := all(strings.NewReader(many), 1<<20); !errors.Is(err, ErrTooLong) {
		t.Errorf("an endless event: %v", err)
	}
}

func TestWaiting(t *testing.T) {
	t.Parallel()
	s := NewSSE(strings.NewReader("data: a\n\ndata: b\n\n"), 1<<20)
	for i, want := range []bool{false, true} {
		if _, err := s.Next(); err != nil || s.Waiting() != want {
			t.Errorf("after frame %d: waiting %v, %v", i, s.Waiting(), err)
		}
	}
}

func TestHalfAnEventIsWaitedFor(t *testing.T) {
	t.Parallel()
	s := NewSSE(strings.NewReader("data: a\n\ndata: b\n\ndata: c"), 1<<20)
	for i, want := range []bool{false, true} {
		if _, err := s.Next(); err != nil || s.Waiting() != want {
			t.Errorf("after frame %d: waiting %v, %v", i, s.Waiting(), err)
		}
	}
}

func TestARunIsCutAsItWouldBeRead(t *testing.T) {
	t.Parallel()
	for _, run := range []string{
		"data: a\n\n", "event: x\ndata: a\n\nevent: y\ndata: b\n\n", ": hi\n\ndata: a\ndata: b\n\n\n\ndata:\n\n",
		"event: x\r\ndata: a\r\n\r\ndata: b\r\n\r\n", "id: 1\nretry\ndata\n\n", "",
	} {
		want, _, err := all(strings.NewReader(run), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		var raw string
		for rest := []byte(run); len(rest) > 0; {
			var f Frame
			f, rest = Cut(rest)
			got = append(got, string(f.Event)+"|"+string(f.Data))
			raw += string(f.Raw)
		}
		if strings.Join(got, ",") != strings.Join(want, ",") || raw != run {
			t.Errorf("%q is cut into %q of %q, want %q", run, got, raw, want)
		}
	}
	for run, want := range map[string]int{
		"": 0, "data: a\n\n": 1, "event: x\ndata: a\n\nevent: y\ndata: b\n\n": 2, "data: a\r\n\r\ndata: b\r\n\r\ndata: c\r\n\r\n": 3,
	} {
		if got := Events([]byte(run)); got != want {
			t.Errorf("%q has %d events, want %d", run, got, want)
		}
	}
}

func FuzzSSE(f *testing.F) {
	f.Add([]byte("event: a\r\ndata: {}\r\n\r\n: c\n\ndata: [DONE]\n\n"))
	f.Add([]byte("0\n"))
	f.Add([]byte("data:{}\ndata:[]\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		_, raw, err := all(bytes.NewReader(in), 1<<16)
		if err == nil && isMissing(raw, in) {
			t.Errorf("lost bytes: %q became %q", in, raw)
		}
	})
}

// isMissing reports whether a text has not all bytes of in, in their order, or more besides than the ends of lines
// that were missing.
func isMissing(text string, in []byte) bool {
	for _, b := range []byte(text) {
		if len(in) > 0 && in[0] == b {
			in = in[1:]
		} else if b != '\r' && b != '\n' {
			return true
		}
	}
	return len(in) > 0
}

func BenchmarkSSE(b *testing.B) {
	frame := `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"word"}}]}` + "\n\n"
	in := strings.Repeat(frame, 100)
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		s := NewSSE(strings.NewReader(in), 1<<20)
		for {
			if _, err := s.Next(); err != nil {
				break
			}
		}
	}
}

func TestTail(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"data: a\n\ndata: b\n\ndata: c\n\n":             "data: b\n\ndata: c\n\n",
		"data: a\r\n\r\ndata: b\r\n\r\ndata: c\r\n\r\n": "data: b\r\n\r\ndata: c\r\n\r\n",
		"data: a\n\n": "data: a\n\n",
		"event: x\ndata: a\n\nevent: y\ndata: b\n\n": "event: x\ndata: a\n\nevent: y\ndata: b\n\n",
		"": "",
	} {
		if got := string(Tail([]byte(in), 2)); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

// TestTheLastEventIsFound tries every text of seven letters.
func TestTheLastEventIsFound(t *testing.T) {
	t.Parallel()
	const letters, length = "a\n\r", 7
	for n := range 2187 * 3 {
		text := make([]byte, 0, length)
		for rest := n; len(text) < length-n%2; rest /= len(letters) {
			text = append(text, letters[rest%len(letters)])
		}
		want := 0
		for end := range len(text) + 1 {
			if head := text[:end]; bytes.HasSuffix(head, []byte("\n\n")) || bytes.HasSuffix(head, []byte("\n\r\n")) {
				want = end
			}
		}
		if got := lastEvent(text); got != want {
			t.Fatalf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestRunGivesEveryByteOnce(t *testing.T) {
	t.Parallel()
	in := strings.Repeat("event: x\ndata: "+strings.Repeat("y", 300)+"\n\n", 500) + "data: " + strings.Repeat("z", 40<<10) + "\n\ndata: end\n\n"
	for _, r := range []io.Reader{strings.NewReader(in), iotest.HalfReader(strings.NewReader(in)), iotest.OneByteReader(strings.NewReader(in))} {
		s := NewSSE(r, 1<<20)
		var got strings.Builder
		for {
			run, err := s.Run()
			if err != nil {
				break
			}
			if run == nil { // too long to be skimmed
				frame, err := s.Next()
				if err != nil {
					t.Fatal(err)
				}
				run = frame.Raw
			}
			if !bytes.HasSuffix(run, []byte("\n\n")) {
				t.Fatalf("a run ends in the middle: %q", run[max(0, len(run)-20):])
			}
			got.Write(run)
		}
		if got.String() != in {
			t.Errorf("%d bytes became %d", len(in), got.Len())
		}
		s.Close()
	}
}

// Blank lines without end are few frames, and all their bytes are passed on.
func TestBlankLinesAreFewFrames(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{"LF": "\n", "CRLF": "\r\n", "CR": "\r"} {
		text := "data: a" + line + line + strings.Repeat(line, 1<<20) + "data: b" + line + line
		s := NewSSE(strings.NewReader(text), 1<<20)
		var got strings.Builder
		var data []string
		frames := 0
		for ; ; frames++ {
			f, err := s.Next()
			if err != nil {
				break
			}
			got.Write(f.Raw)
			if len(f.Data) > 0 {
				data = append(data, string(f.Data))
			}
		}
		if got.String() != text || strings.Join(data, " ") != "a b" || frames > 2000 {
			t.Errorf("%s: %d frames, %d of %d bytes, %q", name, frames, got.Len(), len(text), data)
		}
	}
	run, frames := []byte(strings.Repeat("\n", 1<<20)), 0
	for ; len(run) > 0; frames++ {
		_, run = Cut(run)
	}
	if frames != 1 {
		t.Errorf("a run is %d frames", frames)
	}
}
