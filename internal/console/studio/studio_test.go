package studio_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"image"
	"image/png"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"stele/internal/access"
	"stele/internal/console/consoletest"
	"stele/internal/generation"
	"stele/internal/media"
)

// byScript is how the studio's own script asks.
var byScript = consoletest.With("X-Requested-By", "studio")

// anEtude is an order that is made in a moment.
func anEtude(token string) url.Values {
	return url.Values{
		"form-token": {token}, "model": {"stele/canvas"}, "mode": {"text_to_image"}, "prompt": {"A small study in blue"},
		"aspect_ratio": {"16:9"}, "size": {"256"}, "style": {"gradient"},
	}
}

var tileID = regexp.MustCompile(`gen_[0-9A-Za-z]+`)

func TestTheFormIsMadeFromTheDeclaration(t *testing.T) {
	t.Parallel()
	var a consoletest.Atelier
	h := consoletest.OpenSignedIn(t, consoletest.WithStudio(&a))
	page := consoletest.Body(t, h.Get("/console/studio?model=stele/canvas&mode=text_to_image", consoletest.Browser))
	consoletest.WantText(t, page, `aria-current="page"`, "Canvas", "Words to picture", "Edit pictures", "Motion", "Tone",
		`name="aspect_ratio" value="16:9"`, `<rect x=`, `type="range" min="256" max="2048" step="1" value="1024"`, `data-dice="set-seed"`,
		`role="switch"`, "Nothing made yet", "More settings")
	page = consoletest.Body(t, h.Get("/console/studio/form?model=stele/motion&mode=frames_to_video"))
	consoletest.WantText(t, page, "First frame", "Last frame", `data-kind="image"`, `accept="image/png,image/jpeg,image/gif,image/webp"`, "30 MB each")
	if strings.Contains(page, "<html") {
		t.Error("a part of the page is the whole of it")
	}
	page = consoletest.Body(t, h.Get("/console/studio?model=no/such&mode=none", consoletest.Browser))
	consoletest.WantText(t, page, `id="order"`)
}

func TestAnOrderOfAFormIsMadeOnce(t *testing.T) {
	t.Parallel()
	var a consoletest.Atelier
	h := consoletest.OpenSignedIn(t, consoletest.WithStudio(&a))
	form := anEtude("0123456789abcdef")
	first := h.Post("/console/studio", form, consoletest.Browser)
	consoletest.WantStatus(t, first, 303)
	place := first.Header.Get("Location")
	second := h.Post("/console/studio", form, byScript)
	consoletest.WantStatus(t, second, 201)
	if tile := consoletest.Body(t, second); !strings.Contains(place, tileID.FindString(tile)) {
		t.Errorf("the same form made %s and %s", place, tile)
	}
	form.Set("prompt", "Another study")
	third := h.Post("/console/studio", form, byScript)
	consoletest.WantStatus(t, third, 201)
	if next := third.Header.Get("X-Form-Token"); next == "" || next == "0123456789abcdef" {
		t.Errorf("the next order has the token %q", next)
	}
	list, err := a.Store.List(t.Context(), generation.Wanted{Workspace: "default", Limit: 10})
	if err != nil || len(list) != 2 {
		t.Fatalf("%d generations, %v", len(list), err)
	}
	made := a.AwaitEnd(strings.TrimPrefix(place, "/console/studio/"))
	if made.Key != "" || made.Environment != "development" || made.Order.Parameters["size"] != 256.0 && made.Order.Parameters["size"] != int64(256) {
		t.Errorf("made with %q in %q: %v", made.Key, made.Environment, made.Order.Parameters)
	}
	page := consoletest.Body(t, h.Get(place, consoletest.Browser))
	consoletest.WantText(t, page, "A small study in blue", "Run again", "256 × 144", "&#34;aspect_ratio&#34;", "curl http://127.0.0.1:8080/api/v1/generations", "Console",
		`src="/files/`, "Free")
	gallery := consoletest.Body(t, h.Get("/console/studio/gallery"))
	consoletest.WantText(t, gallery, `class="piece r18 image`, "Another study")
	entries(t, &a, "generation.create", 2)
}

// entries counts the lines of the audit log.
func entries(t *testing.T, a *consoletest.Atelier, action string, want int) {
	t.Helper()
	list, err := a.Store.Entries(t.Context(), access.Filter{Workspace: "default", Action: action, Limit: 100})
	if err != nil || len(list) != want {
		t.Errorf("%d entries of %s, want %d (%v)", len(list), action, want, err)
	}
}

func TestAWrongOrderIsToldBesideItsField(t *testing.T) {
	t.Parallel()
	var a consoletest.Atelier
	h := consoletest.OpenSignedIn(t, consoletest.WithStudio(&a))
	for _, test := range []struct {
		name, field, code string
		change            func(url.Values)
	}{
		{"no prompt", "prompt", "missing_parameter", func(v url.Values) { v.Del("prompt") }},
		{"too large", "size", "invalid_parameter", func(v url.Values) { v.Set("size", "9999") }},
		{"no number", "size", "invalid_parameter", func(v url.Values) { v.Set("size", "large") }},
		{"no such mode", "mode", "mode_not_supported", func(v url.Values) { v.Set("mode", "text_to_bread") }},
		{"no such model", "model", "model_not_found", func(v url.Values) { v.Set("model", "stele/none") }},
	} {
		form := anEtude("token-" + test.name)
		test.change(form)
		var told struct{ Field, Code, Message string }
		res := h.Post("/console/studio", form, byScript)
		if res.StatusCode != http.StatusUnprocessableEntity && res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: status %d", test.name, res.StatusCode)
		}
		if err := json.Unmarshal([]byte(consoletest.Body(t, res)), &told); err != nil || told.Field != test.field || told.Code != test.code || told.Message == "" {
			t.Errorf("%s: %+v, %v", test.name, told, err)
		}
	}
	form := anEtude("token")
	form.Set("size", "9999")
	res := h.Post("/console/studio", form, consoletest.Browser)
	consoletest.WantStatus(t, res, 422)
	consoletest.WantText(t, consoletest.Body(t, res), "Takes a whole number from 256 to 2048.", "A small study in blue", `value="9999"`)
	if list, _ := a.Store.List(t.Context(), generation.Wanted{Limit: 10}); len(list) > 0 {
		t.Errorf("%d generations of wrong orders", len(list))
	}
	// The form of a refused order may be sent again.
	form.Set("size", "300")
	consoletest.WantStatus(t, h.Post("/console/studio", form, byScript), 201)
}

func TestThePriceIsToldWhileOneFillsInTheForm(t *testing.T) {
	t.Parallel()
	var a consoletest.Atelier
	h := consoletest.OpenSignedIn(t, consoletest.WithStudio(&a))
	form := url.Values{"model": {"test/dear"}, "mode": {"text_to_image"}, "n": {"3"}, "aspect_ratio": {"1:1"}, "width": {"640"}, "tags": {"one\r\ntwo\r\n"}}
	var told struct {
		Price          string
		Credits        int
		Field, Message string
		Missing        bool
	}
	read := func() {
		t.Helper()
		res := h.Post("/console/studio/price", form)
		consoletest.WantStatus(t, res, 200)
		told.Price, told.Field, told.Missing = "", "", false
		if err := json.Unmarshal([]byte(consoletest.Body(t, res)), &told); err != nil {
			t.Fatal(err)
		}
	}
	read()
	if !told.Missing || told.Field != "prompt" {
		t.Errorf("without a prompt: %+v", told)
	}
	form.Set("prompt", "Gold")
	read()
	if told.Price != "$0.12" || told.Credits != 12 {
		t.Errorf("three pictures: %+v", told)
	}
	form.Set("aspect_ratio", "16:9") // and a width, which excludes it
	read()
	if told.Field == "" || told.Missing || told.Price != "" {
		t.Errorf("two ways to say the size: %+v", told)
	}
	if list, _ := a.Store.List(t.Context(), generation.Wanted{Limit: 10}); len(list) > 0 {
		t.Error("a price was an order")
	}
}

func TestAViewerLooksAndMakesNothing(t *testing.T) {
	t.Parallel()
	var a consoletest.Atelier
	h := consoletest.OpenSignedIn(t, consoletest.WithStudio(&a))
	task := a.AwaitEnd(a.Order(access.Principal{Workspace: "default", Key: "key_1"}, `{"model":"stele/canvas","prompt":"Mine","size":256}`).ID)
	h.Cookie, _ = h.As("v@example.com", "default", access.Viewer)
	page := consoletest.Body(t, h.Get("/console/studio", consoletest.Browser))
	consoletest.WantText(t, page, "Mine")
	if strings.Contains(page, `id="order"`) {
		t.Error("a viewer is offered the form")
	}
	page = consoletest.Body(t, h.Get("/console/studio/"+task.ID, consoletest.Browser))
	consoletest.WantText(t, page, "Mine", "Download")
	for _, word := range []string{"Run again", ">Delete<", "Use as input"} {
		if strings.Contains(page, word) {
			t.Errorf("a viewer is offered %s", word)
		}
	}
	for _, path := range []string{"", "/price", "/files", "/" + task.ID + "/cancel", "/" + task.ID + "/delete"} {
		consoletest.WantCode(t, h.Post("/console/studio"+path, anEtude("x")), 403, "permission_denied")
	}
}

func TestAnotherWorkspacesThingsAreNotThere(t *testing.T) {
	t.Parallel()
	var a consoletest.Atelier
	h := consoletest.OpenSignedIn(t, consoletest.WithStudio(&a))
	task := a.AwaitEnd(a.Order(access.Principal{Workspace: "other", Key: "key_1"}, `{"model":"stele/canvas","prompt":"Secret plan","size":1024}`).ID)
	for _, path := range []string{"", "/gallery"} {
		if strings.Contains(consoletest.Body(t, h.Get("/console/studio"+path, consoletest.Browser)), "Secret plan") {
			t.Errorf("%s shows it", path)
		}
	}
	for _, path := range []string{"/" + task.ID, "?from=" + task.ID, "?input=" + task.Outputs[0].File, "/events?id=" + task.ID, "/files/" + task.Outputs[0].File + "/small"} {
		if res := h.Get("/console/studio" + path); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: status %d", path, res.StatusCode)
		}
	}
	for _, path := range []string{"/cancel", "/delete"} {
		consoletest.WantCode(t, h.Post("/console/studio/"+task.ID+path, nil), 404, "generation_not_found")
	}
	form := anEtude("x")
	form.Set("mode", "image_to_image")
	form.Set("image_urls", task.Outputs[0].File)
	for _, name := range []string{"aspect_ratio", "size", "style"} {
		form.Del(name)
	}
	consoletest.WantStatus(t, h.Post("/console/studio", form, byScript), 404)
}

func TestWhatIsDeletedIsGoneWithItsFiles(t *testing.T) {
	t.Parallel()
	var a consoletest.Atelier
	h := consoletest.OpenSignedIn(t, consoletest.WithStudio(&a))
	a.WithFiles()
	task := a.AwaitEnd(a.Order(access.Principal{Workspace: "default", User: "usr_1"}, `{"model":"stele/canvas","prompt":"Sandcastle","size":1024}`).ID)
	file := task.Outputs[0].File
	small := h.Get("/console/studio/files/" + file + "/small")
	consoletest.WantStatus(t, small, 200)
	picture, kind, err := image.Decode(small.Body)
	if err != nil || kind != "jpeg" || picture.Bounds().Dx() != 640 {
		t.Fatalf("the small picture is %s: %v", kind, err)
	}
	address, _ := url.Parse(a.Files.URL(file, "image/png"))
	consoletest.WantStatus(t, h.Get(address.RequestURI()), 200)
	consoletest.WantStatus(t, h.Post("/console/studio/"+task.ID+"/delete", nil), 303)
	consoletest.WantStatus(t, h.Get(address.RequestURI()), 404)
	consoletest.WantStatus(t, h.Get("/console/studio/"+task.ID, consoletest.Browser), 404)
	consoletest.WantStatus(t, h.Get("/console/studio/files/"+file+"/small"), 404)
	if n, err := a.Files.Sweep(t.Context()); n != 1 || err != nil {
		t.Errorf("%d files swept, %v", n, err)
	}
	entries(t, &a, "generation.delete", 1)
}

func TestWhatRunsIsCanceledAndThenDeleted(t *testing.T) {
	t.Parallel()
	var a consoletest.Atelier
	h := consoletest.OpenSignedIn(t, consoletest.WithStudio(&a))
	form := url.Values{"model": {"stele/sandbox-image"}, "mode": {"text_to_image"}, "prompt": {"[[sandbox: work=60s]]"}}
	running := tileID.FindString(consoletest.Body(t, h.Post("/console/studio", form, byScript)))
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/studio/"+running, consoletest.Browser)), "Cancel", "shimmer")
	consoletest.WantStatus(t, h.Post("/console/studio/"+running+"/cancel", nil), 303)
	if task := a.AwaitEnd(running); task.State != media.Canceled {
		t.Errorf("the task is %s", task.State)
	}
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/studio/"+running, consoletest.Browser)), "This was canceled", "Somebody stopped it")
	next := tileID.FindString(consoletest.Body(t, h.Post("/console/studio", form, byScript)))
	consoletest.WantStatus(t, h.Post("/console/studio/"+next+"/delete", nil), 303)
	consoletest.WantStatus(t, h.Get("/console/studio/"+next), 404)
	entries(t, &a, "generation.cancel", 2)
}

func TestAnUploadGoesIntoAnOrder(t *testing.T) {
	t.Parallel()
	var a consoletest.Atelier
	h := consoletest.OpenSignedIn(t, consoletest.WithStudio(&a))
	res := h.Upload("/console/studio/files?kind=image", "photo.png", aPicture(900, 600))
	consoletest.WantStatus(t, res, 201)
	item := consoletest.Body(t, res)
	id := regexp.MustCompile(`file_[0-9A-Za-z]+`).FindString(item)
	consoletest.WantText(t, item, "photo.png", "/small")
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/studio/files?kind=image")), id)
	if strings.Contains(consoletest.Body(t, h.Get("/console/studio/files?kind=audio")), id) {
		t.Error("a picture is offered as a sound")
	}
	page := consoletest.Body(t, h.Get("/console/studio?input="+id, consoletest.Browser))
	consoletest.WantText(t, page, `name="mode" value="image_to_image"`, fmt.Sprintf(`name="image_urls" value="%s"`, id))
	form := url.Values{"model": {"stele/canvas"}, "mode": {"image_to_image"}, "image_urls": {id}, "grayscale": {"false", "true"}}
	made := a.AwaitEnd(tileID.FindString(consoletest.Body(t, h.Post("/console/studio", form, byScript))))
	if made.State != media.Success || made.Order.Parameters["grayscale"] != true || made.Outputs[0].Width != 900 {
		t.Errorf("made %+v", made)
	}
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/studio/"+made.ID, consoletest.Browser)), "photo.png", `<span class="k">&#34;image_urls&#34;</span>`)
	again := consoletest.ReadAsk(t, requestOn(t, consoletest.Body(t, h.Get("/console/studio/"+made.ID, consoletest.Browser))))
	again.DryRun = true
	planned, err := a.Generations.Create(t.Context(), access.Principal{Workspace: "default"}, generation.DryRun, again)
	if err != nil || fmt.Sprint(planned.Order.Parameters) != fmt.Sprint(made.Order.Parameters) || planned.Order.Sources[0] != made.Order.Sources[0] {
		t.Errorf("the request on the page asks for %+v, not for %+v (%v)", planned, made, err)
	}
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/studio?from="+made.ID, consoletest.Browser)), fmt.Sprintf(`name="image_urls" value="%s"`, id), "checked")

	consoletest.WantCode(t, h.Upload("/console/studio/files?kind=audio", "photo.png", aPicture(9, 6)), 415, "unsupported_file_type")
	consoletest.WantCode(t, h.Upload("/console/studio/files?kind=image", "notes.txt", []byte("words")), 415, "unsupported_file_type")
	entries(t, &a, "file.upload", 1)
}

func TestWhatFollowsIsToldUntilTheEnd(t *testing.T) {
	t.Parallel()
	var a consoletest.Atelier
	h := consoletest.OpenSignedIn(t, consoletest.WithStudio(&a))
	var ids []string
	for range 2 {
		ids = append(ids, a.Order(access.Principal{Workspace: "default"}, `{"model":"stele/canvas","prompt":"Two at once","size":256}`).ID)
	}
	stream := consoletest.Body(t, h.Get("/console/studio/events?id="+ids[0]+"&id="+ids[1]+"&id=gen_none"))
	for _, id := range ids {
		if !strings.Contains(stream, `event: end`+"\n"+`data: {"id":"`+id) {
			t.Errorf("the end of %s is not told:\n%s", id, stream)
		}
	}
	consoletest.WantText(t, stream, "event: gone\ndata: {\"id\":\"gen_none\"}", "event: done", "/files/")
	consoletest.WantStatus(t, h.Get("/console/studio/events"), 422)
}

func TestWithoutAStudioThereIsNoRoom(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	consoletest.WantStatus(t, h.Get("/console/studio", consoletest.Browser), 404)
	if strings.Contains(consoletest.Body(t, h.Get("/console/keys", consoletest.Browser)), "/console/studio") {
		t.Error("the navigation leads to a room that is not there")
	}
}

var (
	shownRequest = regexp.MustCompile(`(?s)<code id="request-json">(.*?)</code>`)
	anyTag       = regexp.MustCompile(`<[^>]*>`)
)

// requestOn is the exact request that a page shows.
func requestOn(t *testing.T, page string) []byte {
	t.Helper()
	found := shownRequest.FindStringSubmatch(page)
	if found == nil {
		t.Fatal("the page shows no request")
	}
	return []byte(html.UnescapeString(anyTag.ReplaceAllString(found[1], "")))
}

func aPicture(width, height int) []byte {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range m.Pix {
		m.Pix[i] = byte(i%4/3*255 | i/7%200)
	}
	var b bytes.Buffer
	_ = png.Encode(&b, m)
	return b.Bytes()
}
