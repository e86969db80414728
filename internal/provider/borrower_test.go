package provider

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/dialect/openai"
	"stele/internal/relay"
)

// held is a writer that does not return before it is let go.
type held struct {
	began, letGo chan struct{}
	got          bytes.Buffer
}

func (h *held) Write(b []byte) (int, error) {
	if h.got.Len() == 0 {
		close(h.began)
		<-h.letGo
	}
	return h.got.Write(b)
}

func TestALoanIsReturnedWhenNothingIsReadAnyMore(t *testing.T) {
	t.Parallel()
	freed := 0
	loan := chat.NewLoan(func() { freed++ })
	reader := rope{[]byte("one"), []byte("two")}.reader(loan)
	loan.Return()
	writer := &held{began: make(chan struct{}), letGo: make(chan struct{})}
	written := make(chan error)
	go func() {
		_, err := io.Copy(writer, reader)
		written <- err
	}()
	<-writer.began
	_ = reader.Close()
	_ = reader.Close()
	if freed != 0 {
		t.Error("memory is used again that is still being written")
	}
	close(writer.letGo)
	if err := <-written; err != nil || writer.got.String() != "onetwo" {
		t.Errorf("%q, %v", writer.got.String(), err)
	}
	if freed != 1 {
		t.Errorf("freed %d times", freed)
	}
	if _, err := reader.Read(make([]byte, 1)); err == nil {
		t.Error("what was closed is read")
	}
}

// lazy is a transport that answers before it has read the request.
type lazy struct{ body io.ReadCloser }

func (l *lazy) RoundTrip(r *http.Request) (*http.Response, error) {
	l.body = r.Body
	answer := `{"choices":[{"message":{"content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`
	return &http.Response{StatusCode: http.StatusOK, Header: make(http.Header), Body: io.NopCloser(strings.NewReader(answer)), ContentLength: int64(len(answer)), Request: r}, nil
}

// An upstream may answer while its request is still being sent, and long before.
func TestABodyIsLentUntilItsTransportIsDone(t *testing.T) {
	t.Parallel()
	for name, said := range map[string]string{"in one piece": "short", "in pieces": strings.Repeat("long ", 1<<15)} {
		transport := new(lazy)
		c := NewChat(Account{Name: "a", BaseURL: "http://a.example"}, openai.Codec{}, &http.Client{Transport: transport})
		body := []byte(`{"model":"m","messages":[{"role":"user","content":"` + said + `"}]}`)
		req, err := openai.Codec{}.DecodeRequest(dialect.Incoming{Body: body})
		if err != nil {
			t.Fatal(err)
		}
		freed := false
		req.Origin.Loan = chat.NewLoan(func() { freed = true })
		if _, err := c.Do(t.Context(), req, relay.Target{Model: "n"}); err != nil {
			t.Fatal(name, err)
		}
		req.Origin.Loan.Return()
		if freed {
			t.Errorf("%s: a body is free that is not sent yet", name)
		}
		sent, _ := io.ReadAll(transport.body)
		_ = transport.body.Close()
		if !bytes.Contains(sent, []byte(said)) || !freed || req.IsUnderstood() {
			t.Errorf("%s: %d bytes were sent, free: %v", name, len(sent), freed)
		}
	}
}
