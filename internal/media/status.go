package media

import (
	"context"
	"io"
	"time"
)

// State is how far a piece of work is. The words are those of the contract.
type State string

// The states. The last three are final.
const (
	Pending    State = "pending"
	Processing State = "processing"
	Success    State = "success"
	Failed     State = "failed"
	Canceled   State = "canceled"
)

// Final reports whether nothing more will happen.
func (s State) Final() bool { return s == Success || s == Failed || s == Canceled }

// Ticket is how a maker finds work again that it has accepted: JSON of its own,
// enough for another process, and without any secret.
type Ticket []byte

// Status is what a maker knows of a piece of work.
type Status struct {
	State    State
	Ticket   Ticket        // set by the one who accepted the work
	Progress float64       // 0 to 1; 0 where it is not known
	Position int           // in the maker's line, 1 for the next; 0 where that is not known
	Wait     time.Duration // before it is worth asking again; 0: as the caller likes
	Outputs  []Output      // of Success
	Failure  *Failure      // of Failed
	Nano     int64         // what the maker says it cost, in billionths of a USD; 0 where it does not say
	Settled  bool          // Nano is the last word, even where it is 0
	Steps    []StepStatus  // of work that is made of other work
}

// StepStatus is how far a part of a piece of work is, for its client.
type StepStatus struct {
	ID    string `json:"id"`
	State State  `json:"status"`
	Done  int    `json:"done,omitzero"`  // of the items that a step is done for
	Total int    `json:"total,omitzero"` // 0 where there are no items, or not known yet
}

// Output is a thing that was made, still with its maker.
type Output struct {
	Kind          string // image, video or audio; of apps also text and data
	Role          string // "" for what was asked for; thumbnail, preview or cover for what belongs to one
	Of            int    // the output it belongs to, by its place in the list
	Type          string // content type, as far as the maker says; the bytes decide
	Width, Height int
	Duration      float64 // seconds
	Title         string
	File          string // of this installation, for what is kept already; there is nothing to open then
	Size          int64  // of File
	Text          string // of kind text
	Data          []byte // of kind data: JSON
	Open          func(ctx context.Context) (io.ReadCloser, error)
}

// The roles of outputs beside what was asked for.
const (
	Thumbnail = "thumbnail"
	Preview   = "preview"
	Cover     = "cover"
)
