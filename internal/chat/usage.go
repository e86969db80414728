package chat

import (
	"cmp"
	"strings"
)

// Usage counts tokens in classes that do not overlap, so that nothing is
// counted or paid twice. The dialects add them up in their own ways.
type Usage struct {
	Input      int64 // neither read from nor written to a cache
	CacheRead  int64
	CacheWrite int64 // of which CacheWrite1h for an hour, the rest for less
	// CacheWrite1h is the part of CacheWrite that is kept for an hour.
	CacheWrite1h int64
	Output       int64 // without Reasoning
	Reasoning    int64
	Of           Parts
	Searches     int64  // of the web, that the upstream made
	Tier         string // the service tier that served, in the words of the price book; "" for the standard one
	Known        bool   // the upstream said so; otherwise it is an estimate or nothing
	// Billed is what the upstream itself says the call cost, in billionths of a USD.
	Billed      int64
	BilledKnown bool
	// Advised is what of all this another model took that the upstream asked for advice; nil: nothing.
	Advised *Advised
	// Cost is what the client is told that its answer cost, in billionths of a USD; nil
	// where it did not ask, or where that is not known.
	Cost *int64
}

// Parts are the tokens among the classes that are no text and may have a price of
// their own: of Input, of CacheRead and of Output.
type Parts struct {
	AudioInput, AudioCached, AudioOutput int64
	ImageInput, ImageCached, ImageOutput int64
}

// Advised is the part of a usage that another model of the same upstream took, at its own price.
type Advised struct {
	Model string
	Usage Usage
}

// Own is a usage without what another model took.
func (u Usage) Own() Usage {
	if a := u.Advised; a != nil {
		v := a.Usage
		u.Input, u.Output, u.Reasoning = max(0, u.Input-v.Input), max(0, u.Output-v.Output), max(0, u.Reasoning-v.Reasoning)
		u.CacheRead, u.CacheWrite, u.CacheWrite1h = max(0, u.CacheRead-v.CacheRead), max(0, u.CacheWrite-v.CacheWrite), max(0, u.CacheWrite1h-v.CacheWrite1h)
		u.Advised = nil
	}
	return u
}

// and is the advice of two calls. That of another model than the first one's counts as the caller's own.
func (a *Advised) and(b *Advised) *Advised {
	switch {
	case a == nil:
		return b
	case b == nil || a.Model != b.Model:
		return a
	}
	return &Advised{a.Model, a.Usage.Add(b.Usage)}
}

// Within is parts that are no more than what they are parts of.
func (p Parts) Within(input, cached, output int64) Parts {
	audio := Parts{AudioInput: min(p.AudioInput, input), AudioCached: min(p.AudioCached, cached), AudioOutput: min(p.AudioOutput, output)}
	audio.ImageInput = min(p.ImageInput, input-audio.AudioInput)
	audio.ImageCached = min(p.ImageCached, cached-audio.AudioCached)
	audio.ImageOutput = min(p.ImageOutput, output-audio.AudioOutput)
	return audio
}

func (p Parts) add(q Parts) Parts {
	return Parts{
		p.AudioInput + q.AudioInput, p.AudioCached + q.AudioCached, p.AudioOutput + q.AudioOutput,
		p.ImageInput + q.ImageInput, p.ImageCached + q.ImageCached, p.ImageOutput + q.ImageOutput,
	}
}

// ServiceTier is a tier in the words of Usage, whatever the upstream calls it; "" for
// the standard one and for those that are paid otherwise than by the token.
func ServiceTier(word string) string {
	word = word[strings.LastIndexByte(word, '_')+1:] // SERVICE_TIER_PRIORITY
	for _, tier := range [...]string{"flex", "priority", "batch"} {
		if strings.EqualFold(word, tier) {
			return tier
		}
	}
	return ""
}

// Prompt is all that went in.
func (u Usage) Prompt() int64 { return u.Input + u.CacheRead + u.CacheWrite }

// Completion is all that came out.
func (u Usage) Completion() int64 { return u.Output + u.Reasoning }

// Total is all.
func (u Usage) Total() int64 { return u.Prompt() + u.Completion() }

// Add is the usage of two calls.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, CacheRead: u.CacheRead + v.CacheRead,
		CacheWrite: u.CacheWrite + v.CacheWrite, CacheWrite1h: u.CacheWrite1h + v.CacheWrite1h,
		Output: u.Output + v.Output, Reasoning: u.Reasoning + v.Reasoning,
		Of: u.Of.add(v.Of), Searches: u.Searches + v.Searches, Tier: cmp.Or(v.Tier, u.Tier),
		Known: u.Known && v.Known, Billed: u.Billed + v.Billed, BilledKnown: u.BilledKnown && v.BilledKnown,
		Advised: u.Advised.and(v.Advised),
	}
}

// After is what an upstream has told in all, where it told before and then u: the later count stands. A count of
// nothing takes nothing back, nor does one that only does not say what the same sum is made of.
func (u Usage) After(before Usage) Usage {
	if u.Prompt() == 0 || u.CacheRead+u.CacheWrite == 0 && u.Prompt() == before.Prompt() {
		u.Input, u.CacheRead, u.CacheWrite, u.CacheWrite1h = before.Input, before.CacheRead, before.CacheWrite, before.CacheWrite1h
		u.Of.AudioInput, u.Of.AudioCached, u.Of.ImageInput, u.Of.ImageCached = before.Of.AudioInput, before.Of.AudioCached, before.Of.ImageInput, before.Of.ImageCached
	}
	if u.Completion() == 0 || u.Reasoning == 0 && u.Completion() == before.Completion() {
		u.Output, u.Reasoning, u.Of.AudioOutput, u.Of.ImageOutput = before.Output, before.Reasoning, before.Of.AudioOutput, before.Of.ImageOutput
	}
	u.Searches, u.Tier = max(u.Searches, before.Searches), cmp.Or(u.Tier, before.Tier)
	if !u.BilledKnown {
		u.Billed, u.BilledKnown = before.Billed, before.BilledKnown
	}
	return u
}

// Estimate guesses the tokens of n bytes of text: four bytes each, at least one.
func Estimate(n int) int64 {
	if n == 0 {
		return 0
	}
	return max(1, int64(n+3)/4)
}
