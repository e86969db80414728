package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"stele/internal/wire"
)

// Reply is a model's answer.
type Reply struct {
	Text      string
	Finish    string // why it ended: stop, length, content_filter …
	In, Out   int64  // tokens
	Truncated bool   // it was longer than was to be read
}

// completion is one chunk of an answer, as far as it is read.
type completion struct {
	Choices []struct {
		Delta struct {
			Content string `json:"content"`
			Refusal string `json:"refusal"`
		} `json:"delta"`
		Finish string `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		In  int64 `json:"prompt_tokens"`
		Out int64 `json:"completion_tokens"`
	} `json:"usage"`
	Error *Refusal `json:"error"`
}

// Chat asks a model, with a body of OpenAI's that streams, and reads up to most bytes
// of its answer; seen is told how many there are.
func (s *Server) Chat(ctx context.Context, body []byte, most int, seen func(int)) (r Reply, err error) {
	err = s.tryUntilKnown(ctx, func() error {
		r, err = s.chat(ctx, body, most, seen)
		return err
	})
	return r, err
}

func (s *Server) chat(ctx context.Context, body []byte, most int, seen func(int)) (Reply, error) {
	answer, err := s.send(ctx, request{
		Method: http.MethodPost, Path: "/api/v1/chat/completions",
		Header: http.Header{"Content-Type": {"application/json"}}, Body: func() io.Reader { return bytes.NewReader(body) },
	})
	if err != nil {
		return Reply{}, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return Reply{}, readRefusal(answer)
	}
	events := wire.NewSSE(answer.Body, longestEvent)
	defer events.Close()
	var r Reply
	var text strings.Builder
	for {
		frame, err := events.Next()
		if err != nil {
			return Reply{}, fmt.Errorf("the answer broke off: %w", err)
		}
		if len(frame.Data) == 0 {
			continue
		}
		if string(frame.Data) == "[DONE]" {
			r.Text = text.String()
			return r, nil
		}
		if err := r.take(frame.Data, &text); err != nil {
			return Reply{}, err
		}
		if text.Len() > most {
			r.Text, r.Truncated = strings.ToValidUTF8(text.String()[:most], ""), true
			return r, nil
		}
		seen(text.Len())
	}
}

// take adds a chunk.
func (r *Reply) take(data []byte, text *strings.Builder) error {
	var c completion
	if err := json.Unmarshal(data, &c); err != nil {
		return errors.New("the server's stream is not understood")
	}
	if c.Error != nil {
		return c.Error
	}
	for _, choice := range c.Choices {
		text.WriteString(choice.Delta.Content)
		text.WriteString(choice.Delta.Refusal)
		if choice.Finish != "" {
			r.Finish = choice.Finish
		}
	}
	if c.Usage.In+c.Usage.Out > 0 {
		r.In, r.Out = c.Usage.In, c.Usage.Out
	}
	return nil
}
