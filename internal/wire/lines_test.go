package wire

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestAnEventIsOneLineToReadersOfText(t *testing.T) {
	t.Parallel()
	const text = "a\u0085b\u2028c\u2029d\u2027\u202a\u0084\u0086é’"
	w := httptest.NewRecorder()
	events := NewEventWriter(w, EventStream, time.Hour, Comment("waiting"))
	defer events.Stop()
	for range 2 {
		if err := events.Event("said", []byte(`{"text":"`+text+`"}`), true); err != nil {
			t.Fatal(err)
		}
	}
	if err := events.Send(nil, false); err != nil {
		t.Fatal(err)
	}
	told := strings.Split(strings.TrimSpace(w.Body.String()), "\n\n")
	if len(told) != 2 || told[0] != told[1] || strings.ContainsAny(told[0], "\u0085\u2028\u2029") {
		t.Fatalf("%q", told)
	}
	var got struct{ Text string }
	if err := json.Unmarshal([]byte(strings.TrimPrefix(told[0], "event: said\ndata: ")), &got); err != nil || got.Text != text {
		t.Errorf("%q, %v", got.Text, err)
	}
}
