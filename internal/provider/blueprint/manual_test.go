package blueprint

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"stele/internal/media"
)

const portrait = `{
	"3":{"class_type":"KSampler","inputs":{"seed":0}},"6":{"class_type":"CLIPTextEncode","inputs":{"text":""}},
	"9":{"class_type":"SaveImage","inputs":{"filename_prefix":"x","images":["3",0]}},"12":{"class_type":"LoadImage","inputs":{"image":"x"}}
}`

func readPortrait(name string) ([]byte, error) {
	if name != "portrait.json" {
		return nil, fs.ErrNotExist
	}
	return []byte(portrait), nil
}

// manual is the model files that the manual shows.
func manual(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile("../../../docs/operate/media-providers.md")
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	for _, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		if strings.HasPrefix(block[1], "model:") {
			id, _, _ := strings.Cut(strings.TrimPrefix(block[1], "model: "), "\n")
			id, _, _ = strings.Cut(id, " ")
			files[id] = block[1]
		}
	}
	return files
}

func TestTheManualsExamplesAreRight(t *testing.T) {
	t.Parallel()
	files := manual(t)
	if len(files) != 2 {
		t.Fatalf("%d examples", len(files))
	}
	for id, text := range files {
		if _, err := media.Read("media/x.yaml", []byte(text)); err != nil {
			t.Errorf("%s: %v", id, err)
		}
		if err := Check("media/x.yaml", []byte(text), readPortrait); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	page, err := os.ReadFile("../../../docs/operate/media-providers.md")
	if err != nil {
		t.Fatal(err)
	}
	list, err := operations()
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range list {
		if !strings.Contains(string(page), "| `"+op.Name+"` | "+op.Kind+" |") {
			t.Errorf("the manual does not name %s", op.Name)
		}
	}
}

func TestAWorkflowOfTheOperatorsIsMade(t *testing.T) {
	t.Parallel()
	model, err := media.Read("media/x.yaml", []byte(manual(t)["studio/portrait"]))
	if err != nil {
		t.Fatal(err)
	}
	stage := fakeComfyUI(fakePictures(1))
	defer stage.Close()
	finder, _ := open(t, "comfyui", stage.URL, nil).(*Finder)
	finder.files = readPortrait
	req := media.Request{Key: "gen_1", Model: &model, Operation: &model.Operations[0], Prompt: "a fox", Sources: []media.Source{source("start_frame", []byte("x"))}}
	for range 2 { // the graph itself stays as it is
		if _, err := finder.Submit(t.Context(), req); err != nil {
			t.Fatal(err)
		}
	}
	order, err := json.Marshal(stage.Order())
	if err != nil || !strings.Contains(string(order), `"image":"in/renamed file_1.png"`) || !strings.Contains(string(order), `"text":"a fox"`) {
		t.Errorf("%s, %v", order, err)
	}
	finder.files = func(string) ([]byte, error) { return nil, errors.New("gone") }
	if _, err := finder.Submit(t.Context(), req); media.ToFailure(err).Class != media.ModelFailed {
		t.Errorf("without the file: %v", err)
	}
	for text, want := range map[string]string{"{": "is no JSON", `{"nodes":[]}`: "Export (API)"} {
		err := Check("media/x.yaml", []byte(manual(t)["studio/portrait"]), func(string) ([]byte, error) { return []byte(text), nil })
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "media/x.yaml:7:15: call.graph_file") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
