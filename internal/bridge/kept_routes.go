package bridge

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"stele/internal/fault"
	"stele/internal/jsonscan"
	"stele/internal/uid"
)

// showResponse answers GET /v1/responses/{id}.
func (b *Bridge) showResponse(w http.ResponseWriter, c *call, id string) error {
	kept, isKept := b.Kept.Get(id)
	r, runs := b.runs.get(id)
	switch {
	case !runs && (!isKept || uid.Is("conv", id)):
		return refuseNoResponse(id)
	case c.URL.Query().Get("stream") == "true":
		return b.followLater(w, c, id)
	case runs:
		answerJSON(w, http.StatusOK, r.latest())
	default:
		answerJSON(w, http.StatusOK, kept.Body)
	}
	return nil
}

// deleteResponse answers DELETE /v1/responses/{id}.
func (b *Bridge) deleteResponse(w http.ResponseWriter, id string) error {
	b.runs.forget(id)
	if uid.Is("conv", id) || !b.Kept.Delete(id) {
		return refuseNoResponse(id)
	}
	var e jsonscan.Writer
	answerJSON(w, http.StatusOK, e.Open(object).Key("id").Text(id).Key("object").Plain("response").Key("deleted").Bool(true).Close(object).Bytes())
	return nil
}

// listInput answers GET /v1/responses/{id}/input_items: a page of the items that the
// response was asked with, the last first unless the client wants it otherwise.
func (b *Bridge) listInput(w http.ResponseWriter, c *call, id string) error {
	if r, runs := b.runs.get(id); runs {
		return listItems(w, c, askedItems(id, r.input))
	}
	kept, ok := b.Kept.Get(id)
	if !ok || uid.Is("conv", id) {
		return refuseNoResponse(id)
	}
	return listItems(w, c, askedItems(id, kept.Input))
}

// askedItems are the items that a response was asked with, as they are listed: with the same
// ids wherever that is.
func askedItems(id string, input [][]byte) (items [][]byte) {
	for at, raw := range input {
		items = append(items, listedItem(raw, askedID(id, at, raw)))
	}
	return items
}

// askedID is the id of an item that a response was asked with, which the client may have
// left out. A reference has none: its id is that of an item that stands elsewhere.
func askedID(response string, at int, raw []byte) string {
	v := jsonscan.Root(raw)
	if kindOf(v) == "item_reference" {
		return ""
	}
	if id := text(v.Get("id")); id != "" {
		return id
	}
	_, rest, _ := strings.Cut(uid.Derive(response, strconv.Itoa(at)), "_")
	return prefixOf(kindOf(v)) + "_" + rest
}

// prefixOf is how the id of an item begins, by its type.
func prefixOf(kind string) string {
	switch kind {
	case "message":
		return "msg"
	case "reasoning":
		return "rs"
	}
	return cmp.Or(prefixes[strings.TrimSuffix(kind, "_call")], prefixes[strings.TrimSuffix(kind, "_tool_call")], "item")
}

// listItems answers with a page of items.
func listItems(w http.ResponseWriter, c *call, items [][]byte) error {
	query := c.URL.Query()
	limit := 20
	if given := query.Get("limit"); given != "" {
		n, err := strconv.Atoi(given)
		if err != nil || n < 1 || n > 100 {
			return fault.WrongValue("limit", "a number from 1 to 100")
		}
		limit = n
	}
	list := values(items)
	switch query.Get("order") {
	case "asc":
	case "desc", "":
		slices.Reverse(list)
	default:
		return fault.WrongValue("order", "asc or desc")
	}
	if after := query.Get("after"); after != "" {
		at := slices.IndexFunc(list, func(v jsonscan.Value) bool { return v.Get("id").View() == after })
		if at < 0 {
			return fault.Unclear("after", "there is no item "+after)
		}
		list = list[at+1:]
	}
	page := list[:min(limit, len(list))]
	answerJSON(w, http.StatusOK, writeList(page, len(page) < len(list)))
	return nil
}

// writeList writes a page of items.
func writeList(page []jsonscan.Value, more bool) []byte {
	var e jsonscan.Writer
	e.Open(object).Key("object").Plain("list").Key("data").Open(array)
	for _, v := range page {
		e.Raw(v.Raw())
	}
	e.Close(array)
	if n := len(page) - 1; n < 0 {
		e.Key("first_id").Null().Key("last_id").Null()
	} else {
		e.Key("first_id").Raw(page[0].Get("id").Raw()).Key("last_id").Raw(page[n].Get("id").Raw())
	}
	return e.Key("has_more").Bool(more).Close(object).Bytes()
}
