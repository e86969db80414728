package usage_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"stele/internal/console"
	"stele/internal/console/consoletest"
	"stele/internal/share"
)

func TestThePageSaysWhatTheWorkspaceHolds(t *testing.T) {
	t.Parallel()
	k := share.New(share.Options{
		Sums: func(context.Context, string) (share.Sums, error) {
			return share.Sums{Held: share.Held{Files: 3 << 30, Rows: 5 << 20}}, nil
		},
		Free: func() share.Held { return share.Held{Files: share.Unknown, Rows: share.Unknown} },
		Most: func() int64 { return 6 << 30 }, Log: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	if err := k.Read(t.Context(), "default"); err != nil {
		t.Fatal(err)
	}
	h := consoletest.OpenSignedIn(t, consoletest.WithUsage, func(_ *consoletest.House, o *console.Options) { o.Share = k })
	body := consoletest.Body(t, h.Get("/console/usage", consoletest.Browser))
	if want := "It holds about 3.0 GB of files and 5 MB of rows on disk, 50"; !strings.Contains(body, want) {
		t.Errorf("the page does not say %q", want)
	}
}
