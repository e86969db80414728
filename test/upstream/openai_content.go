package upstream

import (
	"fmt"
	"strings"
)

// openaiContent checks what is inside images, files and sounds.
func openaiContent(c *chat) *failure {
	for i, m := range listAt(c.body, "messages") {
		for j, part := range listAt(m, "content") {
			where := fmt.Sprintf("messages[%d].content[%d]", i, j)
			var f *failure
			switch textAt(part, "type") {
			case "image_url":
				f = openaiImage(where+".image_url.url", textAt(part, "image_url", "url"))
			case "file":
				f = openaiFile(where+".file", objectAt(part, "file"))
			case "input_audio":
				if _, ok := unbase64(textAt(part, "input_audio", "data")); !ok {
					f = bad(where+".input_audio.data", "invalid_value", "Invalid base64 audio data.")
				}
			}
			if f != nil {
				return f
			}
		}
	}
	return nil
}

func openaiImage(where, url string) *failure {
	if strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://") {
		return nil
	}
	kind, data, ok := dataURL(url)
	switch {
	case !ok:
		return bad(where, "invalid_value", "Invalid '%s'. Expected a valid URL, but got a value with an invalid format.", where)
	case !oneOf(kind, imageTypes):
		return bad(where, "invalid_image_format", "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].") //nolint:lll // their words
	}
	bytes, ok := unbase64(data)
	switch {
	case !ok:
		return bad(where, "invalid_base64", "Invalid base64 image_url.")
	case !oneOf(sniff(bytes), imageTypes):
		return bad(where, "invalid_image_format", "You uploaded an unsupported image. Please make sure your image is valid.")
	}
	return nil
}

func openaiFile(where string, file object) *failure {
	id, data := textAt(file, "file_id"), textAt(file, "file_data")
	switch {
	case id != "" && data != "":
		return bad(where, "mutually_exclusive_parameters", "Mutually exclusive parameters: '%s.file_id' and '%s.file_data'.", where, where)
	case id != "":
		if !strings.HasPrefix(id, "file-") && !strings.HasPrefix(id, "file_") {
			return bad(where+".file_id", "invalid_value", "Invalid '%s.file_id': '%s'. Expected an ID that begins with 'file'.", where, id)
		}
		return nil
	case data == "":
		return bad(where, "missing_required_parameter", "Missing required parameter: '%s.file_id'.", where)
	case textAt(file, "filename") == "":
		return bad(where+".filename", "missing_required_parameter", "Missing required parameter: '%s.filename'.", where)
	}
	kind, inner, ok := dataURL(data)
	if !ok {
		return bad(where+".file_data", "invalid_value", "Invalid '%s.file_data'. Expected a base64-encoded data URL with an application/pdf MIME type, but got a value without the 'data:' prefix.", where) //nolint:lll // their words
	}
	bytes, ok := unbase64(inner)
	if !ok || kind != "application/pdf" || sniff(bytes) != "application/pdf" {
		return bad(where+".file_data", "invalid_value", "Invalid file data: '%s.file_data'. Expected a base64-encoded data URL with an application/pdf MIME type, but got '%s'.", where, kind) //nolint:lll // their words
	}
	return nil
}
