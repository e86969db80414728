package provider

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"stele/internal/catalog"
)

const (
	mostList  = 16 << 20 // bytes of a page
	mostPages = 50
	mostNames = 5000
)

// Listed is a chat model in an upstream's own list.
type Listed = catalog.Listed

// listing is how a dialect lists models.
type listing struct {
	path string
	next string // the parameter that asks for the next page; "": there is none
	read func(page gjson.Result) (list []Listed, next string)
}

// The version is the oldest: all that serve the dialect know it.
var listHeader = http.Header{"Anthropic-Version": {"2023-06-01"}}

var listings = map[string]listing{
	"openai":    {"/models", "", readOpenAIList},
	"anthropic": {"/v1/models?limit=1000", "after_id", readAnthropicList},
	"gemini":    {"/v1beta/models?pageSize=1000", "pageToken", readGeminiList},
}

// Lists reports whether the upstream has a list of its models.
func (c *Chat) Lists() bool { return !c.account.Kind.Unlisted }

// List asks the upstream for its chat models, in its own order.
func (c *Chat) List(ctx context.Context) ([]Listed, error) {
	way := listings[c.dialect.Name()]
	var list []Listed
	seen := make(map[string]bool)
	address := c.account.BaseURL + way.path
	for range mostPages {
		page, err := c.page(ctx, address)
		if err != nil {
			return nil, fmt.Errorf("list the models of %s: %w", c.account.Name, err)
		}
		more, next := way.read(page)
		for _, m := range more {
			if legalID(m.ID) && !seen[m.ID] {
				seen[m.ID] = true
				list = append(list, m)
			}
		}
		if next == "" || way.next == "" || len(list) >= mostNames {
			break
		}
		address = c.account.BaseURL + way.path + "&" + way.next + "=" + url.QueryEscape(next)
	}
	return list[:min(len(list), mostNames)], nil
}

func (c *Chat) page(ctx context.Context, address string) (gjson.Result, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return gjson.Result{}, err
	}
	if c.dialect.Name() == "anthropic" {
		r.Header = listHeader.Clone()
	}
	r.Header["Accept-Encoding"] = identity
	r.Header["User-Agent"] = userAgent
	if err := c.authorize(ctx, r, nil); err != nil {
		return gjson.Result{}, err
	}
	answer, err := c.client.Do(r)
	if err != nil {
		return gjson.Result{}, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, mostList+1))
	switch {
	case err != nil:
		return gjson.Result{}, err
	case answer.StatusCode != http.StatusOK:
		return gjson.Result{}, &refusedCall{answer.StatusCode, c.refused(answer.StatusCode, answer.Header, body[:min(len(body), mostError)])}
	case len(body) > mostList, !gjson.ValidBytes(body):
		return gjson.Result{}, fmt.Errorf("no list came, but %d bytes of something else", len(body))
	}
	return gjson.ParseBytes(body), nil
}

// readOpenAIList takes {"data": […]} and, as one service has it, the list alone.
func readOpenAIList(page gjson.Result) (list []Listed, next string) {
	if !page.IsArray() {
		page = page.Get("data")
	}
	page.ForEach(func(_, m gjson.Result) bool {
		if chats(m) {
			listed := Listed{ID: m.Get("id").Str, Name: m.Get("name").Str, Description: m.Get("description").Str}
			if at := m.Get("created").Int(); at > 0 {
				listed.Created = time.Unix(at, 0)
			}
			list = append(list, listed)
		}
		return true
	})
	return list, ""
}

// unspoken are parts of names of models that do not chat, and kinds of them.
var unspoken = []string{
	"embed", "whisper", "tts", "dall-e", "gpt-image", "chatgpt-image", "moderation", "rerank", "transcribe", "realtime",
	"sora-", "babbage-", "davinci-", "turbo-instruct",
}

var unspokenTypes = []string{"embedding", "image", "moderation", "rerank", "audio", "transcribe", "video"}

// chats reports whether a model of an OpenAI list seems to be one for chat. The
// lists have all models; what a model is for is said in different ways, if at all.
func chats(m gjson.Result) bool {
	id := strings.ToLower(m.Get("id").Str)
	if slices.ContainsFunc(unspoken, func(part string) bool { return strings.Contains(id, part) }) {
		return false
	}
	if slices.Contains(unspokenTypes, m.Get("type").Str) {
		return false
	}
	if can := m.Get("capabilities.completion_chat"); can.Exists() && !can.Bool() {
		return false
	}
	out := m.Get("architecture.output_modalities")
	return !out.IsArray() || strings.Contains(out.Raw, `"text"`)
}

func readAnthropicList(page gjson.Result) (list []Listed, next string) {
	page.Get("data").ForEach(func(_, m gjson.Result) bool {
		listed := Listed{ID: m.Get("id").Str, Name: m.Get("display_name").Str}
		listed.Created, _ = time.Parse(time.RFC3339, m.Get("created_at").Str)
		list = append(list, listed)
		return true
	})
	if page.Get("has_more").Bool() {
		next = page.Get("last_id").Str
	}
	return list, next
}

func readGeminiList(page gjson.Result) (list []Listed, next string) {
	page.Get("models").ForEach(func(_, m gjson.Result) bool {
		if strings.Contains(m.Get("supportedGenerationMethods").Raw, `"generateContent"`) {
			list = append(list, Listed{
				ID: strings.TrimPrefix(m.Get("name").Str, "models/"), Name: m.Get("displayName").Str, Description: m.Get("description").Str,
			})
		}
		return true
	})
	return list, page.Get("nextPageToken").Str
}

// legalID reports whether clients could ask for a model by this name.
func legalID(id string) bool {
	return fs.ValidPath(id) && id != "." && len(id) <= 256 && !strings.ContainsFunc(id, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._:/@+-", r))
	})
}
