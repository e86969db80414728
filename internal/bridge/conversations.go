package bridge

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
	"stele/internal/uid"
)

// A conversation is kept as a response is: its items are what was made, and its body is
// what clients see of it.

// conversations answers what is under /v1/conversations.
func (b *Bridge) conversations(w http.ResponseWriter, c *call, rest string) error {
	id, tail, _ := strings.Cut(rest, "/")
	tail, one, _ := strings.Cut(tail, "/")
	if rest == "" && c.Method == http.MethodPost {
		return b.createConversation(w, c)
	}
	if rest == "" {
		return refuseUnserved(c)
	}
	kept, ok := b.Kept.Get(id)
	if !ok || !uid.Is("conv", id) {
		return refuseNoConversation(id)
	}
	switch {
	case tail == "" && c.Method == http.MethodGet:
		answerJSON(w, http.StatusOK, kept.Body)
		return nil
	case tail == "" && c.Method == http.MethodPost:
		return b.updateConversation(w, c, id)
	case tail == "" && c.Method == http.MethodDelete:
		b.Kept.Delete(id)
		var e jsonscan.Writer
		answerJSON(w, http.StatusOK, e.Open(object).Key("id").Text(id).Key("object").Plain("conversation.deleted").Key("deleted").Bool(true).Close(object).Bytes())
		return nil
	case tail == "items" && one == "" && c.Method == http.MethodGet:
		return listItems(w, c, kept.Output)
	case tail == "items" && one == "" && c.Method == http.MethodPost:
		return b.addItems(w, c, id)
	case tail == "items" && c.Method == http.MethodGet:
		return showItem(w, kept, one)
	case tail == "items" && c.Method == http.MethodDelete:
		return b.deleteItem(w, id, one)
	}
	return refuseUnserved(c)
}

func refuseNoConversation(id string) error {
	return fault.New(fault.NotFound, "Conversation with id '%s' not found.", id)
}

func refuseNoItem(id string) error {
	return fault.New(fault.NotFound, "Item with id '%s' not found.", id)
}

// createConversation answers POST /v1/conversations.
func (b *Bridge) createConversation(w http.ResponseWriter, c *call) error {
	root, err := readObject(w, c)
	if err != nil {
		return err
	}
	items, err := b.itemsOf(root)
	if err != nil {
		return err
	}
	if err := checkMetadata(root.Get("metadata")); err != nil {
		return err
	}
	id := uid.New("conv")
	kept := &Response{ID: id, Output: items, Body: conversationJSON(id, time.Now().Unix(), root.Get("metadata"))}
	if err := b.Kept.Put(kept); err != nil {
		return err
	}
	answerJSON(w, http.StatusOK, kept.Body)
	return nil
}

// updateConversation answers POST /v1/conversations/{id}.
func (b *Bridge) updateConversation(w http.ResponseWriter, c *call, id string) error {
	root, err := readObject(w, c)
	if err != nil {
		return err
	}
	if err := checkMetadata(root.Get("metadata")); err != nil {
		return err
	}
	kept, err := b.Kept.Change(id, func(r *Response) bool {
		created, _ := jsonscan.Root(r.Body).Get("created_at").Int()
		r.Body = conversationJSON(id, created, root.Get("metadata"))
		return true
	})
	if err != nil {
		return err
	}
	answerJSON(w, http.StatusOK, kept.Body)
	return nil
}

func conversationJSON(id string, created int64, metadata jsonscan.Value) []byte {
	var w jsonscan.Writer
	w.Open(object).Key("id").Text(id).Key("object").Plain("conversation").Key("created_at").Int(created).Key("metadata")
	if metadata.Absent() {
		w.Open(object).Close(object)
	} else {
		w.Raw(metadata.Raw())
	}
	return w.Close(object).Bytes()
}

// addItems answers POST /v1/conversations/{id}/items.
func (b *Bridge) addItems(w http.ResponseWriter, c *call, id string) error {
	root, err := readObject(w, c)
	if err != nil {
		return err
	}
	items, err := b.itemsOf(root)
	if err != nil {
		return err
	}
	if len(items) == 0 {
		return fault.WrongValue("items", "a list of at least one item")
	}
	if err := b.Kept.Append(id, items); err != nil {
		return err
	}
	answerJSON(w, http.StatusOK, writeList(values(items), false))
	return nil
}

// showItem answers GET /v1/conversations/{id}/items/{item}.
func showItem(w http.ResponseWriter, kept *Response, id string) error {
	at := indexOf(kept.Output, id)
	if at < 0 {
		return refuseNoItem(id)
	}
	answerJSON(w, http.StatusOK, kept.Output[at])
	return nil
}

// deleteItem answers DELETE /v1/conversations/{id}/items/{item}.
func (b *Bridge) deleteItem(w http.ResponseWriter, id, item string) error {
	found := true
	kept, err := b.Kept.Change(id, func(r *Response) bool {
		at := indexOf(r.Output, item)
		if found = at >= 0; found {
			r.Output = slices.Delete(slices.Clone(r.Output), at, at+1)
		}
		return found
	})
	switch {
	case err != nil:
		return err
	case !found:
		return refuseNoItem(item)
	}
	answerJSON(w, http.StatusOK, kept.Body)
	return nil
}

func indexOf(items [][]byte, id string) int {
	return slices.IndexFunc(items, func(raw []byte) bool { return jsonscan.Root(raw).Get("id").View() == id })
}

func values(items [][]byte) (list []jsonscan.Value) {
	for _, raw := range items {
		list = append(list, jsonscan.Root(raw))
	}
	return list
}

// readObject reads a body that is an object. None is an empty one.
func readObject(w http.ResponseWriter, c *call) (jsonscan.Value, error) {
	body, err := readBody(w, c)
	if err != nil {
		return jsonscan.Value{}, err
	}
	if len(body) == 0 {
		body = []byte("{}")
	}
	root, err := jsonscan.Parse(body, jsonscan.Lenient)
	if err != nil || root.Kind() != object {
		return root, dialect.NoObjectError()
	}
	return root, nil
}

// itemsOf are the items that a client puts into a conversation, as they are listed later.
// What no response could go on from is refused.
func (b *Bridge) itemsOf(root jsonscan.Value) (items [][]byte, err error) {
	list := root.Get("items")
	if !list.Absent() && list.Kind() != array {
		return nil, fault.WrongValue("items", "a list of items")
	}
	check := &talk{tools: newToolbox(), kept: b.Kept, drop: func(string, string) {}, called: make(map[string]bool)}
	for at, v := range list.Elements() {
		one := item{Value: v, path: fmt.Sprintf("items[%d]", at)}
		if err := one.resolve(b.Kept); err != nil {
			return nil, err
		}
		if err := check.addItem(&one); err != nil {
			return nil, err
		}
		items = append(items, listedItem(one.Raw(), uid.New(prefixOf(one.kind))))
	}
	return items, nil
}
