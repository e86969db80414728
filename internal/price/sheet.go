package price

import (
	"math/bits"
	"slices"
)

// Class is a sort of token that may have a price of its own. No token is in two.
type Class uint8

// The classes. Input, CachedInput, Output and Reasoning are those of text and of all
// that has no class of its own.
const (
	Input Class = iota
	CachedInput
	CacheWrite   // kept for less than an hour
	Output       // what is said
	CacheWrite1h // kept for an hour
	Reasoning    // what is thought and not said
	AudioInput
	AudioCached
	AudioOutput
	ImageInput
	ImageCached
	ImageOutput
	Classes // how many there are
)

// names are the classes as texts write them.
var names = [Classes]string{
	"input", "cached_input", "cache_write", "output", "cache_write_1h", "reasoning",
	"audio_input", "audio_cached", "audio_output", "image_input", "image_cached", "image_output",
}

// String is the class as texts write it.
func (c Class) String() string { return names[c] }

// ClassByName finds a class by what String says.
func ClassByName(name string) (Class, bool) {
	i := slices.Index(names[:], name)
	return Class(max(i, 0)), i >= 0
}

// Usage is what one request used: tokens by class, and searches of the web that its
// upstream made.
type Usage struct {
	Tokens   [Classes]int64
	Searches int64
}

// Prompt is how long the prompt was, of whatever classes.
func (u *Usage) Prompt() int64 {
	t := &u.Tokens
	return t[Input] + t[CachedInput] + t[CacheWrite] + t[CacheWrite1h] +
		t[AudioInput] + t[AudioCached] + t[ImageInput] + t[ImageCached]
}

// Rates are what a million tokens of each class cost. A class without a price of its
// own costs what Of says.
type Rates struct {
	set  uint16
	each [Classes]Amount
}

// Set gives a class a price for a million tokens.
func (r *Rates) Set(c Class, each Amount) {
	r.set |= 1 << c
	r.each[c] = each
}

// Own is the class's own price, if it has one.
func (r *Rates) Own(c Class) (Amount, bool) { return r.each[c], r.set&(1<<c) != 0 }

// Known reports whether there is a price at all.
func (r *Rates) Known() bool { return r.set&(1<<Input|1<<Output) != 0 }

// Of is what a million tokens of a class cost. Without a price of its own, what was
// cached and what is written to a cache cost what input does, an hour's write twice
// the input, as its inventor charges, reasoning what output does, and sound and
// pictures what text does.
func (r *Rates) Of(c Class) Amount {
	if each, ok := r.Own(c); ok {
		return each
	}
	switch c {
	case CachedInput, CacheWrite, AudioInput, ImageInput:
		return r.Of(Input)
	case CacheWrite1h:
		return max(r.Of(CacheWrite), 2*r.Of(Input))
	case Reasoning, AudioOutput, ImageOutput:
		return r.Of(Output)
	case AudioCached:
		return r.cachedRate(AudioInput)
	case ImageCached:
		return r.cachedRate(ImageInput)
	}
	return 0
}

// cachedRate is what the cached part of a class costs that has no price of its own: a
// class that is dearer than text is not made cheaper by the price of cached text.
func (r *Rates) cachedRate(of Class) Amount {
	if each, ok := r.Own(of); ok {
		return each
	}
	return r.Of(CachedInput)
}

// mergeOver gives r with what it does not say taken from base.
func (r Rates) mergeOver(base *Rates) Rates {
	for rest := base.set &^ r.set; rest != 0; rest &= rest - 1 {
		c := Class(bits.TrailingZeros16(rest))
		r.Set(c, base.each[c])
	}
	return r
}

// Step is what longer prompts cost: all tokens of a request whose prompt has more
// than Over.
type Step struct {
	Over  int64
	Rates Rates
}

// Fast and InUS are what Anthropic serves for more: faster, and within the United States. Both at once is a tier of its own.
// Nobody is served faster who does not ask for it; where, an account may say for all its requests.
const (
	Fast     = "fast"
	InUS     = "us"
	FastInUS = Fast + "+" + InUS
)

// Factor is what a service tier's tokens cost, as a part of the standard price.
type Factor struct {
	Tier     string
	Num, Den int64
}

// Sheet is all prices of a chat model.
type Sheet struct {
	Rates      Rates
	Steps      []Step   // by Over, rising
	Factors    []Factor // of service tiers that cost more or less
	PerRequest Amount
	PerSearch  Amount
}

// Known reports whether there is a price at all. Without one a model is unpriced,
// which is not the same as free.
func (s *Sheet) Known() bool { return s != nil && s.Rates.Known() }

// For are the rates that a prompt of so many tokens is charged at.
func (s *Sheet) For(prompt int64) Rates {
	rates := s.Rates
	for i := range s.Steps {
		if prompt > s.Steps[i].Over {
			rates = s.Steps[i].Rates.mergeOver(&s.Rates)
		}
	}
	return rates
}

// Factor is what the tokens of a service tier cost, as a part of the standard price.
// A tier that the sheet does not know costs the standard price.
func (s *Sheet) Factor(tier string) Factor {
	for i := range s.Factors {
		if s.Factors[i].Tier == tier {
			return s.Factors[i]
		}
	}
	return Factor{Num: 1, Den: 1}
}
