package provider

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/dialect/openai"
	"stele/internal/fault"
	"stele/internal/relay"
)

// answered is a call whose answer has this body, of a length that may be untrue.
func answered(t *testing.T, body io.Reader, length int64) *exchange {
	t.Helper()
	dog := watch(t.Context(), catalog.Timeouts{FirstByte: time.Hour, Gap: time.Hour, Total: time.Hour})
	t.Cleanup(dog.stop)
	return &exchange{
		dog: dog, answer: &http.Response{Body: io.NopCloser(body), ContentLength: length, Header: make(http.Header)},
		reply: &chat.Reply{Passed: true, Seen: new(chat.Seen)}, target: relay.Target{}, req: &chat.Request{},
	}
}

func TestReadsAWholeBodyOfAnyLength(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 511, 512, 513, 100_000, 9 << 20} {
		want := bytes.Repeat([]byte("0123456789abcdef"), size/16+1)[:size]
		for _, length := range []int64{int64(size), -1, 3} {
			got, err := readAll(answered(t, iotest.HalfReader(bytes.NewReader(want)), length))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes announced as %d: %d bytes, %v", size, length, len(got), err)
			}
		}
	}
}

func TestReadsNoMoreThanItMay(t *testing.T) {
	t.Parallel()
	endless := io.MultiReader(strings.NewReader("{"), zeros{})
	for name, x := range map[string]*exchange{"endless": answered(t, endless, -1), "announced": answered(t, zeros{}, mostAnswer+1)} {
		if _, err := readAll(x); fault.From(err).Code != fault.UpstreamError {
			t.Errorf("%s: %v", name, err)
		}
	}
	broken := answered(t, io.MultiReader(strings.NewReader("{"), iotest.ErrReader(io.ErrUnexpectedEOF)), -1)
	if _, err := readAll(broken); fault.From(err).Code != fault.UpstreamError || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("broken: %v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestCommentsDoNotBeginAnAnswer has an upstream that sends comments while it
// waits: what follows decides, and the comments come with it.
func TestCommentsDoNotBeginAnAnswer(t *testing.T) {
	t.Parallel()
	c := NewChat(Account{}, openai.Codec{}, nil)
	first := func(body string) (chat.Chunk, error) {
		x := answered(t, strings.NewReader(body), -1)
		return c.source(x, x.reply.Seen).first()
	}
	const waiting, word = ": waiting\n\n: still\n\n", "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n"
	if chunk, err := first(waiting + word); err != nil || string(chunk.Raw) != waiting+word {
		t.Errorf("%q, %v", chunk.Raw, err)
	}
	for name, body := range map[string]string{
		"an error":          waiting + "data: {\"error\":{\"message\":\"no\",\"code\":503}}\n\n",
		"a bare error":      waiting + "{\"error\":{\"message\":\"no\",\"code\":503}}\n\n",
		"nothing":           waiting,
		"no stream at all":  "<html>\n\n<body>\n\n</body></html>\n",
		"comments for ever": strings.Repeat(waiting, mostError),
		"":                  "",
	} {
		if chunk, err := first(body); err == nil {
			t.Errorf("%s began with %q", name, chunk.Raw)
		}
	}
}
