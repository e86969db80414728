package bridge

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"

	"stele/internal/jsonscan"
)

// deploymentOf is the model that the path of an Azure client names: of
// /deployments/NAME/chat/completions, whose NAME may have slashes, encoded or not.
func deploymentOf(path string) (model string, ok bool) {
	name, ok := strings.CutPrefix(path, "/deployments/")
	if !ok {
		return "", false
	}
	if name, ok = strings.CutSuffix(name, "/chat/completions"); !ok {
		return "", false
	}
	model, err := url.PathUnescape(name)
	return model, err == nil && model != ""
}

// passDeployment passes on a chat of a client of Azure's older API. There the path says which model
// is asked, whatever the body says or does not say of it.
func (b *Bridge) passDeployment(w http.ResponseWriter, c *call, model string) error {
	body, err := readChecked(w, c)
	if err != nil {
		return err
	}
	var edits jsonscan.Edits
	root := jsonscan.Root(body)
	if named := root.Get("model"); named.Exists() {
		edits.ReplaceText(named, model)
	} else {
		edits.Append(root, "model", jsonscan.AppendText(nil, model))
	}
	if body, err = edits.Apply(body); err != nil {
		return err
	}
	c.path, c.Body, c.ContentLength = "/v1/chat/completions", io.NopCloser(bytes.NewReader(body)), int64(len(body))
	b.pass(w, c)
	return nil
}
