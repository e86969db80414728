package upstream

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"
)

// tally is the tokens of one answer. None is counted twice.
type tally struct {
	fresh, read, written int // of the request
	said, thought        int // of the answer
}

// tokens is how many tokens a text has here: one for every four bytes.
func tokens(text string) int { return (len(text) + 3) / 4 }

// count is the usage by length. Half of a request that is cached was cached before
// and a quarter is new in the cache.
func (x *Exchange) count() tally {
	t := tally{fresh: (x.ask.size + 3) / 4, thought: x.Plan.think}
	if x.ask.cached {
		t.read, t.written = t.fresh/2, t.fresh/4
		t.fresh -= t.read + t.written
	}
	for _, b := range x.Plan.Blocks {
		switch b.Kind {
		case "text", "custom":
			t.said += tokens(b.Text)
		case "call":
			t.said += tokens(b.Name) + tokens(b.Args)
		}
	}
	t.said = max(t.said, 1) * max(x.Plan.Count, 1)
	return t
}

func (t tally) in() int  { return t.fresh + t.read + t.written }
func (t tally) out() int { return t.said + t.thought }

// id is made of what is asked, so that the same question has the same ids, and of
// what the id is for.
func (x *Exchange) id(length int, what string) string {
	if x.digest == "" {
		sum := sha256.Sum256(x.essence)
		x.digest = string(sum[:])
	}
	sum := sha256.Sum256([]byte(what + "\x00" + x.ask.model + "\x00" + x.digest))
	return hex.EncodeToString(sum[:])[:length]
}

// deltas are the pieces a block is streamed in.
func (b Block) deltas() []string {
	switch {
	case b.Pieces != nil:
		return b.Pieces
	case b.Kind == "call":
		return snippets(b.Args, 7)
	}
	if !strings.Contains(b.Text, " ") {
		return snippets(b.Text, 9)
	}
	return slices.DeleteFunc(strings.SplitAfter(b.Text, " "), func(s string) bool { return s == "" })
}

// snippets cuts a text every few bytes, but never a character in two.
func snippets(text string, size int) []string {
	var pieces []string
	for len(text) > size {
		end := size
		for !utf8.RuneStart(text[end]) {
			end++
			if end == len(text) {
				break
			}
		}
		pieces, text = append(pieces, text[:end]), text[end:]
	}
	if text != "" {
		pieces = append(pieces, text)
	}
	return pieces
}
