// Package bill reads what a provider says that its models cost: what its billing page
// or API exports, told by its own columns. It must not know what we have counted.
package bill

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"
)

// How much of an export is read.
const (
	mostBytes  = 64 << 20
	mostRows   = 1_000_000
	mostGroups = 100_000 // days and models that are told apart
	mostCells  = 1000    // of a row
)

// Bill is what a provider billed, by day in UTC and model.
type Bill struct {
	Format     string // of which export it is
	First, End time.Time
	Lines      []Line
	Rows       int  // that were read
	Other      int  // rows about something else than models
	More       bool // the export says that another page follows it
}

// Line is what one model cost on one day.
type Line struct {
	Day   time.Time
	Model string // as the provider names it first
	Key   string // the model's name as Fold writes it
	Nano  int64  // billionths of a USD
}

// errUnknown says that no export that we know looks so.
var errUnknown = errors.New("this is none of the exports that can be read: OpenAI costs, Anthropic cost report, Google billing, OpenRouter activity, as CSV or JSON")

// Read reads an export. Which one it is shows in its columns.
func Read(from io.Reader) (*Bill, error) {
	all, err := io.ReadAll(io.LimitReader(from, mostBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read the export: %w", err)
	}
	if len(all) > mostBytes {
		return nil, fmt.Errorf("the export is larger than %d MB: export fewer days at a time", mostBytes>>20)
	}
	all = bytes.TrimSpace(bytes.TrimPrefix(all, []byte("\ufeff")))
	b := &book{bill: Bill{}, sums: make(map[group]*Line)}
	if len(all) > 0 && (all[0] == '{' || all[0] == '[') {
		err = b.readJSON(all)
	} else {
		err = b.readCSV(all)
	}
	if err != nil {
		return nil, err
	}
	return b.close()
}

// book adds up an export while it is read.
type book struct {
	bill Bill
	sums map[group]*Line
}

type group struct {
	day int64
	key string
}

// entry is a row of an export.
type entry struct {
	day      string
	model    string
	amount   string
	power    int // of ten, that the amount is of a dollar
	currency string
}

// add adds a row.
func (b *book) add(e entry) error {
	if b.bill.Rows++; b.bill.Rows > mostRows {
		return fmt.Errorf("the export has more than %d rows: export fewer days at a time", mostRows)
	}
	if e.amount == "" {
		return nil // a day without any
	}
	if err := inUSD(e.currency); err != nil {
		return err
	}
	nano, back, err := amount(e.amount, e.power)
	if err != nil {
		return fmt.Errorf("row %d: %w", b.bill.Rows, err)
	}
	day, err := dayOf(e.day)
	if err != nil {
		return fmt.Errorf("row %d: %w", b.bill.Rows, err)
	}
	if back {
		nano = -nano
	}
	g := group{day.Unix(), Fold(e.model)}
	if b.sums[g] == nil {
		if len(b.sums) >= mostGroups {
			return fmt.Errorf("the export has more than %d days and models: export fewer days at a time", mostGroups)
		}
		b.sums[g] = &Line{Day: day, Model: e.model, Key: g.key}
	}
	b.sums[g].Nano += nano
	return nil
}

// close puts the lines in their order.
func (b *book) close() (*Bill, error) {
	if len(b.sums) == 0 {
		return nil, errors.New("the export has no row with an amount")
	}
	for _, l := range b.sums {
		b.bill.Lines = append(b.bill.Lines, *l)
	}
	sortLines(b.bill.Lines)
	b.bill.First, b.bill.End = b.bill.Lines[0].Day, b.bill.Lines[len(b.bill.Lines)-1].Day.AddDate(0, 0, 1)
	return &b.bill, nil
}
