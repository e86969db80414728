package studio

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/fault"
	"stele/internal/generation"
)

const (
	mostFollowed = 64
	// followed is how long one stream lasts. The browser opens the next one by itself,
	// and shows its session again when it does.
	followed  = 30 * time.Second
	heartbeat = 10 * time.Second
)

// liveEvent is a change of a generation, as the script is told it.
type liveEvent struct {
	ID      string `json:"id"`
	Status  string `json:"status"`
	Percent int    `json:"percent"`
	Doing   string `json:"doing,omitzero"`
	HTML    string `json:"html,omitzero"` // of the end: the tile as it is now
}

// followGenerations streams the changes of all generations that the address names:
// browsers allow only a few streams to one host.
func (c *Room) followGenerations(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	ids := slices.Compact(slices.Sorted(slices.Values(r.URL.Query()["id"])))
	if len(ids) == 0 || len(ids) > mostFollowed {
		return fault.New(fault.InvalidParameter, "Name one to %d generations.", mostFollowed).With("field", "id")
	}
	ids, gone, err := c.found(r.Context(), v, ids)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), followed)
	defer cancel()
	changes := make(chan *generation.Task)
	var watching sync.WaitGroup
	for _, id := range ids {
		watching.Go(func() { c.watch(ctx, v.Session.Workspace, id, changes) })
	}
	go func() {
		watching.Wait()
		close(changes)
	}()
	defer func() { // whoever watches must not wait for a reader
		cancel()
		for range changes { //nolint:revive // until they are gone
		}
	}()
	return c.feedChanges(ctx, w, r, v, gone, changes)
}

// found tells generations that are there from those that are not any more. None at
// all is an error.
func (c *Room) found(ctx context.Context, v access.Visitor, ids []string) (there, gone []string, err error) {
	for _, id := range ids {
		_, err := c.Generations.Find(ctx, v.Session.Workspace, "", id)
		switch {
		case err == nil:
			there = append(there, id)
		case fault.From(err).Code == fault.GenerationNotFound && len(ids) > 1:
			gone = append(gone, id)
		default:
			return nil, nil, err
		}
	}
	return there, gone, nil
}

// watch sends a task whenever it has changed, until it has ended.
func (c *Room) watch(ctx context.Context, workspace, id string, changes chan<- *generation.Task) {
	var version int64
	for {
		t, err := c.Generations.Watch(ctx, workspace, "", id, version, followed)
		if err != nil || ctx.Err() != nil {
			return
		}
		if t.Version > version {
			select {
			case changes <- t:
			case <-ctx.Done():
				return
			}
		}
		if version = t.Version; t.State.Final() {
			return
		}
	}
}

func (c *Room) feedChanges(ctx context.Context, w http.ResponseWriter, r *http.Request, v access.Visitor, gone []string, changes <-chan *generation.Task) error {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("X-Accel-Buffering", "no")
	control := http.NewResponseController(w)
	send := func(text string) bool {
		_, err := io.WriteString(w, text)
		return err == nil && control.Flush() == nil
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	ok := send("retry: 1000\n\n")
	for _, id := range gone {
		ok = ok && send("event: gone\ndata: {\"id\":"+strconv.Quote(id)+"}\n\n")
	}
	for ok {
		select {
		case t, open := <-changes:
			if !open {
				if ctx.Err() == nil {
					send("event: done\ndata: {}\n\n")
				}
				return nil
			}
			event, err := c.liveText(r, v, t)
			if err != nil {
				return nil //nolint:nilerr // the answer has begun: the next stream tries again
			}
			ok = send(event)
		case <-beat.C:
			ok = send(": waiting\n\n")
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

func (c *Room) liveText(r *http.Request, v access.Visitor, t *generation.Task) (string, error) {
	shown := c.tile(t)
	e := liveEvent{ID: t.ID, Status: shown.Status, Percent: shown.Percent, Doing: shown.Doing}
	name := "progress"
	if t.State.Final() {
		html, err := c.Execute(r, "studio", "tile", page.View{Visitor: &v, Data: shown})
		if err != nil {
			return "", err
		}
		name, e.HTML = "end", string(html)
	}
	body, err := json.Marshal(e)
	return "event: " + name + "\ndata: " + string(body) + "\n\n", err
}
