package loops

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"testing"

	"stele/test/rig"
	"stele/test/upstream"
)

// TestEveryTurnBeginsWithTheOneBefore holds a conversation of a hundred turns in
// each pair, with tools, pictures, thinking and streams among them, and compares the
// list of messages that the upstream gets: each begins with the bytes of the one
// before, or no prompt cache would ever be hit.
func TestEveryTurnBeginsWithTheOneBefore(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", "")
	rig.AllPairs(t, func(t *testing.T, client, away string) {
		for _, forgets := range []bool{false, true} {
			if forgets && client != "openai" {
				continue
			}
			turns := 100
			if forgets {
				turns = talkTurns
			}
			target := fmt.Sprintf("%s-%s-%t", rig.Thinkers[away][0], client, forgets)
			a := rig.NewAgent(r, client, away+"/"+target, false, forgets)
			converse(t, a, turns)
			sent := r.SentTo(away, target)
			if len(sent) < turns {
				t.Errorf("%s: only %d requests", target, len(sent))
			}
			var before []byte
			for i, q := range sent {
				messages := messagesOf(t, away, q)
				samePrefix(t, fmt.Sprintf("%s, request %d", target, i), before, messages)
				before = messages
			}
		}
	})
	r.Unrefused(t)
}

// converse is one conversation.
func converse(t *testing.T, a *rig.Agent, turns int) {
	t.Helper()
	instruct(a, "You are terse.")
	for n := range turns {
		a.Stream = n%3 == 1
		switch {
		case n%10 == 2:
			a.Ask(fmt.Sprintf("Turn %d: please call:forecast*2 for me.", n))
		case n%10 == 5:
			a.Ask(fmt.Sprintf("Turn %d: please call:forecast,sights for me.", n))
		case n%10 == 7:
			show(a, fmt.Sprintf("Turn %d: what is in this picture?", n), n)
		default:
			a.Ask(fmt.Sprintf("Turn %d: \u00fcber <b>caf\u00e9</b> & \"quotes\" \\ and \u2603.", n))
		}
		a.Run(t)
		if t.Failed() {
			return
		}
	}
}

// messagesOf is the list of messages that an upstream got, in its own bytes.
func messagesOf(t *testing.T, away string, q *upstream.Recorded) []byte {
	t.Helper()
	if away == "gemini" {
		return rig.Member(t, q.Body, "contents")
	}
	return rig.Member(t, q.Body, "messages")
}

// samePrefix fails unless a list begins with all elements of the one before.
func samePrefix(t *testing.T, what string, before, after []byte) {
	t.Helper()
	begun := bytes.TrimSuffix(before, []byte("]"))
	if bytes.HasPrefix(after, begun) && len(after) > len(before) {
		return
	}
	i := 0
	for i < len(begun) && i < len(after) && begun[i] == after[i] {
		i++
	}
	from := max(i-100, 0)
	t.Errorf("%s: differs from the one before at byte %d of %d:\n%q\n%q", what, i, len(before), begun[from:min(i+100, len(begun))], after[from:min(i+100, len(after))])
}

// instruct gives the model its instructions.
func instruct(a *rig.Agent, words string) {
	switch a.Dialect {
	case "openai":
		a.History = append(a.History, rig.Object{"role": "system", "content": words})
	case "anthropic":
		a.Settings["system"] = words
	case "gemini":
		a.Settings["systemInstruction"] = rig.Object{"parts": []any{rig.Object{"text": words}}}
	}
}

// show adds what the user says, with a picture that no other turn has.
func show(a *rig.Agent, words string, n int) {
	picture := base64.StdEncoding.EncodeToString(fmt.Appendf([]byte("\x89PNG\r\n\x1a\n"), "picture %d", n))
	a.Ask(words)
	last := a.History[len(a.History)-1].(rig.Object)
	switch a.Dialect {
	case "openai":
		last["content"] = []any{rig.Object{"type": "text", "text": words}, rig.Object{"type": "image_url", "image_url": rig.Object{"url": "data:image/png;base64," + picture}}}
	case "anthropic":
		last["content"] = []any{rig.Object{"type": "text", "text": words}, rig.Object{"type": "image", "source": rig.Object{"type": "base64", "media_type": "image/png", "data": picture}}}
	case "gemini":
		last["parts"] = []any{rig.Object{"text": words}, rig.Object{"inlineData": rig.Object{"mimeType": "image/png", "data": picture}}}
	}
}
