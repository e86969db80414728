package money

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// doubt is a generation that has ended and is not settled.
type doubt struct {
	piece
	id       string
	asked    time.Time // when its provider was asked last
	ticketed bool      // its provider has said that it took it
	aside    bool      // processes died in it: no provider is asked any more
}

// doubts lists what is not settled, as stele generations unsettled does.
func (a *accountant) doubts(t *testing.T) (list []doubt) {
	t.Helper()
	const query = `SELECT id, ordered, asked_at, length(ticket), message LIKE '%set aside%' FROM generations WHERE unsettled = 1`
	a.books(t, query, nil, func(scan func(...any) error) error {
		var d doubt
		var ordered string
		var asked int64
		var ticket int
		err := scan(&d.id, &ordered, &asked, &ticket, &d.aside)
		if found := pieceName.FindStringSubmatch(ordered); found != nil {
			n, _ := strconv.Atoi(found[1])
			d.piece = pieceOf(n)
		}
		d.asked, d.ticketed = time.UnixMilli(asked), ticket > 0
		list = append(list, d)
		return err
	})
	return list
}

// toldWithin is how long after an answer a busy server may need until it is written down.
const toldWithin = 10 * time.Second

// cause is why no provider will ever say what a piece has cost; "" where one can be asked,
// or has said so.
func (a *accountant) cause(d doubt) string {
	switch {
	case d.aside:
		return "set aside"
	case d.fate == "gone" && d.kind != "openai" && (d.ticketed || d.kind == "comfyui"):
		return "forgotten by its provider"
	case d.kind == "comfyui": // is looked up by the name that it was given
		return ""
	case d.fate == "unsure" && (d.kind == "openai" || !d.ticketed):
		return "its answer was lost"
	case d.fate == "broken" && !d.ticketed:
		return "its answer did not say"
	case d.ticketed && d.kind != "openai": // it can be looked at
		return ""
	}
	for _, death := range a.deaths {
		open, taken := a.press.unanswered(d.name(), death.Add(-toldWithin))
		if open && !death.Before(d.asked) && (taken || !d.ticketed && death.Before(d.asked.Add(toldWithin))) {
			return "a server died before it knew the answer"
		}
	}
	return ""
}

// settled waits until all have ended, here and there, and all are settled that can be.
func (a *accountant) settled(t *testing.T) {
	t.Helper()
	count := func(query string) (n int) {
		a.books(t, query, nil, func(scan func(...any) error) error { return scan(&n) })
		return n
	}
	await(t, "all generations have ended", func() bool {
		return count(`SELECT COUNT(*) FROM generations WHERE stage <> 'ended'`) == 0 && a.press.unfinished() == 0
	})
	var waiting string
	defer func() {
		if waiting != "" {
			t.Errorf("it stays unsettled without a cause: %s", waiting)
		}
	}()
	await(t, "what can be settled is settled", func() bool {
		waiting = ""
		for _, d := range a.doubts(t) {
			if a.cause(d) == "" {
				waiting = fmt.Sprintf("%+v: answered %s, servers died %s", d, a.press.answers(d.name()), a.deaths)
			}
		}
		return waiting == ""
	})
}

// judge holds each piece against the bill, and gives the list of those that wait for a person.
func (a *accountant) judge(t *testing.T) (listed []doubt) {
	t.Helper()
	listed = a.doubts(t)
	waits, causes := make(map[string]bool), make(map[string]int)
	for _, d := range listed {
		waits[d.id] = true
		causes[a.cause(d)+", "+d.kind]++
	}
	type sum struct{ rows, nano int64 }
	booked := make(map[string]sum)
	a.books(t, `SELECT request, COUNT(*), SUM(nano) FROM requests WHERE route = 'generations' GROUP BY request`, nil, func(scan func(...any) error) error {
		var id string
		var s sum
		err := scan(&id, &s.rows, &s.nano)
		booked[id] = s
		return err
	})
	bill, charged := a.press.bill(), 0
	for n, id := range a.ids {
		p, s := pieceOf(n), booked[id]
		switch {
		case waits[id]:
			if s.rows != 0 {
				t.Errorf("%+v is in the list, and has %d rows", p, s.rows)
			}
		case s.rows != 1 || s.nano != bill[p.name()]:
			t.Errorf("%+v: the bill says %d, %d rows %d", p, bill[p.name()], s.rows, s.nano)
		case s.nano > 0:
			charged++
		case p.fate == "good":
			t.Errorf("%+v was not made: %s", p, a.Get(t, "/api/v1/generations/"+id, a.key.Key).Body)
		}
	}
	t.Logf("%d pieces: %d are charged as the bill says, %d for nothing, %d stand in the list: %v", pieces, charged, pieces-charged-len(listed), len(listed), causes)
	if charged < pieces/2 || len(listed) == 0 {
		t.Error("that is not what was ordered")
	}
	return listed
}

// byHand is how many pieces a person settles.
const byHand = 20

// settleByHand says what the bill says, of as many as a person has time for.
func (a *accountant) settleByHand(t *testing.T, listed []doubt) {
	t.Helper()
	bill := a.press.bill()
	for _, d := range listed[:min(len(listed), byHand)] {
		nano := bill[d.name()]
		a.Run(t, "generations", "settle", d.id, "--cost", fmt.Sprintf("%d.%09d", nano/1e9, nano%1e9))
	}
}

// agrees compares the counter with the whole bill, but for what is still in the list.
func (a *accountant) agrees(t *testing.T) {
	t.Helper()
	bill := a.press.bill()
	for _, d := range a.doubts(t) {
		delete(bill, d.name())
	}
	want := int64(0)
	for _, nano := range bill {
		want += nano
	}
	if settled, leased, held, doubt := a.counter(t, "pieces"); settled != want || leased != 0 || doubt != 0 {
		t.Errorf("%d are settled, the bill says %d; %d leased, %d held, %d in doubt", settled, want, leased, held, doubt)
	}
	if said := a.Run(t, "money", "verify"); !strings.Contains(said, "everything agrees") {
		t.Error(said)
	}
}
