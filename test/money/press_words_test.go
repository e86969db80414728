package money

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

func (p *press) bflTakes(w http.ResponseWriter, r *http.Request) {
	if o := p.take(w, r); o != nil {
		p.accept(w, o, http.StatusOK, fmt.Sprintf(`{"id":%q,"polling_url":"%s/bfl/look/%s","cost":%d.%d}`, o.id, p.URL, o.id, o.price()/1e7, o.price()%1e7/1e6))
	}
}

func (p *press) bflLooks(w http.ResponseWriter, r *http.Request) {
	o, ok := p.look(w, r)
	if !ok {
		return
	}
	status := map[string]string{"working": "Pending", "failed": "Error", "done": "Ready"}[o.state()]
	result := `null`
	if o.state() == "done" && o.fate != "empty" {
		result = fmt.Sprintf(`{"sample":"%s/pictures/%s.png"}`, p.URL, o.id)
	}
	answer(w, http.StatusOK, fmt.Sprintf(`{"id":%q,"status":%q,"result":%s}`, o.id, status, result))
}

func (p *press) falTakes(w http.ResponseWriter, r *http.Request) {
	if o := p.take(w, r); o != nil {
		root := p.URL + "/fal/requests/" + o.id
		p.accept(w, o, http.StatusOK, fmt.Sprintf(`{"request_id":%q,"status":"IN_QUEUE","status_url":"%s/status","response_url":"%[2]s","cancel_url":"%[2]s/cancel"}`, o.id, root))
	}
}

func (p *press) falLooks(w http.ResponseWriter, r *http.Request) {
	o, ok := p.look(w, r)
	switch {
	case !ok:
	case o.state() == "working":
		answer(w, http.StatusAccepted, `{"status":"IN_PROGRESS"}`)
	default:
		answer(w, http.StatusOK, `{"status":"COMPLETED"}`)
	}
}

func (p *press) falGives(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	known := p.works[r.PathValue("id")]
	o := *known
	p.mu.Unlock()
	switch {
	case o.state() == "canceled":
		answer(w, 499, `{"detail":"Request was cancelled","error_type":"client_cancelled"}`)
	case o.state() == "failed":
		answer(w, http.StatusInternalServerError, `{"detail":"Internal Server Error in the model"}`)
	case o.fate == "empty":
		answer(w, http.StatusOK, `{"images":[]}`)
	default:
		answer(w, http.StatusOK, fmt.Sprintf(`{"images":[{"url":"%s/pictures/%s.png","content_type":"image/png"}]}`, p.URL, o.id))
	}
}

func (p *press) falStops(w http.ResponseWriter, r *http.Request) {
	if p.stop(r.PathValue("id")) {
		answer(w, http.StatusAccepted, `{"status":"CANCELLATION_REQUESTED"}`)
		return
	}
	answer(w, http.StatusBadRequest, `{"status":"ALREADY_COMPLETED"}`)
}

func (p *press) comfyTakes(w http.ResponseWriter, r *http.Request) {
	if o := p.take(w, r); o != nil {
		p.accept(w, o, http.StatusOK, fmt.Sprintf(`{"prompt_id":%q,"number":1,"node_errors":{}}`, o.id))
	}
}

func (p *press) comfyLooks(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	known := p.works[r.PathValue("id")]
	unknown := known == nil || known.fate == "gone" || known.state() == "working" && known.fate != "blind"
	p.mu.Unlock()
	if unknown {
		answer(w, http.StatusOK, `{}`)
		return
	}
	o, ok := p.look(w, r)
	if !ok {
		return
	}
	status, outputs := `{"status_str":"success","completed":true,"messages":[]}`, `{}`
	switch {
	case o.state() == "working":
		answer(w, http.StatusOK, `{}`)
		return
	case o.state() == "canceled":
		status = `{"status_str":"error","completed":false,"messages":[["execution_interrupted",{}]]}`
	case o.state() == "failed":
		status = `{"status_str":"error","completed":false,"messages":[["execution_error",{"exception_message":"Allocation on device"}]]}`
	case o.fate != "empty":
		outputs = fmt.Sprintf(`{"9":{"images":[{"filename":"%s.png","subfolder":"","type":"output"}]}}`, o.id)
	}
	answer(w, http.StatusOK, fmt.Sprintf(`{%q:{"outputs":%s,"status":%s}}`, o.id, outputs, status))
}

func (p *press) comfyLists(w http.ResponseWriter, _ *http.Request) {
	running := []any{}
	p.mu.Lock()
	for id, o := range p.works {
		if o.kind == "comfyui" && o.fate != "gone" && o.state() == "working" {
			running = append(running, []any{1, id, map[string]any{}})
		}
	}
	p.mu.Unlock()
	body, _ := json.Marshal(map[string]any{"queue_running": running, "queue_pending": []any{}}) // texts and numbers
	answer(w, http.StatusOK, string(body))
}

func (p *press) comfyStops(w http.ResponseWriter, r *http.Request) {
	var of struct {
		ID string `json:"prompt_id"`
	}
	if err := json.NewDecoder(r.Body).Decode(&of); err == nil {
		p.stop(of.ID)
	}
	answer(w, http.StatusOK, `{}`)
}

// openAITakes answers when the picture is made, whether its client still listens or not.
func (p *press) openAITakes(w http.ResponseWriter, r *http.Request) {
	o := p.take(w, r)
	if o == nil {
		return
	}
	hold(r, time.Until(o.taken.Add(o.takes())))
	switch o.fate {
	case "failed":
		p.accept(w, o, http.StatusBadRequest, `{"error":{"message":"The model failed.","type":"image_generation_error","code":"image_failed"}}`)
	case "empty":
		p.accept(w, o, http.StatusOK, `{"created":1,"data":[]}`)
	default:
		p.accept(w, o, http.StatusOK, fmt.Sprintf(`{"created":1,"data":[{"b64_json":%q}]}`, base64.StdEncoding.EncodeToString(p.picture)))
	}
}
