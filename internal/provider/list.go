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

	"stele/internal/catalog"
	"stele/internal/jsonscan"
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
	read func(page jsonscan.Value) (list []Listed, next string)
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

func (c *Chat) page(ctx context.Context, address string) (none jsonscan.Value, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return none, err
	}
	if c.dialect.Name() == "anthropic" {
		r.Header = listHeader.Clone()
	}
	r.Header["Accept-Encoding"] = identity
	r.Header["User-Agent"] = userAgent
	if err := c.authorize(ctx, r, nil); err != nil {
		return none, err
	}
	answer, err := c.client.Do(r)
	if err != nil {
		return none, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, mostList+1))
	switch {
	case err != nil:
		return none, err
	case answer.StatusCode != http.StatusOK:
		return none, &refusedCall{answer.StatusCode, c.toRefusal(answer.StatusCode, answer.Header, body[:min(len(body), mostError)])}
	case len(body) > mostList, !jsonscan.Valid(body, jsonscan.Lenient):
		return none, fmt.Errorf("no list came, but %d bytes of something else", len(body))
	}
	return jsonscan.At(body, 0), nil
}

// readOpenAIList takes {"data": […]} and, as one service has it, the list alone.
func readOpenAIList(page jsonscan.Value) (list []Listed, next string) {
	if page.Kind() != jsonscan.Array {
		page = page.Get("data")
	}
	for _, m := range page.Elements() {
		if chats(m) {
			listed := Listed{ID: m.Get("id").View(), Name: m.Get("name").View(), Description: m.Get("description").View()}
			if at, _ := m.Get("created").Int(); at > 0 {
				listed.Created = time.Unix(at, 0)
			}
			list = append(list, listed)
		}
	}
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
func chats(m jsonscan.Value) bool {
	id := strings.ToLower(m.Get("id").View())
	if slices.ContainsFunc(unspoken, func(part string) bool { return strings.Contains(id, part) }) {
		return false
	}
	if slices.Contains(unspokenTypes, m.Get("type").View()) {
		return false
	}
	if can, said := m.Get("capabilities", "completion_chat").Bool(); said && !can {
		return false
	}
	out := m.Get("architecture", "output_modalities")
	return out.Kind() != jsonscan.Array || hasText(out, "text")
}

func hasText(list jsonscan.Value, text string) bool {
	for _, v := range list.Elements() {
		if v.View() == text {
			return true
		}
	}
	return false
}

func readAnthropicList(page jsonscan.Value) (list []Listed, next string) {
	for _, m := range page.Get("data").Elements() {
		listed := Listed{ID: m.Get("id").View(), Name: m.Get("display_name").View()}
		listed.Created, _ = time.Parse(time.RFC3339, m.Get("created_at").View())
		list = append(list, listed)
	}
	if more, _ := page.Get("has_more").Bool(); more {
		next = page.Get("last_id").View()
	}
	return list, next
}

func readGeminiList(page jsonscan.Value) (list []Listed, next string) {
	for _, m := range page.Get("models").Elements() {
		if hasText(m.Get("supportedGenerationMethods"), "generateContent") {
			list = append(list, Listed{
				ID: strings.TrimPrefix(m.Get("name").View(), "models/"), Name: m.Get("displayName").View(), Description: m.Get("description").View(),
			})
		}
	}
	return list, page.Get("nextPageToken").View()
}

// legalID reports whether clients could ask for a model by this name.
func legalID(id string) bool {
	return fs.ValidPath(id) && id != "." && len(id) <= 256 && !strings.ContainsFunc(id, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._:/@+-", r))
	})
}
