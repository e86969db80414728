package api

import (
	"net/http"

	"github.com/go-json-experiment/json"

	"stele/internal/scope"
)

// data answers with the native family's envelope around v.
func data(w http.ResponseWriter, c call, v any) error {
	return page(w, c, struct {
		Data any `json:"data"`
	}{v})
}

// page answers with a whole native body.
func page(w http.ResponseWriter, c call, v any) error {
	b, err := json.Marshal(v, json.Deterministic(true), json.FormatNilSliceAsNull(false))
	if err == nil {
		err = c.holdFor(b)
	}
	if err != nil {
		return err
	}
	native.write(w, c.Request, http.StatusOK, b)
	return nil
}

// holdFor takes room for an answer for as long as its client takes to read it.
func (c call) holdFor(body []byte) error {
	return scope.From(c.Context()).Memory.Grow(c.Context(), int64(len(body)))
}
