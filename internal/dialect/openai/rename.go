package openai

import (
	"bytes"

	"github.com/tidwall/gjson"

	"stele/internal/dialect"
)

// Rename puts another model's name into an answer or a frame. What has none
// comes back as it is.
func (Codec) Rename(raw []byte, model string) []byte {
	start := bytes.IndexByte(raw, '{')
	if start < 0 {
		return raw
	}
	name := gjson.Get(view(raw[start:]), "model")
	if name.Type != gjson.String || name.Index == 0 {
		return raw
	}
	from := start + name.Index
	return apply(raw, []edit{{from, from + len(name.Raw), dialect.AppendText(nil, model)}})
}
