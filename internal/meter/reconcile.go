package meter

import (
	"cmp"
	"slices"
	"time"

	"stele/internal/meter/bill"
)

// TargetDay is what the requests that a target of a provider served used on one day, in
// all workspaces.
type TargetDay struct {
	At     time.Time // midnight in UTC
	Target string
	Figures
}

// Drift sets what a provider billed beside what we counted.
type Drift struct {
	Day      time.Time
	Model    string // "" for all of them
	Theirs   int64  // billionths of a USD
	Ours     int64
	Requests int64 // of ours
	Unpriced int64 // of those: we do not know what they cost
}

// What is too little to be marked: both a cent and a hundredth of what was billed.
const (
	leastDrift   = 10_000_000
	leastPerMill = 10
)

// By is what we counted more than was billed.
func (d *Drift) By() int64 { return d.Ours - d.Theirs }

// Percent is the same in percent of what was billed, in hundredths; false where nothing was.
func (d *Drift) Percent() (hundredths int64, ok bool) {
	if d.Theirs == 0 {
		return 0, false
	}
	return int64(float64(d.By()) / float64(d.Theirs) * 10_000), true // a share for people, no money
}

// Differs reports whether the two differ by more than rounding and the edges of days do.
func (d *Drift) Differs() bool {
	by := d.By()
	if by < 0 {
		by = -by
	}
	return by >= leastDrift && by >= d.Theirs/1000*leastPerMill
}

func (d *Drift) add(other *Drift) {
	d.Theirs += other.Theirs
	d.Ours += other.Ours
	d.Requests += other.Requests
	d.Unpriced += other.Unpriced
}

// Reconciled is a provider's bill beside our own count.
type Reconciled struct {
	Bill   *bill.Bill
	Models []Drift // by day and model
	Days   []Drift
	Total  Drift
}

// Reconcile sets a bill beside what we counted in its days. A model is one and the same
// if both names say so without their dates.
func Reconcile(theirs *bill.Bill, ours []TargetDay) Reconciled {
	type cell struct {
		day int64
		key string
	}
	all := make(map[cell]*Drift)
	at := func(day time.Time, name, key string) *Drift {
		p := cell{day.Unix(), key}
		if all[p] == nil {
			all[p] = &Drift{Day: day, Model: name}
		}
		return all[p]
	}
	for i := range ours {
		t := &ours[i]
		d := at(t.At, t.Target, bill.Fold(t.Target))
		d.add(&Drift{Ours: t.Nano, Requests: t.Requests, Unpriced: t.Unpriced})
	}
	for i := range theirs.Lines {
		l := &theirs.Lines[i]
		at(l.Day, l.Model, l.Key).Theirs += l.Nano
	}
	out := Reconciled{Bill: theirs}
	days := make(map[int64]*Drift)
	for _, d := range all {
		if d.Theirs == 0 && d.Ours == 0 && d.Unpriced == 0 {
			continue
		}
		out.Models = append(out.Models, *d)
		if days[d.Day.Unix()] == nil {
			days[d.Day.Unix()] = &Drift{Day: d.Day}
		}
		days[d.Day.Unix()].add(d)
		out.Total.add(d)
	}
	for _, d := range days {
		out.Days = append(out.Days, *d)
	}
	order := func(a, b Drift) int { return cmp.Or(a.Day.Compare(b.Day), cmp.Compare(a.Model, b.Model)) }
	slices.SortFunc(out.Models, order)
	slices.SortFunc(out.Days, order)
	return out
}
