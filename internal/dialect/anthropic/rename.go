package anthropic

import (
	"bytes"

	"github.com/tidwall/gjson"

	"stele/internal/dialect"
)

// Rename puts another model's name into an answer or a frame. What has none
// comes back as it is.
func (Codec) Rename(raw []byte, model string) []byte {
	start := bytes.IndexByte(raw, '{')
	if start < 0 || !bytes.Contains(raw, []byte(`"model"`)) {
		return raw
	}
	path := "model"
	if gjson.GetBytes(raw[start:], "type").Str == "message_start" {
		path = "message.model"
	}
	v := gjson.GetBytes(raw[start:], path)
	if v.Type != gjson.String || v.Index == 0 {
		return raw
	}
	return rename(raw, start+v.Index, start+v.Index+len(v.Raw), model)
}

// rename puts a model's name in place of what is between two places.
func rename(raw []byte, from, to int, model string) []byte {
	out := make([]byte, 0, len(raw)-(to-from)+len(model)+8)
	out = append(out, raw[:from]...)
	out = dialect.AppendText(out, model)
	return append(out, raw[to:]...)
}
