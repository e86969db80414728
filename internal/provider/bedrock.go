package provider

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"

	"stele/internal/dialect"
	"stele/internal/jsonscan"
	"stele/internal/wire"
)

const (
	eventStreamType = "application/vnd.amazon.eventstream"
	metricsMember   = "amazon-bedrock-invocationMetrics"
)

// unframe makes server-sent events of an answer in Amazon's binary frames, so
// that no caller has to know of them.
func unframe(answer *http.Response) {
	if contentType(answer) != eventStreamType {
		return
	}
	answer.Header.Set("Content-Type", wire.EventStream)
	answer.ContentLength = -1
	answer.Body = readCloser{&bedrockStream{frames: eventStream{r: answer.Body, most: mostAnswer}}, answer.Body}
}

// bedrockStream reads the events of Anthropic's dialect out of Bedrock's frames.
type bedrockStream struct {
	frames eventStream
	text   bytes.Buffer
	err    error
}

// Read gives what is there. What came before a failure is read before it.
func (s *bedrockStream) Read(p []byte) (int, error) {
	for s.text.Len() == 0 {
		if s.err != nil {
			return 0, s.err
		}
		m, err := s.frames.next()
		if err == nil {
			err = s.take(m)
		}
		s.err = err
	}
	return s.text.Read(p)
}

func (s *bedrockStream) take(m eventMessage) error {
	switch kind := m.headers[":message-type"]; kind {
	case "event":
		if m.headers[":event-type"] != "chunk" {
			return nil // whatever else there is, it says nothing of the answer
		}
		data, err := base64.StdEncoding.AppendDecode(nil, jsonscan.At(m.payload, 0).Get("bytes").Bytes())
		if err != nil || !jsonscan.Valid(data, jsonscan.Lenient) {
			return fmt.Errorf("%w: its event cannot be read", errFrame)
		}
		var edits jsonscan.Edits
		root, kind := jsonscan.At(data, 0), ""
		for key, v := range root.Members() {
			switch key.Name {
			case "type":
				kind = v.View()
			case metricsMember:
				edits.Remove(key, v)
			}
		}
		if data, err = edits.Apply(data); err != nil {
			return err
		}
		s.writeEvent(kind, data)
	case "exception":
		s.writeEvent("error", bedrockError(m.headers[":exception-type"], m.payload))
	case "error":
		said := append(dialect.AppendText([]byte(`{"message":`), m.headers[":error-message"]), '}')
		s.writeEvent("error", bedrockError(m.headers[":error-code"], said))
	default:
		return fmt.Errorf("%w: a message of type %q", errFrame, kind)
	}
	return nil
}

func (s *bedrockStream) writeEvent(name string, data []byte) {
	if bytes.ContainsAny(data, "\r\n") {
		data = jsonscan.At(data, 0).AppendCompact(nil)
	}
	s.text.Write(wire.AppendEvent(s.text.AvailableBuffer(), name, data))
}

// exceptions are Amazon's words for what went wrong, and those of the dialect.
var exceptions = []struct{ name, kind string }{
	{"throttling", "rate_limit_error"},
	{"toomanyrequests", "rate_limit_error"},
	{"servicequotaexceeded", "rate_limit_error"},
	{"modelnotready", "overloaded_error"},
	{"serviceunavailable", "overloaded_error"},
	{"modeltimeout", "timeout_error"},
	{"validation", "invalid_request_error"},
	{"resourcenotfound", "not_found_error"},
	{"accessdenied", "permission_error"},
	{"unrecognizedclient", "authentication_error"},
	{"invalidsignature", "authentication_error"},
	{"expiredtoken", "authentication_error"},
	{"missingauthenticationtoken", "authentication_error"},
}

// bedrockError is one of Amazon's exceptions in the words of Anthropic's dialect.
func bedrockError(name string, payload []byte) []byte {
	kind := "api_error"
	for _, e := range exceptions {
		if strings.HasPrefix(strings.ToLower(name), e.name) {
			kind = e.kind
			break
		}
	}
	root, _ := jsonscan.Parse(payload, jsonscan.Lenient) // what is no JSON says nothing
	said := cmp.Or(root.Get("message").View(), root.Get("Message").View())
	if kind == "invalid_request_error" && strings.Contains(said, "model identifier is invalid") {
		kind = "not_found_error"
	}
	out := dialect.AppendText([]byte(`{"type":"error","error":{"type":"`+kind+`","message":`), said)
	return append(out, "}}"...)
}

var _ io.Reader = (*bedrockStream)(nil)
