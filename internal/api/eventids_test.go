package api

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stele/internal/chat"
	"stele/internal/dialect"
	anthropicdialect "stele/internal/dialect/anthropic"
	geminidialect "stele/internal/dialect/gemini"
	openaidialect "stele/internal/dialect/openai"
	"stele/internal/replay"
	"stele/internal/wire"
)

// TestEventsKeepTheirIdsHoweverTheyCome cuts a stream at every byte: the ids are the same, and
// a client that goes on after an event has all of it in sum.
func TestEventsKeepTheirIdsHoweverTheyCome(t *testing.T) {
	t.Parallel()
	head := replay.Head{Type: wire.EventStream + "; charset=utf-8"}
	for name, row := range map[string]struct{ from, to string }{
		"lf":   {"event: a\ndata: 1\n\n: ping\n\n\ndata: 2\n\n", "id: 1\nevent: a\ndata: 1\n\n: ping\n\nid: 2\ndata: 2\n\n"},
		"crlf": {"data: 1\r\n\r\ndata: 2\r\n\r\n", "id: 1\r\ndata: 1\r\n\r\nid: 2\r\ndata: 2\r\n\r\n"},
		"cr":   {"data: 1\r\rdata: 2\r\r", "id: 1\rdata: 1\r\rid: 2\rdata: 2\r\r"},
		"ids":  {"id: x\ndata: 1\nid\n\ndata: 2\n\n", "id: 1\ndata: 1\n\nid: 2\ndata: 2\n\n"},
		"open": {"data: 1\n\ndata: 2", "id: 1\ndata: 1\n\nid: 2\ndata: 2"},
	} {
		for at := range len(row.from) + 1 {
			if name != "lf" && name != "ids" && name != "open" && at < len(row.from) && strings.HasSuffix(row.from[:at], "\r") {
				continue // only whole events are ever cut from others
			}
			x := &numbering{shown: true}
			first, err := x.take(head, []byte(row.from[:at]), false)
			if err != nil {
				t.Fatal(err)
			}
			second, err := x.take(head, []byte(row.from[at:]), true)
			if got := string(first) + string(second); err != nil || got != row.to {
				t.Errorf("%s cut at %d: %q, want %q (%v)", name, at, got, row.to, err)
			}
		}
		all, _ := (&numbering{shown: true}).take(head, []byte(row.from), true)
		one, _ := (&numbering{shown: true, after: 1}).take(head, []byte(row.from), true)
		if !strings.HasSuffix(string(all), string(one)) || strings.Contains(string(one), "id: 1") || !strings.Contains(string(one), "id: 2") {
			t.Errorf("%s after 1: %q", name, one)
		}
		if _, err := (&numbering{after: 9}).take(head, []byte(row.from), true); err == nil {
			t.Errorf("%s has no event 9", name)
		}
	}
}

// TestSignsOfLifeAmongEventsWithIdsAreNoEvents is of openai/openai-python#2722: with an id before it, a blank line behind a
// comment was an event without data.
func TestSignsOfLifeAmongEventsWithIdsAreNoEvents(t *testing.T) {
	t.Parallel()
	for _, codec := range []dialect.Server{openaidialect.Codec{}, anthropicdialect.Codec{}, geminidialect.Codec{}} {
		for _, ids := range []bool{true, false} {
			w := httptest.NewRecorder()
			f := newFeed(w, codec, new(chat.Request), time.Millisecond, ids)
			time.Sleep(50 * time.Millisecond)
			f.Stop()
			sign := string(codec.NewEncoder(new(chat.Request)).KeepAlive(nil))
			if ids && sign[0] == ':' {
				sign = sign[:len(sign)-1]
			}
			if got := w.Body.String(); got == "" || strings.ReplaceAll(got, sign, "") != "" {
				t.Errorf("%T, ids %t: %q, want %q", codec, ids, got, sign)
			}
		}
	}
}
