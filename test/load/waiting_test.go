package load

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestWaitingClientsSeeTheEnd has clients wait in both ways. Most of them must see
// the end long before a client would that looks again by itself.
func TestWaitingClientsSeeTheEnd(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, databaseURL string) {
		d := open(t, databaseURL, "")
		asked, followed := d.watch(24)
		t.Logf("seen after the end by ?wait=: %s; by events: %s", asked, followed)
		for _, seen := range []*delays{asked, followed} {
			if half := seen.part(50); half > mostUnseen {
				t.Errorf("half of the clients saw the end after %s", half)
			}
		}
	})
}

// BenchmarkWaiting says how long after the end of a generation is saved a waiting
// client has it. It is to be under 50 ms.
func BenchmarkWaiting(b *testing.B) {
	benches(b, func(b *testing.B, databaseURL string) {
		d := open(b, databaseURL, "")
		for b.Loop() {
			asked, followed := d.watch(200)
			b.ReportMetric(ms(asked.part(50)), "ms-wait-p50")
			b.ReportMetric(ms(asked.part(99)), "ms-wait-p99")
			b.ReportMetric(ms(followed.part(50)), "ms-events-p50")
			b.ReportMetric(ms(followed.part(99)), "ms-events-p99")
		}
		b.ReportMetric(0, "ns/op")
	})
}

// watch has generations made, a few at a time, with two clients waiting for each.
// It gives the times from what the task says of its end to the client's knowing it.
func (d *desk) watch(n int) (asked, followed *delays) {
	d.tb.Helper()
	asked, followed = new(delays), new(delays)
	d.each(n, 4, func(int) error {
		v, err := d.order(sandboxed("work=300ms"))
		if err != nil {
			return err
		}
		other := make(chan error, 1)
		go func() { other <- d.follow(v.ID, followed) }()
		end, err := d.ended(v.ID, time.Minute)
		asked.add(time.Since(end.UpdatedAt))
		if err == nil && end.Status != "success" {
			err = fmt.Errorf("%s ended as %s: %s", v.ID, end.Status, end.Error.Message)
		}
		if failed := <-other; err == nil {
			err = failed
		}
		return err
	})
	return asked, followed
}

// follow reads a generation's events to its end.
func (d *desk) follow(id string, seen *delays) error {
	answer, err := d.send(http.MethodGet, "/api/v1/generations/"+id, "", "Accept", "text/event-stream")
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	lines, event := bufio.NewScanner(answer.Body), ""
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case name == "event":
			event = value
		case name == "data" && event == "end":
			var v view
			if err := json.Unmarshal([]byte(value), &v); err != nil {
				return err
			}
			seen.add(time.Since(v.UpdatedAt))
			return nil
		}
	}
	return fmt.Errorf("the events of %s ended with %q, %w", id, event, lines.Err())
}
