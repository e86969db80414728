package chat

import (
	"encoding/json"
	"time"

	"stele/internal/fault"
)

// Reply is an answer, whole or on its way: exactly one of Whole and Stream.
type Reply struct {
	Dialect  string // the upstream's
	Raw      []byte // the whole answer's own bytes, where Dialect can pass through
	Whole    *WholeReply
	Stream   Stream
	Dropped  []Loss // what the upstream's dialect could not carry, and of a whole answer what the client's has no place for
	Late     []Loss // of a stream: what shows only at its end
	Provider string // who served it
	Target   string // the upstream's name of the model
	Served   string // provider/model as the client may know it; "" where it is hidden
	Passed   bool   // the client's own dialect all the way: Raw and the frames are what it gets
	Seen     *Seen  // what of the stream has come so far; nil where it is whole
	Nano     int64  // what a whole answer costs, in billionths of a USD
	Priced   bool   // that is known
	Limits   []fault.Standing
	Ends     Ending // of the model
	Close    func() // releases the connection of a stream that is not read; may be called twice
}

// Ending is when a model goes away.
type Ending struct {
	Known time.Time // since when that is known
	On    time.Time // zero: it does not go away, as far as is known
}

// Seen counts a stream while it is read, by its reader. It is what is
// metered when the end never comes.
type Seen struct {
	Usage  Usage // the upstream's last word
	Text   int   // bytes of text, thoughts and arguments, where they were decoded
	Behind int   // of those what came behind the usage
	Chunks int   // frames with data
	Ended  bool  // nothing more will come that counts
}

// WholeReply is a reply that has come whole.
type WholeReply struct {
	ID      string
	Model   string
	Answers []Answer // one, unless several were asked for
	Usage   Usage
	Tier    string
	Notes   []Loss // what the decoder could not carry into the common answer
}

// Size is about how many bytes an answer has once it is written.
func (r *WholeReply) Size() int {
	n := 512
	for i := range r.Answers {
		n += len(r.Answers[i].Logprobs) + 64
		for j := range r.Answers[i].Parts {
			p := &r.Answers[i].Parts[j]
			n += len(p.Text) + len(p.Proof) + 128
			if p.Media != nil {
				n += len(p.Media.Base64)
			}
		}
	}
	return n + n/16
}

// Seen is a whole answer as the meter sees one.
func (r *WholeReply) Seen() *Seen {
	s := &Seen{Usage: r.Usage}
	for i := range r.Answers {
		for j := range r.Answers[i].Parts {
			s.Text += len(r.Answers[i].Parts[j].Text)
		}
	}
	return s
}

// Answer is what the model said.
type Answer struct {
	Parts    []Part
	Stop     Stop
	Logprobs json.RawMessage // in openai's shape
}

// UsageToMeter is the usage to meter: the upstream's word, or an estimate from what was
// sent and what came, of whatever it never said. No prompt is empty, nor does a text
// take no tokens: an upstream that counts so has not counted.
func (s *Seen) UsageToMeter(request int) Usage {
	u := s.Usage
	switch {
	case u.Known && u.BilledKnown:
		return u
	case !u.Known || u.Total() == 0:
		return s.UsageSoFar(request)
	}
	if u.Prompt() == 0 {
		u.Input, u.Known = Estimate(request), false
	}
	switch said := Estimate(s.Text); {
	case u.Completion() == 0 && said > 0:
		u.Output, u.Known = said, false
	case s.Behind > 0 && said > u.Completion(): // it counted before it had said all
		u.Output, u.Known = min(said, u.Completion()+Estimate(s.Behind))-u.Reasoning, false
	case u.Completion() == 0 && s.Chunks > bareChunks:
		u.Output, u.Known = int64(s.Chunks), false
	}
	return u
}

// bareChunks is how many frames an answer has that says nothing, in any dialect.
const bareChunks = 6

// UsageSoFar is the usage of an answer that was left or broke off: whatever its upstream
// said of it was not its last word.
func (s *Seen) UsageSoFar(request int) Usage {
	u := s.Usage
	u.Known = false
	if u.Input+u.CacheRead+u.CacheWrite == 0 {
		u.Input = Estimate(request)
	}
	u.Output = max(u.Output, Estimate(s.Text), int64(s.Chunks))
	return u
}
