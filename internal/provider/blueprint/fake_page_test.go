package blueprint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"slices"
	"strings"
)

// fakePictures makes n small pictures, no two alike.
func fakePictures(n int) []fakeOutput {
	list := make([]fakeOutput, n)
	for i := range list {
		picture := image.NewNRGBA(image.Rect(0, 0, 8+i, 8))
		for x := range 8 {
			picture.Set(x, x, color.NRGBA{R: uint8(40 * i), G: uint8(30 * x), B: 200, A: 255})
		}
		var b bytes.Buffer
		_ = png.Encode(&b, picture) // into memory
		list[i] = fakeOutput{Type: "image/png", Body: b.Bytes()}
	}
	return list
}

// fakeClip is what begins like a film.
func fakeClip() []fakeOutput {
	return []fakeOutput{{Type: "video/mp4", Body: append([]byte("\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom"), bytes.Repeat([]byte{7}, 3000)...)}}
}

// fakeSound is what begins like an MP3 file.
func fakeSound() []fakeOutput {
	return []fakeOutput{{Type: "audio/mpeg", Body: append([]byte("ID3\x04\x00\x00\x00\x00\x00\x00"), bytes.Repeat([]byte{0xff, 0xfb, 1}, 800)...)}}
}

// fakeSamples are bare samples of sound, without a header.
func fakeSamples() []fakeOutput {
	return []fakeOutput{{Type: "audio/L16;codec=pcm;rate=24000", Body: bytes.Repeat([]byte{1, 0, 255, 127}, 600)}}
}

func fakeAnswer(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // a mistake in this package
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

// readJSON reads the one JSON object of a request, as strictly as any provider might.
func readJSON(r *http.Request) (map[string]any, error) {
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		return nil, fmt.Errorf("content type %q", r.Header.Get("Content-Type"))
	}
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var body map[string]any
	if err := json.Unmarshal(text, &body); err != nil {
		return nil, err
	}
	if body == nil {
		return nil, fmt.Errorf("no object")
	}
	return body, nil
}

// want is a rule for a field: the JSON type it must have.
type want map[string]string // name → string, number, boolean, array, object; "!" in front: required

// check reports the first field that is missing, unknown or of a wrong type.
func (fields want) check(body map[string]any) error {
	for name, kind := range fields {
		if _, ok := body[name]; !ok && strings.HasPrefix(kind, "!") {
			return fmt.Errorf("%s: field required", name)
		}
	}
	for name, v := range body {
		kind, known := fields[name]
		if !known {
			return fmt.Errorf("%s: extra fields not permitted", name)
		}
		if !slices.Contains(strings.Split(strings.TrimPrefix(kind, "!"), "|"), typeOf(v)) {
			return fmt.Errorf("%s: value is not a valid %s", name, kind)
		}
	}
	return nil
}

func typeOf(v any) string {
	switch v.(type) {
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "boolean"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "null"
}

// oneKnown reports a text that is not one of the known ones.
func oneKnown(body map[string]any, name string, known ...string) error {
	if text, ok := body[name].(string); ok && !slices.Contains(known, text) {
		return fmt.Errorf("%s: %q is not one of %v", name, text, known)
	}
	return nil
}

// a media reference that a provider can read: an address, or a data URI.
func readable(v any) error {
	text, _ := v.(string)
	if strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "data:image/") {
		return nil
	}
	return fmt.Errorf("neither an address nor a data URI")
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
