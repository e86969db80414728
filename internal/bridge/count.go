package bridge

import (
	"encoding/base64"
	"net/http"
	"regexp"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/dialect/anthropic"
	"stele/internal/dialect/gemini"
	"stele/internal/dialect/openai"
	"stele/internal/jsonscan"
	"stele/internal/picture"
)

// estimateHeader says that a count is an estimate: only a model's own provider knows how
// it cuts texts into tokens.
const estimateHeader = "X-Stele-Estimate"

// countMessages answers POST /v1/messages/count_tokens.
func (b *Bridge) countMessages(w http.ResponseWriter, c *call) error {
	body, err := readBody(w, c)
	if err != nil {
		return err
	}
	return count(w, anthropic.Codec{}, dialect.Incoming{Header: c.Header, Body: body}, "input_tokens")
}

// countContents answers POST /v1beta/models/{id}:countTokens.
func (b *Bridge) countContents(w http.ResponseWriter, c *call) error {
	body, err := readChecked(w, c)
	if err != nil {
		return err
	}
	for _, name := range []string{"generateContentRequest", "generate_content_request"} {
		if inner := jsonscan.Root(body).Get(name); inner.Kind() == object {
			edits := withoutModel(inner) // it stands in the path elsewhere
			whole, err := edits.Apply(body)
			if err != nil {
				return err
			}
			body = jsonscan.Root(whole).Get(name).Raw()
		}
	}
	return count(w, gemini.Codec{}, dialect.Incoming{Model: "counted", Header: c.Header, Body: body}, "totalTokens")
}

// countResponse answers POST /v1/responses/input_tokens.
func (b *Bridge) countResponse(w http.ResponseWriter, c *call) error {
	body, err := readChecked(w, c)
	if err != nil {
		return err
	}
	if root := jsonscan.Root(body); root.Get("model").Absent() { // here it is optional
		edits := withoutModel(root)
		edits.Append(root, "model", []byte(`"counted"`))
		if body, err = edits.Apply(body); err != nil {
			return err
		}
	}
	o, err := b.decode(body)
	if err != nil {
		return err
	}
	w.Header().Set(estimateHeader, "true")
	n, err := tokens(openai.Codec{}, dialect.Incoming{Body: o.chat})
	if err != nil {
		return err
	}
	var e jsonscan.Writer
	answerJSON(w, http.StatusOK, e.Open(object).Key("object").Plain("response.input_tokens").Key("input_tokens").Int(n).Close(object).Bytes())
	return nil
}

// withoutModel takes the model out of a request.
func withoutModel(root jsonscan.Value) (edits jsonscan.Edits) {
	for key, v := range root.Members() {
		if key.Name == "model" {
			edits.Remove(key, v)
		}
	}
	return edits
}

// count answers with an estimate under the name that the dialect has for it.
func count(w http.ResponseWriter, codec dialect.Server, in dialect.Incoming, name string) error {
	n, err := tokens(codec, in)
	if err != nil {
		return err
	}
	w.Header().Set(estimateHeader, "true")
	var e jsonscan.Writer
	answerJSON(w, http.StatusOK, e.Open(object).Key(name).Int(n).Close(object).Bytes())
	return nil
}

// tokens estimates a prompt: four bytes a token, as the server does where a provider
// does not say, but for pictures, of which their pixels count.
func tokens(codec dialect.Server, in dialect.Incoming) (int64, error) {
	req, err := codec.DecodeRequest(in)
	if err != nil {
		return 0, err
	}
	talk, err := req.Conversation()
	if err != nil {
		return 0, err
	}
	var bytes int
	var media int64
	for _, t := range talk.Tools {
		bytes += len(t.Name) + len(t.Description) + len(t.Schema) + len(t.Grammar) + len(t.Raw)
	}
	weigh := func(parts []chat.Part) {
		for i := range parts {
			n, m := weight(&parts[i])
			bytes, media = bytes+n, media+m
		}
	}
	weigh(talk.System)
	for i := range talk.Messages {
		weigh(talk.Messages[i].Parts)
	}
	return chat.Estimate(bytes) + media, nil
}

// weight is the bytes of a part's text, and the tokens of its media.
func weight(p *chat.Part) (bytes int, media int64) {
	bytes = len(p.Text) + len(p.Name) + len(p.Raw)
	if p.Media != nil {
		bytes += len(p.Media.Plain)
		media = mediaTokens(p)
	}
	for i := range p.Content {
		n, m := weight(&p.Content[i])
		bytes, media = bytes+n, media+m
	}
	return bytes, media
}

const (
	pixelsPerToken = 750  // Anthropic's rule; OpenAI's and Google's come near it
	leastPicture   = 258  // Google's, where the size is not known
	mostPicture    = 1600 // larger ones are shrunk
)

const (
	soundPerToken = 500     // bytes: Google counts 32 tokens a second of sound, and 263 of a clip
	pageTokens    = 2000    // of a PDF: its words, and how it looks
	pageBytes     = 100_000 // where its pages cannot be told
	mostPages     = 600     // that Anthropic takes
)

// mediaTokens estimates a picture by its pixels, a PDF by its pages, a sound or a clip by how long
// it may be and another document by its bytes.
func mediaTokens(p *chat.Part) int64 {
	size := int64(len(p.Media.Base64) / 4 * 3)
	switch {
	case p.Kind == chat.Audio || p.Kind == chat.Video:
		return (size + soundPerToken - 1) / soundPerToken
	case p.Kind == chat.Document && size > 0 && dialect.TypeOf(p.Media) == "application/pdf":
		return pageTokens * pages(p.Media.Base64, size)
	case p.Kind != chat.Image:
		return chat.Estimate(int(size))
	}
	head, err := picture.Look(base64.NewDecoder(base64.StdEncoding, strings.NewReader(p.Media.Base64)))
	if err != nil {
		return leastPicture
	}
	return min(max(int64(head.Width)*int64(head.Height)/pixelsPerToken, 1), mostPicture)
}

// aPage is how a PDF says that there is one, unless it is packed.
var aPage = regexp.MustCompile(`/Type\s*/Page[^s]`)

// pages is how many a PDF has, or may have by its size.
func pages(coded string, size int64) int64 {
	bytes, err := base64.StdEncoding.DecodeString(coded)
	if n := len(aPage.FindAll(bytes, mostPages)); err == nil && n > 0 {
		return int64(n)
	}
	return min(1+size/pageBytes, mostPages)
}
