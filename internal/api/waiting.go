package api

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"stele/internal/fault"
	"stele/internal/generation"
)

// readWait reads how long a client wants to wait, in seconds; ok is false where that is no time.
func readWait(text string) (wait time.Duration, ok bool) {
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(seconds, 1) || math.IsNaN(seconds) || seconds < 0 {
		return 0, false
	}
	return time.Duration(min(seconds, longestWait.Seconds()) * float64(time.Second)), true
}

// waitInQuery reads ?wait=60.
func waitInQuery(c call) (time.Duration, error) {
	text := c.URL.Query().Get("wait")
	if text == "" {
		return 0, nil
	}
	wait, ok := readWait(text)
	if !ok {
		return 0, fault.New(fault.InvalidRequestBody, "wait takes a number of seconds, from 0 to %g.", longestWait.Seconds()).Field("wait")
	}
	return wait, nil
}

// waitOf reads how long the client of an order wants to wait for its end: Prefer: wait=60,
// which is passed over where it cannot be read (RFC 7240), or ?wait=60.
func waitOf(c call) (wait time.Duration, preferred bool, err error) {
	for _, line := range c.Header.Values("Prefer") {
		for preference := range strings.SplitSeq(line, ",") {
			preference, _, _ = strings.Cut(preference, ";") // its parameters
			name, value, _ := strings.Cut(preference, "=")
			if strings.EqualFold(strings.TrimSpace(name), "wait") {
				if wait, _ := readWait(strings.Trim(strings.TrimSpace(value), `"`)); wait > 0 {
					return wait, true, nil
				}
			}
		}
	}
	wait, err = waitInQuery(c)
	return wait, false, err
}

// cancelAfter reads after which time an order is to be canceled by itself; 0 for never.
func cancelAfter(h http.Header) (time.Duration, error) {
	const header, longest = "Cancel-After", 7 * 24 * time.Hour
	text := strings.TrimSpace(h.Get(header))
	if text == "" {
		return 0, nil
	}
	after, err := time.ParseDuration(text)
	if seconds, wrong := strconv.ParseFloat(text, 64); wrong == nil && seconds < longest.Seconds() {
		after, err = time.Duration(seconds*float64(time.Second)), nil
	}
	if err != nil || after <= 0 || after > longest {
		return 0, fault.New(fault.InvalidRequestBody, "%s takes a time such as 90s or 5m, or a number of seconds, of at most seven days.", header).Field(header)
	}
	return after, nil
}

// await waits until a task has ended, or the time is over, and gives it as it is then.
func (d *Door) await(c call, t *generation.Task, wait time.Duration) (*generation.Task, error) {
	var err error
	for until := time.Now().Add(wait); !t.State.Final() && time.Now().Before(until); {
		if t, err = d.Generations.Watch(c.Context(), c.who.Workspace, c.params["app"], t.ID, t.Version, time.Until(until)); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// awaitOrder waits for an order as long as its client wants to.
func (d *Door) awaitOrder(w http.ResponseWriter, c call, o *clientOrder, t *generation.Task) (*generation.Task, error) {
	if o.wait == 0 || o.dry {
		return t, nil
	}
	t, err := d.await(c, t, o.wait)
	if err == nil && o.preferred {
		w.Header().Set("Preference-Applied", fmt.Sprintf("wait=%d", int(math.Ceil(o.wait.Seconds()))))
	}
	return t, err
}

// toCancel is what a body says that cancels a generation, and nothing else.
func (o *clientOrder) toCancel() (named any, ok bool) {
	named, ok = o.fields["cancel"]
	return named, ok && len(o.fields) == 1
}

// cancelGeneration stops a generation of the key's workspace.
func (d *Door) cancelGeneration(w http.ResponseWriter, c call, named any, o clientOrder) error {
	id, _ := named.(string)
	if id == "" {
		return fault.New(fault.InvalidRequestBody, "cancel takes the id of a generation.").Field("cancel")
	}
	if err := checkParams(map[string]string{"id": id}); err != nil {
		return err
	}
	t, err := d.Generations.Find(c.Context(), c.who.Workspace, "", id)
	if err != nil {
		return err
	}
	if o.wait > 0 && !t.State.Final() {
		leave, err := d.waits.take(c.who)
		if err != nil {
			return err
		}
		defer leave()
	}
	if t, err = d.Generations.Cancel(c.Context(), c.who.Workspace, id); err != nil {
		return err
	}
	if t, err = d.awaitOrder(w, c, &o, t); err != nil {
		return err
	}
	return data(w, c, d.Generations.View(t))
}
