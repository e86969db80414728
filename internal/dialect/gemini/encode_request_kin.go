package gemini

import (
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// What OpenRouter's and LiteLLM's clients say in OpenAI's dialect of what this API has too.
const (
	kinImage  = "openai.image_config"
	kinSafety = "openai.safety_settings"
)

// adopt takes over a field of another dialect that this API has too, and reports whether it did.
func (w *requestWriter) adopt(e chat.Extra) bool {
	v := jsonscan.At(e.Value, 0)
	switch {
	case e.Name == kinImage && v.Kind() == jsonscan.Object:
		w.adoptImage(e.Name, v)
		return true
	case e.Name == kinSafety && v.Kind() == jsonscan.Array && !slices.ContainsFunc(w.talk.Extra, func(e chat.Extra) bool { return e.Name == name+".safetySettings" }):
		w.own = append(w.own, chat.Extra{Name: "safetySettings", Value: e.Value})
		return true
	}
	return false
}

// adoptImage takes over how a picture is to be, for a model that has not refused it. This API takes its size in capital letters only.
func (w *requestWriter) adoptImage(field string, v jsonscan.Value) {
	if w.refuses(imageConfig) {
		w.lose(chat.Lost(field, chat.Dropped, notTaken))
		return
	}
	var out jsonscan.Writer
	out.Open(jsonscan.Object)
	empty := len(out.Bytes())
	for key, v := range v.Members() {
		text, isText := v.Text()
		switch member := toCamel(key.Name); {
		case v.Absent():
		case isText && member == "aspectRatio":
			out.Key(member).Text(text)
		case isText && member == "imageSize":
			out.Key(member).Text(strings.ToUpper(text))
		default:
			w.lose(chat.Lost(field+"."+key.Name, chat.Dropped, ""))
		}
	}
	if len(out.Bytes()) > empty {
		w.own = append(w.own, chat.Extra{Name: "generationConfig." + imageConfig, Value: out.Close(jsonscan.Object).Bytes()})
	}
}
