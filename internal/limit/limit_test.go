package limit

import (
	"strings"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/price"
)

func TestWindowsFollowTheCalendarOfTheirZone(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 29, 22, 30, 15, 0, time.UTC) // Sunday; in Berlin the clocks went forward, in Kolkata it is Monday
	for _, test := range []struct {
		window     Window
		zone       string
		start, end string
	}{
		{Minute, "", "2026-03-29T22:30:00Z", "2026-03-29T22:31:00Z"},
		{Hour, "", "2026-03-29T22:00:00Z", "2026-03-29T23:00:00Z"},
		{Hour, "Asia/Kolkata", "2026-03-29T22:30:00Z", "2026-03-29T23:30:00Z"},
		{Day, "Europe/Berlin", "2026-03-29T22:00:00Z", "2026-03-30T22:00:00Z"},
		{Week, "", "2026-03-23T00:00:00Z", "2026-03-30T00:00:00Z"},
		{Week, "Asia/Kolkata", "2026-03-29T18:30:00Z", "2026-04-05T18:30:00Z"},
		{Month, "Europe/Berlin", "2026-02-28T23:00:00Z", "2026-03-31T22:00:00Z"},
		{Total, "", "1970-01-01T00:00:00Z", ""},
	} {
		in, err := zone(test.zone)
		if err != nil {
			t.Fatal(err)
		}
		got := test.window.at(at, in)
		if text := got.start.UTC().Format(time.RFC3339); text != test.start {
			t.Errorf("%s in %q begins at %s, want %s", test.window, test.zone, text, test.start)
		}
		if end := got.end; end.IsZero() != (test.end == "") || !end.IsZero() && end.UTC().Format(time.RFC3339) != test.end {
			t.Errorf("%s in %q ends at %v, want %s", test.window, test.zone, end, test.end)
		}
	}
}

func TestCountersBeginAnewWithTheirWindow(t *testing.T) {
	t.Parallel()
	s := New(Options{Now: time.Now})
	r := newRule(Limit{ID: "lim_1", Measure: Dollars, Window: Day})
	s.rules.Store(&rules{byID: map[string]*rule{"lim_1": r}, all: []*rule{r}})
	morning := time.Date(2026, 11, 16, 8, 0, 0, 0, time.UTC)
	at := func(now time.Time) *counter { return s.rules.Load().appendParts(nil, &Call{}, now)[0].of }
	one, same, next := at(morning), at(morning.Add(15*time.Hour)), at(morning.Add(16*time.Hour))
	if one != same || one == next {
		t.Errorf("counters %p, %p, %p: want one for the day and another for the next", one, same, next)
	}
	if !one.name.Start.Equal(morning.Add(-8*time.Hour)) || !one.name.End.Equal(next.name.Start) {
		t.Errorf("the first is for %v to %v", one.name.Start, one.name.End)
	}
}

func TestARefusalSaysWhatTheLimitIs(t *testing.T) {
	t.Parallel()
	r := newRule(Limit{ID: "lim_1", Name: "50%", Measure: Tokens, Window: Day, Amount: 2_000_000, Subject: []Selector{{"tag:team", "100%s"}}})
	err := r.counter("", time.Now()).refuse(1, time.Now())
	const want = `The limit "50%" is reached: 2,000,000 tokens a day, tag:team 100%s. It begins anew at `
	if e := fault.From(err); !strings.HasPrefix(e.Message, want) {
		t.Errorf("%s, want %s", e.Message, want)
	}
}

// A client that is told to come back in a moment comes back for ever with a call that is larger than the limit.
func TestACallThatNeverFitsIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		limit   Limit
		n       int64
		lasting bool
	}{
		{Limit{Measure: Tokens, Window: Minute, Amount: 100}, 100, false},
		{Limit{Measure: Tokens, Window: Minute, Amount: 100}, 101, true},
		{Limit{Measure: Requests, Window: Minute, Amount: 0}, 1, true},
		{Limit{Measure: Concurrent, Amount: 1}, 1, false},
		{Limit{Measure: Concurrent, Amount: 0}, 1, true},
	} {
		test.limit.ID, test.limit.Name = "lim_1", "small"
		e := fault.From(newRule(test.limit).counter("", time.Now()).refuse(test.n, time.Now()))
		if e.Lasting() != test.lasting || e.Code.Status() != 429 {
			t.Errorf("%d of %s: %v, will it be the same next time: %v, want %v", test.n, test.limit.Text(), e, e.Lasting(), test.lasting)
		}
	}
}

func TestTheOutputThatFitsIsTheMostThatFits(t *testing.T) {
	t.Parallel()
	a := Ask{Input: 10, Output: 1000, Sheet: price.MustPrice("0.003 - - 0.007 cache_write_1h=0.003").Sheet}
	for _, test := range []struct{ n, want int64 }{{29, -1}, {30, 0}, {36, 0}, {37, 1}, {30 + 7*1000, 1000}, {1 << 40, 1000}} {
		if got := a.fit(dollars, test.n); got != test.want {
			t.Errorf("for %d fit %d tokens, want %d", test.n, got, test.want)
		}
	}
}

func TestALimitIsAboutCallsThatFit(t *testing.T) {
	t.Parallel()
	call := Call{Workspace: "w", Key: "k", User: "u", Model: "m", Tags: []access.Tag{{Name: "team", Value: "a"}}}
	for _, test := range []struct {
		limit   Limit
		subject string
		fits    bool
	}{
		{Limit{}, "", true},
		{Limit{Workspace: "w"}, "", true},
		{Limit{Workspace: "x"}, "", false},
		{Limit{Subject: []Selector{{ByKey, "k"}, {ByModel, Each}}}, "m", true},
		{Limit{Subject: []Selector{{ByUser, Each}, {ByModel, Each}}}, "u\nm", true},
		{Limit{Subject: []Selector{{ByKey, "other"}}}, "", false},
		{Limit{Subject: []Selector{{ByPerson, Each}}}, "", false},
		{Limit{Subject: []Selector{{"tag:team", Each}}}, "a", true},
		{Limit{Subject: []Selector{{"tag:feature", Each}}}, "", false},
	} {
		subject, fits := test.limit.subject(&call)
		if subject != test.subject || fits != test.fits {
			t.Errorf("%+v: %q, %v; want %q, %v", test.limit, subject, fits, test.subject, test.fits)
		}
	}
}

func TestChargesAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	want := []Charge{{17, 120000}, {18, 1}, {1 << 40, -5}}
	got := ReadCharges(ChargesText(want))
	if len(got) != len(want) {
		t.Fatalf("ReadCharges = %v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("charge %d is %v, want %v", i, got[i], want[i])
		}
	}
	if list := ReadCharges("x:1,3,:4"); len(list) != 0 {
		t.Errorf("nonsense gave %v", list)
	}
}
