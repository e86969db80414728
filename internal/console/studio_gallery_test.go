package console_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/generation"
	"stele/internal/media"
)

func TestTheGalleryIsReadInParts(t *testing.T) {
	t.Parallel()
	var a atelier
	h := opened(t, withStudio(&a))
	for i := range 45 {
		a.order(access.Principal{Workspace: "default", Key: "key_1"}, fmt.Sprintf(`{"model":"stele/sandbox-image","prompt":"number %d."}`, i))
	}
	page := body(t, h.get("/console/studio", browser))
	if n := strings.Count(page, "<article"); n != 40 {
		t.Fatalf("%d tiles in the first part", n)
	}
	next := regexp.MustCompile(`hx-get="([^"]+before=[^"]+)"`).FindStringSubmatch(page)
	if next == nil {
		t.Fatal("no way to the next part")
	}
	rest := body(t, h.get(strings.ReplaceAll(next[1], "&amp;", "&")))
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
		if n := strings.Count(body(t, h.get("/console/studio/gallery?"+query)), "<article"); n != want {
			t.Errorf("%s: %d tiles, want %d", query, n, want)
		}
	}
	wantStatus(t, h.get("/console/studio/gallery?before=nonsense"), 422)
}

func TestPartsOfARunAreHiddenAndGoWithIt(t *testing.T) {
	t.Parallel()
	var a atelier
	h := opened(t, withStudio(&a))
	who := access.Principal{Workspace: "default", Key: "key_1"}
	run := a.order(who, `{"model":"stele/canvas","prompt":"The whole of it","size":256}`)
	part, err := a.generations.CreateStep(t.Context(), run, generation.NewID(),
		media.Ask{Model: "stele/canvas", Mode: "text_to_image", Prompt: "A part of it", Parameters: map[string]any{"size": int64(256)}}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	a.ended(run.ID)
	a.ended(part.ID)
	all := body(t, h.get("/console/studio", browser))
	wantText(t, all, "The whole of it")
	if strings.Contains(all, "A part of it") {
		t.Error("a part is shown without being asked for")
	}
	wantText(t, body(t, h.get("/console/studio?who=parts", browser)), "The whole of it", "A part of it")
	wantText(t, body(t, h.get("/console/studio/"+part.ID, browser)), "This is a part of the run", run.ID)
	wantCode(t, h.post("/console/studio/"+part.ID+"/delete", nil), 422, "invalid_parameter")
	wantStatus(t, h.post("/console/studio/"+run.ID+"/delete", nil), 303)
	wantStatus(t, h.get("/console/studio/"+part.ID), 404)
	if n, err := a.files.Sweep(t.Context()); n != 2 || err != nil {
		t.Errorf("%d files swept, %v", n, err)
	}
}
