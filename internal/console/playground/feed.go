package playground

import (
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

var errGone = errors.New("the browser is gone")

// talkFeed is an answer to the browser that grows: server-sent events, each a JSON
// object, with a comment now and then while there is nothing to say.
type talkFeed struct {
	w       http.ResponseWriter
	control *http.ResponseController
	every   time.Duration

	mu      sync.Mutex // guards what follows: the timer writes too
	timer   *time.Timer
	started bool
	stopped bool
}

func newTalkFeed(w http.ResponseWriter, every time.Duration) *talkFeed {
	f := &talkFeed{w: w, control: http.NewResponseController(w), every: every}
	f.mu.Lock()
	defer f.mu.Unlock() // it may go off at once
	f.timer = time.AfterFunc(every, f.breathe)
	return f
}

// begun reports whether the answer has a status, which is then 200.
func (f *talkFeed) begun() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.started
}

// say writes an event. It stays with us for a moment when more follow at once.
func (f *talkFeed) say(event any, more bool) error {
	body, err := json.Marshal(event)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.timer.Reset(f.every)
	return f.write(append(append([]byte("data: "), body...), "\n\n"...), more)
}

// write is for those who hold mu.
func (f *talkFeed) write(frame []byte, more bool) error {
	if !f.started {
		f.started = true
		h := f.w.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("X-Accel-Buffering", "no")
		f.w.WriteHeader(http.StatusOK)
	}
	if _, err := f.w.Write(frame); err != nil {
		return errors.Join(errGone, err)
	}
	if more {
		return nil
	}
	if err := f.control.Flush(); err != nil {
		return errors.Join(errGone, err)
	}
	return nil
}

// breathe tells every proxy on the way that we are still there.
func (f *talkFeed) breathe() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopped {
		return
	}
	_ = f.write([]byte(": still here\n\n"), false) // a browser that is gone ends the request itself
	f.timer.Reset(f.every)
}

// stop ends the signs of life. Nothing is written after it returns.
func (f *talkFeed) stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = true
	f.timer.Stop()
}
