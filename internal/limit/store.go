package limit

import (
	"context"
	"strconv"
	"strings"
	"time"

	"stele/internal/access"
)

// Counter names what one limit counts for one subject in one window.
type Counter struct {
	Limit   string
	Subject string
	Start   time.Time
	End     time.Time // zero: never
}

// Balance is a counter as the database has it.
type Balance struct {
	ID      int64
	Amount  int64
	Settled int64 // taken, and written down with the rows it comes from
	Leased  int64 // in the hands of nodes: held there, or settled and on its way here
	Ours    int64 // of that, in the hands of the node that asked
	Held    int64 // by tasks that have not ended
	Doubt   int64 // was in the hands of nodes that never came back
}

// Free is what can still be taken.
func (b Balance) Free() int64 { return b.Amount - b.Settled - b.Leased - b.Held - b.Doubt }

// Left is Free as people are told, who may have lowered the amount below what is taken.
func (b Balance) Left() int64 { return max(0, b.Free()) }

// Share is what a node uses of a counter, told twice a second.
type Share struct {
	Demand int64 // what was asked for in the last second, refused or not
	All    int64 // the same of all nodes, this one included
	Free   int64 // of the limit, on lease to no node
}

// Store keeps limits and their counters. Nodes are told apart by their data folder: a
// process that takes a folder over takes its leases over.
type Store interface {
	// Limits lists all of them; LimitRevision goes up with every change.
	Limits(ctx context.Context) ([]Limit, error)
	LimitRevision(ctx context.Context) (int64, error)
	// SaveLimit saves a new limit, or a changed one; DeleteLimit forgets it with its counters.
	SaveLimit(ctx context.Context, l Limit, e access.Entry) error
	DeleteLimit(ctx context.Context, id string, e access.Entry) error

	// Lease gives a node at least need more of a counter, and where much is left up to
	// want, or nothing. The balance is that of afterwards. A counter that is not there
	// is made.
	Lease(ctx context.Context, node string, c Counter, l *Limit, need, want int64) (got int64, b Balance, err error)
	// GiveBack returns what a node does not need, by counter. The same sequence, which
	// goes up, counts once.
	GiveBack(ctx context.Context, node string, sequence int64, unused map[int64]int64) error
	// ShareOut tells what a node asks of counters and learns what all do.
	ShareOut(ctx context.Context, node string, demand map[int64]int64, now time.Time) (map[int64]Share, error)
	// BeatLimits says that a node lives.
	BeatLimits(ctx context.Context, node string, now time.Time) error
	// Recover gives back whatever a node had on lease before it began anew. Its journal
	// has been read.
	Recover(ctx context.Context, node string, now time.Time) error
	// FreeSilent gives back what nodes that were not heard of since a time have on lease of
	// limits on what runs at the same time: it has ended with them.
	FreeSilent(ctx context.Context, silentSince time.Time) error
	// EndLease gives back what a node has on lease of a counter, whatever that is.
	EndLease(ctx context.Context, node string, counter int64) error
	// Bury looks for nodes that were not heard of since a time: money they had on lease
	// is booked as in doubt, the rest given back.
	Bury(ctx context.Context, silentSince time.Time) (int, error)
	// MarkReached notes that a counter is used up, if at most this part of its amount is
	// not settled.
	MarkReached(ctx context.Context, counter, part int64) error
	// ExpireCredits takes what is left of grants whose time is over out of their
	// balances, once, whichever node does it.
	ExpireCredits(ctx context.Context, now time.Time) error
}

// Charge is what was taken of a counter.
type Charge struct{ Counter, N int64 }

// ChargesText writes charges for a row: 17:120000,18:1.
func ChargesText(list []Charge) string {
	b := make([]byte, 0, 128)
	for i, c := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, c.Counter, 10)
		b = append(b, ':')
		b = strconv.AppendInt(b, c.N, 10)
	}
	return string(b)
}

// ReadCharges reads what ChargesText has written. What cannot be read is left out.
func ReadCharges(text string) []Charge {
	return readCharges(make([]Charge, 0, fewLimits), text) // inlined, as Settle is
}

func readCharges(list []Charge, text string) []Charge {
	for text != "" {
		part, rest, _ := strings.Cut(text, ",")
		text = rest
		id, n, _ := strings.Cut(part, ":")
		counter, err := strconv.ParseInt(id, 10, 64)
		amount, wrong := strconv.ParseInt(n, 10, 64)
		if err == nil && wrong == nil {
			list = append(list, Charge{counter, amount})
		}
	}
	return list
}
