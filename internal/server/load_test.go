package server

import (
	"io"
	"net/http"
	"testing"
)

func TestTheServerKnowsItsLoad(t *testing.T) {
	t.Parallel()
	leave := make(chan struct{})
	s, url, _, _ := start(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "first")
		if r.URL.Path == "/stream" {
			_ = http.NewResponseController(w).Flush()
		}
		<-leave
	})
	open, err := http.Get(url + "/stream") // returns when the head was flushed
	if err != nil {
		t.Fatal(err)
	}
	defer open.Body.Close()
	if requests, streams := s.Load(); requests != 1 || streams != 1 {
		t.Errorf("one stream is open: %d requests, %d streams", requests, streams)
	}
	close(leave)
	if _, err := io.ReadAll(open.Body); err != nil {
		t.Fatal(err)
	}
	get(t, url+"/page", nil)
	<-s.open.empty()
	if requests, streams := s.Load(); requests != 0 || streams != 0 {
		t.Errorf("nothing is open: %d requests, %d streams", requests, streams)
	}
}
