package studio_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/console/consoletest"
	"stele/internal/generation"
	"stele/internal/media"
)

func TestTheGalleryIsReadInParts(t *testing.T) {
	t.Parallel()
	var a consoletest.Atelier
	h := consoletest.OpenSignedIn(t, consoletest.WithStudio(&a))
	for i := range 45 {
		a.Order(access.Principal{Workspace: "default", Key: "key_1"}, fmt.Sprintf(`{"model":"stele/sandbox-image","prompt":"number %d."}`, i))
	}
	page := consoletest.Body(t, h.Get("/console/studio", consoletest.Browser))
	if n := strings.Count(page, "<article"); n != 40 {
		t.Fatalf("%d tiles in the first part", n)
	}
	next := regexp.MustCompile(`hx-get="([^"]+before=[^"]+)"`).FindStringSubmatch(page)
	if next == nil {
		t.Fatal("no way to the next part")
	}
	rest := consoletest.Body(t, h.Get(strings.ReplaceAll(next[1], "&amp;", "&")))
	if n := strings.Count(rest, "<article"); n != 5 {
		t.Errorf("%d tiles in the second part", n)
	}
	for i := range 45 {
		words := fmt.Sprintf("number %d.", i)
		if strings.Contains(page, words) == strings.Contains(rest, words) {
			t.Errorf("%s is in both parts or in none", words)
		}
	}
	for query, want := range map[string]int{"kind=image": 40, "kind=video": 0, "who=console": 0, "who=keys": 40, "in=stele%2Fsandbox-image": 40, "status=failed": 0} {
		if n := strings.Count(consoletest.Body(t, h.Get("/console/studio/gallery?"+query)), "<article"); n != want {
			t.Errorf("%s: %d tiles, want %d", query, n, want)
		}
	}
	consoletest.WantStatus(t, h.Get("/console/studio/gallery?before=nonsense"), 422)
}

func TestPartsOfARunAreHiddenAndGoWithIt(t *testing.T) {
	t.Parallel()
	var a consoletest.Atelier
	h := consoletest.OpenSignedIn(t, consoletest.WithStudio(&a))
	who := access.Principal{Workspace: "default", Key: "key_1"}
	run := a.Order(who, `{"model":"stele/canvas","prompt":"The whole of it","size":256}`)
	part, err := a.Generations.CreateStep(t.Context(), run, generation.NewID(),
		media.Ask{Model: "stele/canvas", Mode: "text_to_image", Prompt: "A part of it", Parameters: map[string]any{"size": int64(256)}}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	a.AwaitEnd(run.ID)
	a.AwaitEnd(part.ID)
	all := consoletest.Body(t, h.Get("/console/studio", consoletest.Browser))
	consoletest.WantText(t, all, "The whole of it")
	if strings.Contains(all, "A part of it") {
		t.Error("a part is shown without being asked for")
	}
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/studio?who=parts", consoletest.Browser)), "The whole of it", "A part of it")
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/studio/"+part.ID, consoletest.Browser)), "This is a part of the run", run.ID)
	consoletest.WantCode(t, h.Post("/console/studio/"+part.ID+"/delete", nil), 422, "invalid_parameter")
	consoletest.WantStatus(t, h.Post("/console/studio/"+run.ID+"/delete", nil), 303)
	consoletest.WantStatus(t, h.Get("/console/studio/"+part.ID), 404)
	if n, err := a.Files.Sweep(t.Context()); n != 2 || err != nil {
		t.Errorf("%d files swept, %v", n, err)
	}
}
