package crash

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stele/test/rig"
)

// ten is an app of ten steps, eleven generations and two chats.
const ten = `
app: ten
media_type: image
steps:
  - id: one
    chat: {model: stele/sandbox, prompt: Say something}
  - id: two
    chat:
      model: stele/sandbox
      prompt: Plan
      schema:
        type: object
        required: [list]
        properties: {list: {type: array, items: {type: string}, minItems: 3, maxItems: 3}}
  - id: three
    each: ${steps.two.data.list}
    generate: {model: stele/sandbox-image, mode: text_to_image, with: {prompt: "${item} ${index} [[sandbox: work=50ms]]"}}
  - id: four
    after: [one, three]
    generate: {model: stele/sandbox-image, mode: text_to_image, with: {prompt: four}}
  - id: five
    after: [three]
    generate: {model: stele/sandbox-image, mode: text_to_image, with: {prompt: "five [[sandbox: lose_answer work=50ms]]"}}
  - id: six
    generate: {model: stele/sandbox-image, mode: text_to_image, with: {prompt: "six [[sandbox: work=200ms]]"}}
  - id: seven
    after: [four, five, six]
    each: ${[1, 2]}
    generate: {model: stele/sandbox-image, mode: text_to_image, with: {prompt: "seven ${item}"}}
  - id: eight
    after: [seven]
    generate: {model: stele/sandbox-image, mode: text_to_image, with: {prompt: eight}}
  - id: nine
    after: [eight]
    generate: {model: stele/sandbox-image, mode: text_to_image, with: {prompt: nine}}
  - id: last
    after: [nine]
    generate: {model: stele/sandbox-image, mode: text_to_image, with: {prompt: last}}
result: {images: "${[steps.last.image]}", texts: "${steps.one.text}"}
`

const (
	generationsOfTen = 11
	lanes            = 4 // houses that die side by side: most of the time is waiting
)

// TestARunOfTenStepsSurvivesEveryStep kills the program in every step and looks
// whether each generation was paid once.
func TestARunOfTenStepsSurvivesEveryStep(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "ten.yaml")
	if err := os.WriteFile(file, []byte(ten), 0o600); err != nil {
		t.Fatal(err)
	}
	config := config + "apps: [" + file + "]\n"
	var deaths [lanes][]string
	for i, point := range appDeaths() {
		deaths[i%lanes] = append(deaths[i%lanes], point)
	}
	for lane, points := range deaths {
		if full || lane%2 == 0 {
			t.Run(fmt.Sprintf("sqlite %d", lane+1), func(t *testing.T) {
				t.Parallel()
				h := rig.New(t, rig.Options{Config: config})
				runTen(t, h, points, func() journal { return openJournal(t, h, "") })
			})
		}
		if full || lane%2 == 1 {
			t.Run(fmt.Sprintf("postgresql %d", lane+1), func(t *testing.T) {
				t.Parallel()
				database := rig.NewDatabase(t)
				h := rig.New(t, rig.Options{Config: config, Flags: []string{"--database-url", database}})
				runTen(t, h, points, func() journal { return openJournal(t, h, database) })
			})
		}
	}
}

// appDeaths are the moments to die at: each point of a run, in one step after another.
func appDeaths() []string {
	var list []string
	for n := 1; n <= generationsOfTen; n++ {
		list = append(list, fmt.Sprintf("step ordered:%d", n), fmt.Sprintf("step started:%d", n), fmt.Sprintf("step done:%d", n))
	}
	if !full { // a fifth of what make torture does
		var some []string
		for i := 0; i < len(list); i += 5 {
			some = append(some, list[i])
		}
		list = some
	}
	// Where a chat answers and where a run ends are passed few times: always all of them.
	return append(list, "step answered:1", "step answered:2", "step done:12", "step done:13", "run done:1")
}

func runTen(t *testing.T, h *rig.House, deaths []string, books func() journal) {
	t.Helper()
	h.Start(t)
	key := h.CreateKey(t).Key
	h.Await(t, key, http.StatusOK)
	var ids []string
	for _, point := range deaths {
		h.Kill(t)
		h.Setenv("STELE_CRASH_POINT=" + point)
		h.Start(t)
		_, _ = order(h, key, point) // it may die before it answers
		if !h.Died(time.Minute) {
			t.Errorf("%s was never passed", point)
			h.Kill(t)
		}
		h.Setenv()
		h.Start(t)
		id, err := order(h, key, point)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
		ended(t, h, key, id, point)
	}
	accepted := books()(t)
	for id, times := range accepted {
		if times != 1 {
			t.Errorf("%s was accepted %d times", id, times)
		}
	}
	if want := len(ids) * generationsOfTen; len(accepted) != want {
		t.Errorf("%d generations were accepted, want %d", len(accepted), want)
	}
}

// order begins a run, the same one however often it is asked for.
func order(h *rig.House, key, name string) (string, error) {
	req, err := http.NewRequest(http.MethodPost, h.URL+"/api/v1/apps/ten/generations", strings.NewReader("{}"))
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Idempotency-Key", name)
	a, err := h.Send(req)
	if err != nil {
		return "", err
	}
	var made struct{ Data struct{ ID string } }
	if err := json.Unmarshal([]byte(a.Body), &made); err != nil || a.Status != http.StatusCreated {
		return "", fmt.Errorf("%d %s", a.Status, a.Body)
	}
	return made.Data.ID, nil
}

// ended waits for the end of a run and looks at what it gives.
func ended(t *testing.T, h *rig.House, key, id, point string) {
	t.Helper()
	var got struct {
		Data struct {
			Status string
			Error  struct{ Code, Message string }
			Result struct {
				Images []struct{ URL string }
				Texts  []string
			}
		}
	}
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); {
		a := h.Get(t, "/api/v1/apps/ten/generations/"+id+"?wait=30", key)
		if err := json.Unmarshal([]byte(a.Body), &got); err != nil || a.Status != http.StatusOK {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		if s := got.Data.Status; s != "pending" && s != "processing" {
			break
		}
	}
	if got.Data.Status != "success" || len(got.Data.Result.Images) != 1 || len(strings.Join(got.Data.Result.Texts, "")) == 0 {
		t.Errorf("after dying at %q the run is %s (%s): %s, %d images", point, got.Data.Status, got.Data.Error.Code, got.Data.Error.Message, len(got.Data.Result.Images))
	}
}
