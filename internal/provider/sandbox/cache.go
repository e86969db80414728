package sandbox

import (
	"crypto/sha256"
	"slices"
	"sync"
	"time"

	"stele/internal/chat"
	"stele/internal/recent"
)

// mostKept bounds how many beginnings of prompts are remembered.
const mostKept = 4096

// cache remembers the beginnings of prompts that clients marked, as upstreams
// that cache prompts do, so that a repeated one counts as read. The one used
// longest ago makes room.
type cache struct {
	now func() time.Time

	mu   sync.Mutex // guards kept
	kept *recent.Map[[sha256.Size]byte, kept]
}

type kept struct {
	ttl time.Duration
	end time.Time
}

func newCache(now func() time.Time) *cache {
	return &cache{now: now, kept: recent.New[[sha256.Size]byte, kept](mostKept)}
}

// count is the usage of a prompt: read up to the longest beginning that is kept,
// written from there to the last mark. What is marked is kept from now on.
func (c *cache) count(p *prompt) chat.Usage {
	if !p.marked {
		return chat.Usage{Input: p.tokens}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var u chat.Usage
	last := 0
	for i, prefix := range slices.Backward(p.prefixes) {
		if prefix.cache != nil {
			last = i
			break
		}
	}
	for _, prefix := range slices.Backward(p.prefixes[:last+1]) {
		if c.holds(prefix.sum) {
			u.CacheRead = prefix.tokens
			break
		}
	}
	u.CacheWrite = p.prefixes[last].tokens - u.CacheRead
	u.Input = p.tokens - p.prefixes[last].tokens
	if p.prefixes[last].cache.TTL == "1h" {
		u.CacheWrite1h = u.CacheWrite
	}
	for _, prefix := range p.prefixes[:last+1] {
		if prefix.cache != nil {
			c.keep(prefix.sum, prefix.cache.TTL)
		}
	}
	return u
}

// holds reports whether a beginning is kept, and keeps it for another while. The
// caller holds mu.
func (c *cache) holds(sum [sha256.Size]byte) bool {
	k, ok := c.kept.Peek(sum)
	if !ok || !c.now().Before(k.end) {
		c.kept.Delete(sum)
		return false
	}
	c.kept.Put(sum, kept{k.ttl, c.now().Add(k.ttl)})
	return true
}

// keep remembers a beginning. The caller holds mu.
func (c *cache) keep(sum [sha256.Size]byte, ttl string) {
	life, err := time.ParseDuration(ttl)
	if err != nil || life <= 0 {
		life = 5 * time.Minute
	}
	life = min(life, 24*time.Hour)
	c.kept.Put(sum, kept{life, c.now().Add(life)})
}
