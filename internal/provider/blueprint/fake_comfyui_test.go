package blueprint

import (
	"fmt"
	"net/http"
	"regexp"
	"sync"

	"stele/internal/media"
)

var aUUID = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// fakeComfyUI plays a ComfyUI: queue, history, uploads and files. It wants no key.
func fakeComfyUI(outputs []fakeOutput) *fakeStage {
	return newStage(outputs, func(s *fakeStage) http.Handler {
		c := &comfy{fakeStage: s, uploaded: make(map[string]bool)}
		mux := http.NewServeMux()
		mux.HandleFunc("POST /prompt", c.start)
		mux.HandleFunc("GET /history/{id}", c.history)
		mux.HandleFunc("GET /queue", c.queue)
		mux.HandleFunc("POST /queue", c.remove)
		mux.HandleFunc("POST /interrupt", c.interrupt)
		mux.HandleFunc("POST /upload/image", c.upload)
		mux.HandleFunc("GET /view", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("type") != "output" || r.URL.Query().Get("subfolder") != "sub folder" {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			s.serve(w, "/"+r.URL.Query().Get("filename"))
		})
		return mux
	})
}

type comfy struct {
	*fakeStage

	names    sync.Mutex // guards uploaded
	uploaded map[string]bool
}

func (c *comfy) start(w http.ResponseWriter, r *http.Request) {
	if c.stumble(w, comfyRefuses) {
		return
	}
	body, err := readJSON(r)
	if err == nil {
		err = want{
			"prompt": "!object", "prompt_id": "string", "client_id": "string", "number": "number", "front": "boolean", "extra_data": "object",
		}.check(body)
	}
	id, _ := body["prompt_id"].(string)
	if err == nil && !aUUID.MatchString(id) {
		err = fmt.Errorf("prompt_id must be a UUID")
	}
	if err == nil {
		err = c.graph(body["prompt"].(map[string]any)) //nolint:forcetypeassert // checked above
	}
	if err != nil {
		comfyError(w, "prompt_outputs_failed_validation", "Prompt outputs failed validation: "+err.Error())
		return
	}
	if j, ok := c.take(w, id, body); ok {
		fakeAnswer(w, 200, map[string]any{"prompt_id": j.id, "number": 1, "node_errors": map[string]any{}})
	}
}

// graph checks that every node has a class, that links lead somewhere and that
// pictures were uploaded.
func (c *comfy) graph(nodes map[string]any) error {
	if len(nodes) == 0 {
		return fmt.Errorf("prompt has no outputs")
	}
	for name, v := range nodes {
		node, _ := v.(map[string]any)
		inputs, ok := node["inputs"].(map[string]any)
		if class, _ := node["class_type"].(string); class == "" || !ok {
			return fmt.Errorf("node %s: class_type and inputs are needed", name)
		}
		for field, input := range inputs {
			if link, ok := input.([]any); ok {
				target, _ := link[0].(string)
				if _, there := nodes[target]; !there || len(link) != 2 {
					return fmt.Errorf("node %s: %s leads nowhere", name, field)
				}
			}
		}
		if picture, _ := inputs["image"].(string); node["class_type"] == "LoadImage" {
			c.names.Lock()
			there := c.uploaded[picture]
			c.names.Unlock()
			if !there {
				return fmt.Errorf("node %s: invalid image file %s", name, picture)
			}
		}
	}
	return nil
}

func (c *comfy) upload(w http.ResponseWriter, r *http.Request) {
	file, head, err := r.FormFile("image")
	if err != nil || r.FormValue("type") != "input" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	_ = file.Close()
	name := "renamed " + head.Filename // as it does where the name is taken
	c.names.Lock()
	c.uploaded["in/"+name] = true
	c.names.Unlock()
	fakeAnswer(w, 200, map[string]any{"name": name, "subfolder": "in", "type": "input"})
}

func (c *comfy) queue(w http.ResponseWriter, _ *http.Request) {
	c.mu.Lock()
	running, pending := []any{}, []any{}
	for id, j := range c.jobs {
		entry := []any{1, id, map[string]any{}, map[string]any{}, []string{"9"}}
		switch {
		case j.canceled:
		case c.life == fakeStays || c.life == fakeUsual && j.looks == 2:
			running = append(running, entry)
		case c.life == fakeUsual && j.looks < 2:
			pending = append(pending, entry)
		}
	}
	c.mu.Unlock()
	fakeAnswer(w, 200, map[string]any{"queue_running": running, "queue_pending": pending})
}

func (c *comfy) history(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	state, j, ok := c.look(w, id)
	if !ok {
		return
	}
	if j == nil || state == media.Pending || state == media.Processing {
		fakeAnswer(w, 200, map[string]any{})
		return
	}
	status := map[string]any{"status_str": "success", "completed": true, "messages": []any{[]any{"execution_start", map[string]any{"prompt_id": id}}}}
	files := map[string]any{}
	switch {
	case state == media.Canceled:
		status["status_str"], status["completed"] = "error", false
		status["messages"] = []any{[]any{"execution_start", map[string]any{}}, []any{"execution_interrupted", map[string]any{"node_id": "3"}}}
	case state == "odd":
		status["status_str"], status["completed"] = "daydreaming", false
	case state == media.Failed:
		status["status_str"], status["completed"] = "error", false
		status["messages"] = []any{[]any{"execution_start", map[string]any{}}, []any{"execution_error", map[string]any{
			"node_id": "3", "node_type": "KSampler", "exception_type": "torch.OutOfMemoryError",
			"exception_message": "Allocation on device", "traceback": []string{"/home/a/b.py"},
		}}}
	case !c.empty():
		c.mu.Lock()
		list := []any{map[string]any{"filename": "preview.png", "subfolder": "", "type": "temp"}}
		for i, o := range c.Outputs {
			list = append(list, map[string]any{"filename": fmt.Sprintf("%d/%d%s", c.minted, i, ending(o.Type)), "subfolder": "sub folder", "type": "output"})
		}
		c.mu.Unlock()
		files["9"] = map[string]any{"images": list}
	}
	fakeAnswer(w, 200, map[string]any{id: map[string]any{"prompt": []any{}, "outputs": files, "status": status, "meta": map[string]any{}}})
}

func (c *comfy) remove(w http.ResponseWriter, r *http.Request) {
	body, err := readJSON(r)
	ids, ok := body["delete"].([]any)
	if err != nil || !ok {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	for _, id := range ids {
		delete(c.jobs, fmt.Sprint(id)) // what waits leaves no trace
	}
	c.mu.Unlock()
	w.WriteHeader(http.StatusOK)
}

func (c *comfy) interrupt(w http.ResponseWriter, r *http.Request) {
	body, err := readJSON(r)
	if id, _ := body["prompt_id"].(string); err == nil {
		c.stop(id)
	}
	w.WriteHeader(http.StatusOK)
}

func comfyRefuses(w http.ResponseWriter, class media.Class) {
	if class == media.Transient {
		fakeAnswer(w, 503, map[string]any{"error": map[string]any{"type": "busy", "message": "starting up"}})
		return
	}
	comfyError(w, "prompt_no_outputs", "Prompt has no outputs, see https://docs.comfy.org")
}

func comfyError(w http.ResponseWriter, kind, message string) {
	fakeAnswer(w, 400, map[string]any{
		"error": map[string]any{"type": kind, "message": message, "details": "", "extra_info": map[string]any{}}, "node_errors": []any{},
	})
}
