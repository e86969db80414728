package chat

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
	Known        bool // the upstream said so; otherwise it is an estimate or nothing
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
		Known: u.Known && v.Known,
	}
}

// Estimate guesses the tokens of n bytes of text: four bytes each, at least one.
func Estimate(n int) int64 {
	if n == 0 {
		return 0
	}
	return max(1, int64(n+3)/4)
}
