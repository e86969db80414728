// Package openapi holds the public API's description, an OpenAPI 3.1 document
// written by hand. Its test holds the document and docs/contract.md together.
// It must not know how a route is served.
package openapi

import (
	"bytes"
	_ "embed"
)

//go:embed openapi.yaml
var document []byte

// Document returns the OpenAPI document as YAML. The bytes are a copy: the
// caller may change them.
func Document() []byte { return bytes.Clone(document) }
