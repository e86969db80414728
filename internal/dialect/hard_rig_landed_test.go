package dialect_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/wire"
)

// got is the first body that the upstream got.
func (l *landed) got() gjson.Result {
	l.t.Helper()
	if len(l.sent) == 0 {
		l.t.Fatalf("the upstream was not called: %v", l.failure)
	}
	return l.sent[0]
}

// sends checks a place in what the upstream got. "" wants nothing there.
func (l *landed) sends(path, want string) {
	l.t.Helper()
	same(l.t, l.got(), path, want)
}

// gets checks a place in what the client got.
func (l *landed) gets(path, want string) {
	l.t.Helper()
	same(l.t, gjson.Parse(l.body), path, want)
}

func same(t *testing.T, root gjson.Result, path, want string) {
	t.Helper()
	got := root.Get(path).Raw
	var a, b bytes.Buffer
	if json.Compact(&a, []byte(got)) == nil && json.Compact(&b, []byte(want)) == nil && a.String() == b.String() || got == want {
		return
	}
	t.Errorf("%s is\n  %s\nwant\n  %s\nin %s", path, got, want, root.Raw)
}

// warns checks that a loss was reported, in the client's own words for the place.
func (l *landed) warns(path string, verb chat.Verb) {
	l.t.Helper()
	if !l.warned(path, verb) {
		l.t.Errorf("no %s; %s in %s", path, verb, l.told())
	}
}

func (l *landed) warned(path string, verb chat.Verb) bool {
	return slices.ContainsFunc(l.losses, func(loss chat.Loss) bool {
		return codecOf(l.trip.from).Path(loss) == path && loss.Verb == verb
	})
}

// quiet checks that nothing was reported.
func (l *landed) quiet() {
	l.t.Helper()
	if len(l.losses) > 0 {
		l.t.Errorf("reported: %s", l.told())
	}
}

func (l *landed) told() string {
	var all []string
	for _, loss := range l.losses {
		all = append(all, fmt.Sprintf("%s; %s; %s", codecOf(l.trip.from).Path(loss), loss.Verb, loss.Note))
	}
	return "[" + strings.Join(all, " | ") + "]"
}

// refuses makes a trip that must end in 400 naming a field, before any call.
func refuses(t *testing.T, way trip, field string) {
	t.Helper()
	l := try(t, way)
	switch {
	case l.failure == nil:
		t.Errorf("not refused: the upstream got %s", l.got().Raw)
	case l.status != http.StatusBadRequest || len(l.sent) > 0 || l.failure.Details["field"] != field || !strings.Contains(l.failure.Message, field):
		t.Errorf("%d %v (field %v) after %d calls, want 400 naming %s", l.status, l.failure, l.failure.Details["field"], len(l.sent), field)
	}
}

// event is one frame as a client reads it.
type event struct {
	name string
	data gjson.Result
}

// events are the frames that the client got, without [DONE].
func (l *landed) events() []event {
	l.t.Helper()
	var list []event
	frames := wire.NewSSE(strings.NewReader(l.body), 64<<20)
	for {
		frame, err := frames.Next()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			l.t.Fatalf("%v in %s", err, l.body)
		}
		if data := string(frame.Data); data != "" && data != "[DONE]" {
			if !gjson.Valid(data) {
				l.t.Fatalf("not JSON: %s", data)
			}
			list = append(list, event{string(frame.Event), gjson.Parse(data)})
		}
	}
}

// all is what every frame has at a place, where it has something.
func (l *landed) all(path string) []gjson.Result {
	l.t.Helper()
	var list []gjson.Result
	for _, e := range l.events() {
		if v := e.data.Get(path); v.Exists() && v.Type != gjson.Null {
			list = append(list, v)
		}
	}
	return list
}

// joined is the text that frames have at a place, together.
func (l *landed) joined(path string) string {
	l.t.Helper()
	var b strings.Builder
	for _, v := range l.all(path) {
		b.WriteString(v.Str)
	}
	return b.String()
}

// is compares.
func is[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// sse makes a stream of data frames.
func sse(data ...string) string {
	var b strings.Builder
	for _, d := range data {
		b.WriteString("data: " + d + "\n\n")
	}
	return b.String()
}

// named makes a stream of anthropic's events: each is named as its type.
func named(data ...string) string {
	var b strings.Builder
	for _, d := range data {
		b.WriteString("event: " + gjson.Get(d, "type").Str + "\ndata: " + d + "\n\n")
	}
	return b.String()
}

// neverAgain checks that what an upstream has refused was not asked in the same words again.
func (l *landed) neverAgain() {
	l.t.Helper()
	for i := range min(len(l.sent), len(l.trip.statuses)) - 1 {
		same := l.sent[i].Raw == l.sent[i+1].Raw && l.calls[i].URL.Path == l.calls[i+1].URL.Path &&
			l.calls[i].Header.Get("Anthropic-Beta") == l.calls[i+1].Header.Get("Anthropic-Beta")
		if status := l.trip.statuses[i]; same && (status == http.StatusBadRequest || status == http.StatusUnprocessableEntity) {
			l.t.Errorf("refused with %s and asked again in the same words: %s", l.trip.answers[min(i, len(l.trip.answers)-1)], l.sent[i].Raw)
		}
	}
}
