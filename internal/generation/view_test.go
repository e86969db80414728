package generation

import (
	"strings"
	"testing"
	"time"

	"stele/internal/media"
)

// Addresses of outputs expire. A client that is answered 304 keeps those it has, so the
// tag must go with them.
func TestTagChangesWithAddresses(t *testing.T) {
	t.Parallel()
	see := func(url string) *View { return &View{Result: &Result{Images: []Image{{URL: url}}}} }
	old, same, renewed := see("/files/a?exp=1").Tag(4), see("/files/a?exp=1").Tag(4), see("/files/a?exp=2").Tag(4)
	if old != same || old == renewed || old == see("/files/a?exp=1").Tag(5) {
		t.Errorf("tags: %s, again %s, with a new address %s", old, same, renewed)
	}
	if got := (&View{}).Tag(3); got != `"3"` {
		t.Errorf("without outputs the tag is %s", got)
	}
}

func TestMessagesTellMilliseconds(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 4, 4, 5, 67_000_000, time.FixedZone("", 3600))
	s := New(Options{Now: func() time.Time { return at }})
	got := string(s.message("generation.failed", &Task{ID: "gen_1", State: media.Failed}))
	if !strings.Contains(got, `"timestamp":"2026-01-02T03:04:05.067Z"`) {
		t.Error(got)
	}
}
