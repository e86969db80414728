package stream

import (
	"bufio"
	"strings"
	"testing"

	"stele/test/rig"
	"stele/test/upstream"
)

// TestOtherFormsAreUnderstood has upstreams that answer in another form than they
// were asked for: packed, whole instead of streamed and the reverse, with any sort
// of line end. The client gets what it asked for.
func TestOtherFormsAreUnderstood(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", rig.Lone("form"))
	forms := map[string]upstream.Answer{
		"gzip": upstream.Chain(rig.Much(), upstream.Gzipped()), "whole": upstream.Chain(rig.Much(), upstream.Whole()), "streamed": upstream.Chain(rig.Much(), upstream.Streamed()),
		"cr": upstream.Chain(rig.Much(), upstream.CR()), "crlf": upstream.Chain(rig.Much(), upstream.CRLF()), "bom": upstream.Chain(rig.Much(), upstream.BOM()),
		"comments": upstream.Chain(rig.Much(), upstream.Comments()), "labels": upstream.Chain(rig.Much(), upstream.Labels()), "pieces": upstream.Chain(rig.Much(), upstream.Pieces(5)),
		"packed pieces": upstream.Chain(rig.Much(), upstream.Gzipped(), upstream.Pieces(11)),
	}
	rig.Pairs(t, func(t *testing.T, client, away string) {
		model := "form-" + client + "-" + away
		target := rig.UsualModel[away] + "-" + model
		for _, stream := range []bool{false, true} {
			hear := rig.HearWhole
			if stream {
				hear = rig.Listen
			}
			r.On(away, target, rig.Much())
			want := hear(t, client, r.Good(t, rig.Ask(client, model, "hi", stream)).Body)
			for name, form := range forms {
				if !stream && (name == "comments" || name == "labels" || name == "bom") {
					continue // they are for streams
				}
				r.On(away, target, form)
				body := r.Good(t, rig.Ask(client, model, "hi", stream)).Body
				if name == "cr" {
					body = strings.ReplaceAll(body, "\r", "\n")
				}
				got := hear(t, client, strings.TrimPrefix(body, "\xef\xbb\xbf"))
				if got.Text != want.Text || got.Stop != want.Stop || !got.Ended {
					t.Errorf("%s%s: %q %q %t, want %q %q\n%s", name, rig.Streamed(stream), got.Text, got.Stop, got.Ended, want.Text, want.Stop, body)
				}
			}
		}
	})
}

// TestAPackedStreamIsUnpackedAsItComes has a compressed stream that falls silent:
// what was sent so far is with the client.
func TestAPackedStreamIsUnpackedAsItComes(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", rig.Lone("packed"))
	rig.Pairs(t, func(t *testing.T, client, away string) {
		model := "packed-" + client + "-" + away
		r.On(away, rig.UsualModel[away]+"-"+model, func(x *upstream.Exchange, usual upstream.Reply) upstream.Reply {
			usual = upstream.Say(upstream.Text("one two three"))(x, usual)
			frames := 0
			for i, f := range usual.Frames {
				if strings.Contains(string(f.Bytes), `"two `) {
					frames = i + 1
				}
			}
			return upstream.Silent(frames)(x, upstream.Gzipped()(x, usual))
		})
		h, err := r.Client.Do(r.RequestFor(t, rig.Ask(client, model, "hi", true)))
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
