package chat

import "encoding/json"

// Reply is an answer, whole or on its way: exactly one of Response and Stream.
type Reply struct {
	Dialect  string // the upstream's
	Raw      []byte // the whole answer's own bytes, where Dialect can pass through
	Response *Response
	Stream   Stream
	Dropped  []Loss // what the upstream's dialect could not carry
	Provider string // who served it
	Target   string // the upstream's name of the model
	Passed   bool   // the client's own dialect all the way: Raw and the frames are what it gets
	Close    func() // releases the connection; nil where there is none
}

// Response is a whole answer.
type Response struct {
	ID      string
	Model   string
	Answers []Answer // one, unless several were asked for
	Usage   Usage
	Tier    string
	Notes   []Loss // what the decoder could not carry into the common answer
}

// Answer is what the model said.
type Answer struct {
	Parts    []Part
	Stop     Stop
	Logprobs json.RawMessage // in openai's shape
}
