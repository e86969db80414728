package blueprint

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"stele/internal/media"
	"stele/internal/provider"
)

// TestCallsUnderWayOutliveAChangeOfTheirAccount changes the key of an account
// while it waits for a picture that is paid for already.
func TestCallsUnderWayOutliveAChangeOfTheirAccount(t *testing.T) {
	t.Parallel()
	asked, held := make(chan string, 2), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Header.Get("Authorization")
		<-held
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"created":1,"data":[{"b64_json":"iVBORw0KGgo="}]}`))
	}))
	t.Cleanup(server.Close)
	account := provider.Account{Name: "pics", BaseURL: server.URL, Key: "old"}
	for _, k := range provider.Kinds() {
		if k.Name == "openai" {
			account.Kind = k
		}
	}
	old, err := Open(account, clients())
	if err != nil {
		t.Fatal(err)
	}
	req := request(t, "openai/gpt-image-2", "text_to_image")
	ctx, gone := context.WithCancel(t.Context())
	begun := make(chan media.Ticket)
	go func() {
		status, err := old.Submit(ctx, req)
		if err != nil {
			t.Error(err)
			close(asked)
		}
		begun <- status.Ticket
	}()
	if got := <-asked; got != "Bearer old" {
		t.Fatalf("asked with %q", got)
	}
	gone() // the client that ordered does not wait any longer
	ticket := <-begun

	account.Key = "new"
	o := clients()
	o.Former = old
	next, err := Open(account, o)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := next.Submit(canceled(t), req); err != nil || again.State != media.Processing {
		t.Errorf("the same order again: %+v, %v", again, err)
	}
	select {
	case key := <-asked:
		t.Errorf("it was asked, and paid, twice: %s", key)
	default:
	}
	close(held)
	var status media.Status
	for deadline := time.Now().Add(time.Minute); status.State != media.Success; time.Sleep(time.Millisecond) {
		if status, err = next.Poll(t.Context(), ticket); err != nil || status.State == media.Failed || time.Now().After(deadline) {
			t.Fatalf("the work ended as %+v, %v", status, err)
		}
	}
	if len(status.Outputs) != 1 {
		t.Errorf("%d outputs", len(status.Outputs))
	}
	if !next.(*Maker).Busy() {
		t.Error("outputs that nobody has copied do not count as work")
	}
	next.(*Maker).Forget(ticket)
	if next.(*Maker).Busy() {
		t.Error("work that was copied still counts")
	}
	o.Former = next
	if last, err := Open(account, o); err != nil || len(last.(*Maker).former) != 0 {
		t.Errorf("nothing is left to take over: %v", err)
	}
}

func canceled(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
