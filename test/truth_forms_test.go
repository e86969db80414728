package test

import (
	"bufio"
	"strings"
	"testing"

	"stele/test/upstream"
)

// TestOtherFormsAreUnderstood has upstreams that answer in another form than they
// were asked for: packed, whole instead of streamed and the reverse, with any sort
// of line end. The client gets what it asked for.
func TestOtherFormsAreUnderstood(t *testing.T) {
	t.Parallel()
	r := newRig(t, "", lone("form"))
	forms := map[string]upstream.Answer{
		"gzip": upstream.Chain(much(), upstream.Gzipped()), "whole": upstream.Chain(much(), upstream.Whole()), "streamed": upstream.Chain(much(), upstream.Streamed()),
		"cr": upstream.Chain(much(), upstream.CR()), "crlf": upstream.Chain(much(), upstream.CRLF()), "bom": upstream.Chain(much(), upstream.BOM()),
		"comments": upstream.Chain(much(), upstream.Comments()), "labels": upstream.Chain(much(), upstream.Labels()), "pieces": upstream.Chain(much(), upstream.Pieces(5)),
		"packed pieces": upstream.Chain(much(), upstream.Gzipped(), upstream.Pieces(11)),
	}
	pairs(t, func(t *testing.T, client, away string) {
		model := "form-" + client + "-" + away
		target := usualModel[away] + "-" + model
		for _, stream := range []bool{false, true} {
			hear := hearWhole
			if stream {
				hear = listen
			}
			r.on(away, target, much())
			want := hear(t, client, r.good(t, ask(client, model, "hi", stream)).body)
			for name, form := range forms {
				if !stream && (name == "comments" || name == "labels" || name == "bom") {
					continue // they are for streams
				}
				r.on(away, target, form)
				body := r.good(t, ask(client, model, "hi", stream)).body
				if name == "cr" {
					body = strings.ReplaceAll(body, "\r", "\n")
				}
				got := hear(t, client, strings.TrimPrefix(body, "\xef\xbb\xbf"))
				if got.text != want.text || got.stop != want.stop || !got.ended {
					t.Errorf("%s%s: %q %q %t, want %q %q\n%s", name, streamed(stream), got.text, got.stop, got.ended, want.text, want.stop, body)
				}
			}
		}
	})
}

// TestAPackedStreamIsUnpackedAsItComes has a compressed stream that falls silent:
// what was sent so far is with the client.
func TestAPackedStreamIsUnpackedAsItComes(t *testing.T) {
	t.Parallel()
	r := newRig(t, "", lone("packed"))
	pairs(t, func(t *testing.T, client, away string) {
		model := "packed-" + client + "-" + away
		r.on(away, usualModel[away]+"-"+model, func(x *upstream.Exchange, usual upstream.Reply) upstream.Reply {
			usual = upstream.Say(upstream.Text("one two three"))(x, usual)
			frames := 0
			for i, f := range usual.Frames {
				if strings.Contains(string(f.Bytes), `"two `) {
					frames = i + 1
				}
			}
			return upstream.Silent(frames)(x, upstream.Gzipped()(x, usual))
		})
		h, err := r.Client.Do(r.request(t, ask(client, model, "hi", true)))
		if err != nil {
			t.Fatal(err)
		}
		defer h.Body.Close()
		lines := bufio.NewReader(h.Body)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(line, "two ") {
				break
			}
		}
	})
}
