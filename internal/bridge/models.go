package bridge

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"stele/internal/fault"
	"stele/internal/jsonscan"
	"stele/internal/uid"
)

// oneModel answers GET /v1/models/{id} with what a chat with this id would get, in the
// client's shape.
func (b *Bridge) oneModel(w http.ResponseWriter, c *call, escaped string) error {
	id, list, err := b.modelsFor(c, escaped)
	if err != nil {
		return err
	}
	for _, v := range list.Elements() {
		if v.Get("id").View() == id {
			answerJSON(w, http.StatusOK, v.Raw())
			return nil
		}
	}
	return fault.New(fault.ModelNotFound, "There is no model %q.", id)
}

// modelsFor is the id that a path names, and the server's list for it. A server that does
// not know how to look for one lists all.
func (b *Bridge) modelsFor(c *call, escaped string) (id string, list jsonscan.Value, err error) {
	if id, err = url.PathUnescape(escaped); err != nil {
		id = escaped
	}
	list, err = b.models(c.Context(), listing{request: c.id, version: c.Header.Get("Anthropic-Version"), model: id})
	return id, list, err
}

// geminiModels answers GET /v1beta/models, and with an id GET /v1beta/models/{id}.
func (b *Bridge) geminiModels(w http.ResponseWriter, c *call, escaped string) error {
	id, list, err := b.modelsFor(c, escaped)
	if err != nil {
		return err
	}
	var out jsonscan.Writer
	if id == "" {
		out.Open(object).Key("models").Open(array)
	}
	for _, v := range list.Elements() {
		switch name := v.Get("id").View(); {
		case id == "":
			writeGeminiModel(&out, v)
		case name == id:
			writeGeminiModel(&out, v)
			answerJSON(w, http.StatusOK, out.Bytes())
			return nil
		}
	}
	if id != "" {
		return fault.New(fault.ModelNotFound, "There is no model %q.", id)
	}
	answerJSON(w, http.StatusOK, out.Close(array).Close(object).Bytes())
	return nil
}

// writeGeminiModel writes an entry of the OpenAI list as Google's clients know models. Some of them
// (gemini-php) read a version and a description of every model, as Google has them of all.
func writeGeminiModel(w *jsonscan.Writer, v jsonscan.Value) {
	name := v.Get("name")
	if name.View() == "" {
		name = v.Get("id")
	}
	w.Open(object).Key("name").Text("models/" + v.Get("id").View()).Key("version").Plain("1").Key("displayName").Text(name.View())
	w.Key("description").Text(v.Get("description").View())
	for _, limit := range [][2]string{{"context_window", "inputTokenLimit"}, {"max_completion_tokens", "outputTokenLimit"}} {
		if n, ok := v.Get(limit[0]).Int(); ok {
			w.Key(limit[1]).Int(n)
		}
	}
	w.Key("supportedGenerationMethods").Open(array).Text("generateContent").Text("countTokens").Text("streamGenerateContent").Close(array).Close(object)
}

// Check asks the server whether it is there and takes the key.
func (b *Bridge) Check(ctx context.Context) error {
	_, err := b.models(ctx, listing{request: uid.New("req")})
	return err
}

// listing is what of the server's list is asked for, and how.
type listing struct {
	request string // the id of the request
	version string // of Anthropic's API, where the list is to have its shape
	model   string // the one that is looked for; "": all
}

// models asks the server for its list.
func (b *Bridge) models(ctx context.Context, of listing) (jsonscan.Value, error) {
	query := url.Values{"limit": {"1000"}}
	if of.model != "" {
		query.Set("id", of.model)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.Server+"/api/v1/models?"+query.Encode(), nil)
	if err != nil {
		return jsonscan.Value{}, err
	}
	r.Header.Set("Authorization", "Bearer "+b.Key)
	r.Header.Set("X-Request-Id", of.request)
	if of.version != "" {
		r.Header.Set("Anthropic-Version", of.version)
	}
	answered, err := b.Client.Do(r)
	if err != nil {
		return jsonscan.Value{}, b.refuseUnreachable(err)
	}
	defer answered.Body.Close()
	const most = 32 << 20
	raw, err := io.ReadAll(io.LimitReader(answered.Body, most))
	if err != nil {
		return jsonscan.Value{}, b.refuseUnreachable(err)
	}
	root, err := jsonscan.Parse(raw, jsonscan.Lenient)
	switch {
	case answered.StatusCode == http.StatusUnauthorized:
		return jsonscan.Value{}, fault.New(fault.InvalidAPIKey, "The server does not take the bridge's key.")
	case answered.StatusCode == http.StatusForbidden:
		return jsonscan.Value{}, fault.New(fault.PermissionDenied, "The bridge's key does not open the list of models.")
	case err != nil || answered.StatusCode != http.StatusOK:
		return jsonscan.Value{}, fault.New(fault.UpstreamError, "The server did not list its models: it answered %d.", answered.StatusCode)
	}
	return root.Get("data"), nil
}
