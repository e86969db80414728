package chat_test

import (
	"testing"

	"stele/internal/chat"
)

// TestWhatAnUpstreamDoesNotCountIsEstimated settles answers whose usage lacks something:
// none of them is free, and nothing that was counted is guessed.
func TestWhatAnUpstreamDoesNotCountIsEstimated(t *testing.T) {
	t.Parallel()
	const request = 400 // bytes, a hundred tokens
	for name, test := range map[string]struct{ seen, want chat.Seen }{
		"all is counted":           {chat.Seen{Usage: chat.Usage{Input: 7, Output: 3, Known: true}, Text: 80}, chat.Seen{Usage: chat.Usage{Input: 7, Output: 3, Known: true}}},
		"nothing was said":         {chat.Seen{Usage: chat.Usage{Input: 7, Known: true}}, chat.Seen{Usage: chat.Usage{Input: 7, Known: true}}},
		"all was cached":           {chat.Seen{Usage: chat.Usage{CacheRead: 7, Output: 3, Known: true}}, chat.Seen{Usage: chat.Usage{CacheRead: 7, Output: 3, Known: true}}},
		"no word":                  {chat.Seen{Text: 80}, chat.Seen{Usage: chat.Usage{Input: 100, Output: 20}}},
		"zeros":                    {chat.Seen{Usage: chat.Usage{Known: true}, Text: 80}, chat.Seen{Usage: chat.Usage{Input: 100, Output: 20}}},
		"zeros of frames":          {chat.Seen{Usage: chat.Usage{Known: true}, Chunks: 12}, chat.Seen{Usage: chat.Usage{Input: 100, Output: 12}}},
		"no prompt":                {chat.Seen{Usage: chat.Usage{Output: 3, Known: true}, Text: 80, Chunks: 12}, chat.Seen{Usage: chat.Usage{Input: 100, Output: 3}}},
		"no answer":                {chat.Seen{Usage: chat.Usage{Input: 7, Known: true}, Text: 80}, chat.Seen{Usage: chat.Usage{Input: 7, Output: 20}}},
		"counted before the words": {chat.Seen{Usage: chat.Usage{Input: 7, Output: 3, Known: true}, Text: 80, Behind: 60}, chat.Seen{Usage: chat.Usage{Input: 7, Output: 18}}},
		"before the last of them":  {chat.Seen{Usage: chat.Usage{Input: 7, Output: 15, Known: true}, Text: 80, Behind: 4}, chat.Seen{Usage: chat.Usage{Input: 7, Output: 16}}},
		"no answer, of frames":     {chat.Seen{Usage: chat.Usage{Input: 7, Known: true}, Chunks: 40}, chat.Seen{Usage: chat.Usage{Input: 7, Output: 40}}},
		"frames of nothing":        {chat.Seen{Usage: chat.Usage{Input: 7, Known: true}, Chunks: 6}, chat.Seen{Usage: chat.Usage{Input: 7, Known: true}}},
		"its own bill and zeros":   {chat.Seen{Usage: chat.Usage{Known: true, Billed: 5, BilledKnown: true}, Text: 80}, chat.Seen{Usage: chat.Usage{Known: true, Billed: 5, BilledKnown: true}}},
	} {
		if got := test.seen.UsageToMeter(request); got != test.want.Usage {
			t.Errorf("%s: %+v, want %+v", name, got, test.want.Usage)
		}
	}
}
