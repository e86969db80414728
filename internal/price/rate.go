package price

import (
	"math"
	"math/bits"
	"strings"
)

// perMillion is what rates are for.
const perMillion = 1_000_000

// Bounds of what is reckoned with, so that no product of them passes 128 bits. What an
// upstream counts beyond them is not meant.
const (
	mostTokens = 1 << 40
	mostFactor = 1000
)

// Rate is what a request costs: every token at the rate of its class and of the
// prompt's length, times the factor of the service tier, and the fees. The sum is
// exact and is rounded once, at its end, to the nearest billionth of a USD, halves up.
// So it is the same however the answer came.
func Rate(s *Sheet, u Usage, tier string) Amount {
	rates := s.For(u.Prompt())
	var sum total
	for c := range Classes {
		if u.Tokens[c] > 0 {
			sum.add(min(u.Tokens[c], mostTokens), rates.Of(c))
		}
	}
	f := s.Factor(tier)
	sum.scale(f)
	return plus(sum.divide(perMillion*f.Den, nearest), s.fees(min(max(u.Searches, 0), mostTokens)))
}

// worst is the most that a request can cost whose prompt has at most so many tokens and
// whose answer has at most so many: each at its dearest class, at the dearest length of
// prompt, rounded up. Searches are not in it: they are known only afterwards.
func worst(s *Sheet, input, output int64, f Factor) Amount {
	most := Amount(0)
	for step := -1; step < len(s.Steps); step++ {
		rates := &s.Rates
		if step >= 0 {
			if s.Steps[step].Over >= input {
				break
			}
			longer := s.Steps[step].Rates.mergeOver(&s.Rates)
			rates = &longer
		}
		var sum total
		sum.add(min(max(input, 0), mostTokens), rates.dearest(ofPrompts))
		sum.add(min(max(output, 0), mostTokens), rates.dearest(ofAnswers))
		sum.scale(f)
		most = max(most, sum.divide(perMillion*f.Den, up))
	}
	return plus(most, s.fees(0))
}

// Dearest is the most that a request can cost whose prompt and whose answer have at most so many tokens, in the dearest
// of all service tiers, but for those that serve only who asks for them, unless they are asked for. Searches are not in it.
func Dearest(s *Sheet, input, output int64, fast bool) Amount {
	most := Factor{Num: 1, Den: 1}
	for _, f := range s.Factors {
		if f.Num*most.Den > most.Num*f.Den && (fast || !strings.HasPrefix(f.Tier, Fast)) {
			most = f
		}
	}
	return worst(s, input, output, most)
}

// The classes that tokens of a prompt may be in, and those of an answer.
const (
	ofPrompts = 1<<Input | 1<<CachedInput | 1<<CacheWrite | 1<<CacheWrite1h | 1<<AudioInput | 1<<AudioCached | 1<<ImageInput | 1<<ImageCached
	ofAnswers = 1<<Output | 1<<Reasoning | 1<<AudioOutput | 1<<ImageOutput
)

// dearest is the most that a million tokens of some classes cost. A class without a price of
// its own costs what another of them does, but for an hour's write.
func (r *Rates) dearest(of uint16) (most Amount) {
	for own := r.set & of; own != 0; own &= own - 1 {
		most = max(most, r.each[bits.TrailingZeros16(own)])
	}
	if of&^r.set&(1<<CacheWrite1h) != 0 {
		most = max(most, r.Of(CacheWrite1h))
	}
	return most
}

// fees are what does not depend on tokens.
func (s *Sheet) fees(searches int64) Amount {
	var sum total
	sum.add(searches, s.PerSearch)
	return plus(sum.divide(1, nearest), s.PerRequest)
}

// total is a sum of products that 64 bits do not hold.
type total struct{ high, low uint64 }

func (t *total) add(tokens int64, each Amount) {
	high, low := bits.Mul64(uint64(tokens), uint64(max(each, 0)))
	var carry uint64
	t.low, carry = bits.Add64(t.low, low, 0)
	t.high, _ = bits.Add64(t.high, high, carry)
}

// scale multiplies by a factor's upper half; over divides by its lower half.
func (t *total) scale(f Factor) {
	high, low := bits.Mul64(t.low, uint64(f.Num))
	t.high, t.low = t.high*uint64(f.Num)+high, low
}

// How a division ends.
const (
	nearest = false
	up      = true
)

// divide divides, and holds the quotient within what an Amount can be.
func (t *total) divide(by int64, ceil bool) Amount {
	extra := uint64(by) / 2
	if ceil {
		extra = uint64(by) - 1
	}
	low, carry := bits.Add64(t.low, extra, 0)
	high := t.high + carry
	if high >= uint64(by) {
		return math.MaxInt64
	}
	quotient, _ := bits.Div64(high, low, uint64(by))
	return Amount(min(quotient, math.MaxInt64))
}

// plus adds, and stays within what an Amount can be.
func plus(a, b Amount) Amount {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
