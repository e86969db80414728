package chat

import "iter"

// Event is one step of an answer on its way.
//
// Decoders emit loose events: Start once; Delta for whatever came, with Block
// telling apart what belongs together and Part carrying the kind and the new
// piece (ID and Name of a call on its first Delta or later); Finish when the
// upstream says why it stopped, in one or several pieces; Usage whenever it was
// told. They need not open, close or number anything.
//
// After Tidy events are strict: Start (Open Delta* Close)* Finish, one block
// open at a time, numbered 0, 1, 2 …, Usage only inside Start and Finish. Of several
// answers one follows the other, each with blocks and a Finish of its own.
type Event struct {
	Kind   EventKind
	Answer int // which one, where several were asked for
	Block  int
	Part   Part
	ID     string // Start: the upstream's id of the answer
	Model  string // Start: the upstream's name of the model
	Turn   string // Start: a name for the turn, where signatures of texts may come behind them
	Tier   string // Start: the upstream's own word for the tier that serves, where it is known by then
	Stop   Stop   // Finish
	Last   bool   // Finish, loose only: nothing follows, not even usage
	More   bool   // Finish, strict only: another answer follows, and usage with it
	Usage  Usage  // Finish; Start where it is known by then
	Notes  []Loss // what the decoder could not carry: with any loose event, and with the last Finish of a strict stream
}

// EventKind is a sort of event.
type EventKind uint8

// The kinds of events.
const (
	Start   EventKind = iota + 1
	Open              // strict only: Part has the kind, ID and Name
	Delta             // Part.Text is the new piece; Proof and Citations ride along
	Close             // strict only; in a loose stream it says that nothing more comes for the block
	Counted           // loose only: Usage so far, cumulative
	Finish
)

// Chunk is what one frame of an upstream meant, and the frame itself.
type Chunk struct {
	Events []Event
	Raw    []byte // the frame's bytes, its blank line included; valid until the next chunk
	Hidden bool   // a frame only we asked for: metered, not shown when passing through
	More   bool   // the next chunk is already here: nothing is won by flushing before it
	Cost   *int64 // of a frame that passes through and tells the usage: as Usage has it
}

// Stream is an answer on its way. An error ends it. A stream that ends without
// an error was complete: its upstream said so in its own words.
type Stream = iter.Seq2[Chunk, error]

// Stop is why an answer ended.
type Stop struct {
	Reason      Reason
	Sequence    string // of StopSequence, where the upstream tells
	Explanation string // of Refused, for people
	Category    string // of Refused: anthropic's category or gemini's finishReason
	Raw         string // the upstream's own word
	Odd         bool   // it is none that is known, although it ended for a call
}

// Strange reports whether the upstream's word for the end says what no client is told.
func (s *Stop) Strange() bool { return (s.Reason == Other || s.Odd) && s.Raw != "" }

// CutsOff reports whether what was being said may have been cut off there.
func (s *Stop) CutsOff() bool {
	return s.Reason == MaxTokens || s.Reason == Refused || s.Reason == StopSequence
}

// Reason is a sort of end.
type Reason uint8

// The reasons; zero is not said yet.
const (
	EndTurn Reason = iota + 1
	StopSequence
	MaxTokens
	ToolUse
	Refused // the model or a filter declined
	Paused  // anthropic: to be continued by sending the turn back
	Failed  // the model produced something unusable; Raw says what
	Other
)
