package provider

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/guard"
	"stele/internal/memory"
	"stele/internal/scope"
)

// Allowance is what may be fetched for clients.
type Allowance struct {
	On                            bool
	Image, Video, Audio, Document int64 // the most bytes of each
}

// Inputs fetches the pictures and documents that clients only point at. It is
// safe for concurrent use.
type Inputs struct {
	client  *http.Client
	allowed Allowance
}

// NewInputs makes one. The client must be guard's, for URLs that come from callers.
func NewInputs(client *http.Client, allowed Allowance) *Inputs {
	return &Inputs{client: client, allowed: allowed}
}

const fetchTime = 30 * time.Second

// Fetch reads what is at the address of a part's media, if that is no more than room
// as base64. The bytes tell its type; what the server calls it counts only where they do
// not. Bytes count as they are unpacked.
func (i *Inputs) Fetch(ctx context.Context, p *chat.Part, room int64) (*chat.Media, error) {
	if !i.allowed.On {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.Media.URL, http.NoBody)
	if err != nil {
		return nil, refuseAddress("it is not a valid URL", err)
	}
	r.Header.Set("Accept", "*/*")
	r.Header["User-Agent"] = userAgent
	answer, err := i.client.Do(r)
	if err != nil {
		if refused, ok := errors.AsType[*guard.Refused](err); ok {
			return nil, refuseAddress(refused.Reason, err)
		}
		return nil, refuseAddress("it could not be fetched", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, refuseAddress(fmt.Sprintf("its server answered %d", answer.StatusCode), nil)
	}
	most, lease := min(i.allowed.of(p.Kind), room/4*3), scope.From(ctx).Memory
	raw, err := lease.ReadAll(ctx, io.LimitReader(answer.Body, most+1), answer.ContentLength)
	switch {
	case errors.Is(err, memory.ErrFull):
		return nil, err
	case err != nil:
		return nil, refuseAddress("it could not be fetched", err)
	case int64(len(raw)) > most:
		return nil, refuseAddress(fmt.Sprintf("what is there is larger than %d bytes", most), nil)
	}
	if err := lease.Grow(ctx, int64(base64.StdEncoding.EncodedLen(len(raw)))); err != nil {
		return nil, err
	}
	defer lease.Shrink(int64(cap(raw)))
	return i.allowed.media(p, raw, contentType(answer))
}

// of is the most bytes of what a part may be.
func (a Allowance) of(kind chat.Kind) int64 {
	switch kind {
	case chat.Image:
		return a.Image
	case chat.Video:
		return a.Video
	case chat.Audio:
		return a.Audio
	default:
		return a.Document
	}
}

// media is what was fetched, if it is what the part says.
func (a Allowance) media(p *chat.Part, raw []byte, label string) (*chat.Media, error) {
	m := &chat.Media{Base64: base64.StdEncoding.EncodeToString(raw), Type: label}
	if m.Type == "" || m.Type == "application/octet-stream" {
		m.Type = p.Media.Type
	}
	if kind := dialect.TypeOf(m); kind != "" {
		m.Type = kind
	} else if utf8.Valid(raw) {
		m.Type = "text/plain"
	}
	family, _, _ := strings.Cut(m.Type, "/")
	wanted := chat.Document
	switch family {
	case "image":
		wanted = chat.Image
	case "video":
		wanted = chat.Video
	case "audio":
		wanted = chat.Audio
	}
	if wanted != p.Kind {
		return nil, refuseAddress(fmt.Sprintf("what is there is %q", m.Type), nil)
	}
	return m, nil
}

// refuseAddress says why an address cannot be used.
func refuseAddress(why string, cause error) error {
	return fault.New(fault.InvalidMediaURL, "the URL cannot be used: %s.", why).Because(cause)
}
