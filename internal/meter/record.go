// Package meter knows what was used. One record for each request feeds the usage
// row, the log line and the metrics. It must not know where records are kept.
package meter

import (
	"time"

	"stele/internal/chat"
)

// Record is what one request used. It is written when the request has ended,
// however it ended.
type Record struct {
	ID          string    `json:"id"` // the request's id with a suffix of ours: clients may repeat theirs
	At          time.Time `json:"at"`
	Request     string    `json:"request"`
	Workspace   string    `json:"workspace"`
	Key         string    `json:"key"`
	Environment string    `json:"environment"`
	Route       string    `json:"route"`
	Dialect     string    `json:"dialect"`
	Model       string    `json:"model"`    // that served it; where none did, as the client named it
	Asked       string    `json:"asked"`    // as the client named it, where a name led to Model; "": it is the same
	Provider    string    `json:"provider"` // who served it; "" where none did
	Target      string    `json:"target"`   // the upstream's name of the model
	Stream      bool      `json:"stream"`
	Status      int       `json:"status"`
	Code        string    `json:"code"` // of the failure; "" for success
	Tries       int       `json:"tries"`
	Path        string    `json:"path"`    // the tries as Trail writes them; "" where the rest of the record says it all
	Dropped     string    `json:"dropped"` // X-Stele-Dropped as it was, or would have been, sent

	Input        int64 `json:"input"`
	CacheRead    int64 `json:"cache_read"`
	CacheWrite   int64 `json:"cache_write"`
	CacheWrite1h int64 `json:"cache_write_1h"`
	Output       int64 `json:"output"`
	Reasoning    int64 `json:"reasoning"`
	Estimated    bool  `json:"estimated"` // the upstream did not say; counted from bytes
	Nano         int64 `json:"nano"`      // price in billionths of a USD
	Priced       bool  `json:"priced"`
	Markup       int64 `json:"-"` // what the workspace is charged beyond it; the store fills it in when it saves the record

	Person  string `json:"person"`  // who made the key, or called themselves
	User    string `json:"user"`    // the end user, as the client named them
	Tags    string `json:"tags"`    // as the client gave them: team=a,feature=b
	Charges string `json:"charges"` // of which counters of limits how much was taken

	Released string `json:"-"` // what a task held of counters until now, as Charges

	// Extra is what else was used, as Count writes it: tokens that are no text among
	// those above, searches, the service tier, advice of another model. "" for most.
	Extra string `json:"extra"`
	// Rates is what it was rated by, as price.Sheet writes it.
	Rates string `json:"rates"`
	// PriceSource is where the price is from: book, file, console, upstream, or none where
	// it is unpriced; "" where nothing was served.
	PriceSource string `json:"price_source"`
	// PriceVersion tells which price list it was.
	PriceVersion string `json:"price_version"`

	FirstByte time.Duration `json:"first_byte"` // until the first of the answer reached us; 0: never
	Took      time.Duration `json:"took"`
}

// Count takes an upstream's usage over.
func (r *Record) Count(u chat.Usage) {
	r.Input, r.CacheRead, r.CacheWrite, r.CacheWrite1h = u.Input, u.CacheRead, u.CacheWrite, u.CacheWrite1h
	r.Output, r.Reasoning, r.Estimated = u.Output, u.Reasoning, !u.Known
	r.Extra = extra(u)
}

// Keeper keeps records. Keep returns when the record survives the process, and waits
// for no disk; an error says that the record is lost.
type Keeper interface {
	Keep(*Record) error
}
