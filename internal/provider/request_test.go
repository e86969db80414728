package provider

import (
	"context"
	"net/http"
	"testing"

	"stele/internal/dialect"
	"stele/internal/race"
	"stele/internal/trace"
)

// Calls share address and header. What one of them has of its own is in no other.
func TestACallHasNothingOfTheOneBeforeIt(t *testing.T) {
	t.Parallel()
	c := &Chat{account: Account{Name: "a", BaseURL: "https://a.example", Key: "k"}}
	parent := "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
	traced, _ := trace.New(0, nil).Continue(t.Context(), parent, "chat", "m")
	for i, step := range []struct {
		ctx  context.Context //nolint:containedctx // of one call
		call dialect.Outgoing
		own  string // the header that this call alone has
	}{
		{t.Context(), dialect.Outgoing{Path: "/a"}, ""},
		{t.Context(), dialect.Outgoing{Path: "/a", Header: http.Header{"Anthropic-Beta": {"x"}}}, "Anthropic-Beta"},
		{traced, dialect.Outgoing{Path: "/a"}, trace.Header},
		{t.Context(), dialect.Outgoing{Path: "/b?c=d", Header: http.Header{"Authorization": {"none"}, "Own": {"x"}}}, "Own"},
		{t.Context(), dialect.Outgoing{Path: "/b?c=d"}, ""},
	} {
		r, err := c.request(step.ctx, &step.call)
		if err != nil {
			t.Fatal(err)
		}
		want := 4
		if step.own != "" {
			want = 5
		}
		if len(r.Header) != want || step.own != "" && r.Header[step.own] == nil {
			t.Errorf("call %d: %v", i, r.Header)
		}
		for name, value := range map[string]string{"Authorization": "Bearer k", "Content-Type": "application/json", "Accept-Encoding": "identity", "User-Agent": "stele"} {
			if got := r.Header[name]; len(got) != 1 || got[0] != value {
				t.Errorf("call %d: %s is %v", i, name, got)
			}
		}
		if r.URL.String() != "https://a.example"+step.call.Path || r.Method != http.MethodPost || r.Context() != step.ctx {
			t.Errorf("call %d: %s %s", i, r.Method, r.URL)
		}
	}
}

func TestACallLikeTheOneBeforeItTakesOneAllocation(t *testing.T) { //nolint:paralleltest // memory is measured
	race.Skip(t, "it allocates, too")
	c := &Chat{account: Account{BaseURL: "https://a.example", Key: "k"}}
	call, ctx := dialect.Outgoing{Path: "/a"}, t.Context()
	if n := testing.AllocsPerRun(100, func() {
		if _, err := c.request(ctx, &call); err != nil {
			t.Fatal(err)
		}
	}); n > 1 { // the request itself
		t.Errorf("%v allocations", n)
	}
}
