package metering

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"stele/test/rig"
	"stele/test/upstream"
)

// TestKillingLosesNoRow kills the server the moment a client has its answer: whole,
// or up to the dialect's own last word, while the upstream has not even hung up. The
// row is there after the next start, once.
func TestKillingLosesNoRow(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		r, config := rig.PrepareFront(t, "", "")
		r.Open(t, config)
		testKilling(t, r, func() rig.Books { return r.Read(t, "") })
	})
	t.Run("postgresql", func(t *testing.T) {
		t.Parallel()
		url := rig.NewDatabase(t)
		r, config := rig.PrepareFront(t, "", "")
		r.Open(t, config, "--database-url", url)
		testKilling(t, r, func() rig.Books { return r.Read(t, url) })
	})
}

// lastWords are how clients know that a stream is over. Gemini's has to end for that.
var lastWords = map[string]string{"openai": "data: [DONE]", "anthropic": `data: {"type":"message_stop"}`, "gemini": ""}

func testKilling(t *testing.T, r *rig.Front, open func() rig.Books) {
	t.Helper()
	lingering := func(x *upstream.Exchange, usual upstream.Reply) upstream.Reply {
		if x.Stream {
			usual.End = upstream.Hang
		}
		return usual
	}
	var ids []string
	for _, client := range rig.Dialects {
		for _, stream := range []bool{false, true} {
			for _, away := range []string{client, rig.Dialects[0], rig.Dialects[1]} {
				id := fmt.Sprintf("kill-%d-%s-%s", len(ids), client, away)
				target := rig.UsualModel[away] + "-" + id
				if client == away && client != "gemini" { // a server that passes a stream through need not wait for its end
					r.On(away, target, lingering)
				}
				w := rig.Ask(client, away+"/"+target, "hi", stream)
				w.Header.Set("X-Request-Id", id)
				h, err := r.Client.Do(r.RequestFor(t, w))
				if err != nil || h.StatusCode != http.StatusOK {
					t.Fatalf("%s: %v %v", id, h, err)
				}
				until(t, h.Body, stream, lastWords[client])
				r.Kill(t)
				h.Body.Close()
				ids = append(ids, id)
				r.Start(t)
			}
		}
	}
	books := open()
	for _, id := range ids {
		if row := books.Await(t, id); row.Status != http.StatusOK || row.Input == 0 || row.Output == 0 {
			t.Errorf("%s: the row is %+v", id, row)
		}
	}
	addsUp(t, books)
}

// until reads an answer to its end, or a stream up to its last word.
func until(t *testing.T, body io.Reader, stream bool, word string) {
	t.Helper()
	if !stream || word == "" {
		if _, err := io.Copy(io.Discard, body); err != nil {
			t.Error(err)
		}
		return
	}
	lines := bufio.NewReader(body)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(line, word) {
			return
		}
	}
}

// TestKillingUnderLoadLosesNoRow has many clients at once, and kills the server in
// the middle: every answer that was complete has its row, and no request has two.
func TestKillingUnderLoadLosesNoRow(t *testing.T) {
	t.Parallel()
	r, config := rig.PrepareFront(t, "", "")
	r.Open(t, config)
	const clients = 8
	answered := make(chan string, 1<<16)
	done := make(chan struct{}, clients)
	for c := range clients {
		go func() {
			defer func() { done <- struct{}{} }()
			for n := 0; ; n++ {
				client, id := rig.Dialects[(c+n)%3], fmt.Sprintf("load-%d-%d", c, n)
				w := rig.Ask(client, "openai/"+rig.UsualModel["openai"], "hi", n%2 == 0)
				w.Header.Set("X-Request-Id", id)
				h, err := r.Client.Do(r.RequestFor(t, w))
				if err != nil {
					return
				}
				_, err = io.Copy(io.Discard, h.Body)
				h.Body.Close()
				if err != nil {
					return
				}
				answered <- id
			}
		}()
	}
	rig.Eventually(t, "some hundred answers are complete", func() bool { return len(answered) > 300 })
	r.Kill(t)
	for range clients {
		<-done
	}
	close(answered)
	r.Start(t)
	books := r.Read(t, "")
	n := 0
	for id := range answered {
		n++
		books.Await(t, id)
	}
	addsUp(t, books)
	t.Logf("%d answers, %d rows", n, n)
}
