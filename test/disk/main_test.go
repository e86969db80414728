// Package disk takes the power away and lets the disk run full or err, under the built
// program: what was acknowledged is there afterwards, what cannot be stored is refused,
// and all goes on by itself when there is room again. It runs a binary that is built with
// a layer under its files, which notes every change and can have it fail.
package disk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"testing"

	"stele/test/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.MainRigged(m)) }

// caller sends requests with a key.
type caller struct {
	*rig.House
	key string
}

// send sends a body and reads the answer. An error is one of the connection.
func (c caller) send(method, path, kind, body string, header ...string) (rig.Answer, error) {
	r, err := http.NewRequest(method, c.URL+path, strings.NewReader(body)) //nolint:noctx // the client has a time limit
	if err != nil {
		return rig.Answer{}, err
	}
	r.Header.Set("Authorization", "Bearer "+c.key)
	r.Header.Set("Content-Type", kind)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return c.Send(r)
}

// order orders a picture.
func (c caller) order(header ...string) (rig.Answer, error) {
	return c.send("POST", "/api/v1/generations", "application/json",
		`{"model":"stele/sandbox-image","mode":"text_to_image","prompt":"a test [[sandbox: work=0s]]"}`, header...)
}

// upload sends a picture of which no other has the bytes.
func (c caller) upload(n int) (rig.Answer, error) {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", "drawing.svg")
	if err != nil {
		return rig.Answer{}, err
	}
	_, _ = io.WriteString(part, drawing(n))
	_ = w.Close()
	return c.send("POST", "/api/v1/files", w.FormDataContentType(), form.String())
}

func drawing(n int) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><desc>%d %s</desc></svg>`, n, strings.Repeat("x", n%9000))
}

// chat says something to the sandbox under a request id.
func (c caller) chat(id string, header ...string) (rig.Answer, error) {
	return c.send("POST", "/api/v1/chat/completions", "application/json",
		`{"model":"stele/sandbox","messages":[{"role":"user","content":"hi"}]}`, append(header, "X-Request-Id", id)...)
}

// idOf is the id in an answer of the native family.
func idOf(a rig.Answer) string {
	var got struct {
		Data struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	_ = json.Unmarshal([]byte(a.Body), &got) // "" then, which is what is compared
	return got.Data.ID
}
