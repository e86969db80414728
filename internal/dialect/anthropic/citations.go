package anthropic

import (
	"encoding/json"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// citations reads the sources of a text.
func (r *reading) citations(v gjson.Result) []chat.Citation {
	var list []chat.Citation
	v.ForEach(func(_, v gjson.Result) bool {
		if v.IsObject() {
			list = append(list, citation(v))
		}
		return true
	})
	return list
}

// citation reads one source. Where in the document it is only its own words
// tell; where in the answer the API does not say: it is about all of its block.
func citation(v gjson.Result) chat.Citation {
	c := chat.Citation{Quote: v.Get("cited_text").Str, Raw: json.RawMessage(v.Raw), Dialect: dialectName}
	c.URL, c.Title = v.Get("url").Str, v.Get("title").Str
	if c.URL == "" {
		c.URL = v.Get("source").Str
	}
	if c.Title == "" {
		c.Title = v.Get("document_title").Str
	}
	return c
}

// appendCitation writes a source of an answer. One of another dialect becomes
// the kind that has an address.
func appendCitation(dst []byte, c *chat.Citation) []byte {
	if c.Dialect == dialectName && len(c.Raw) > 0 {
		return append(dst, flat(c.Raw)...)
	}
	dst = append(dst, `{"type":"web_search_result_location","cited_text":`...)
	dst = dialect.AppendText(dst, c.Quote)
	dst = append(dst, `,"encrypted_index":"","title":`...)
	if c.Title == "" {
		dst = append(dst, "null"...)
	} else {
		dst = dialect.AppendText(dst, c.Title)
	}
	dst = append(dst, `,"url":`...)
	dst = dialect.AppendText(dst, c.URL)
	return append(dst, '}')
}
