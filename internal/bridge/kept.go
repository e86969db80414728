package bridge

import (
	"container/list"
	"slices"
	"sync"

	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// Response is one that later requests may refer to.
type Response struct {
	ID       string
	Previous string   // the one that it goes on from; "" for none
	Thread   string   // the conversation that it goes on with; "" for none
	Before   []string // ids of the items that were in it
	Input    [][]byte // items of its own request
	Output   [][]byte // items that the model made
	Body     []byte   // as the client got it
}

// size is about how much memory it takes.
func (r *Response) size() int {
	n := len(r.Body) + 256 + 64*len(r.Before)
	for _, items := range [][][]byte{r.Input, r.Output} {
		for _, item := range items {
			n += len(item) + 64
		}
	}
	return n
}

// Kept are responses that later ones may refer to: in memory, as many as there is room
// for, and in a folder where one was given. It is safe for concurrent use.
type Kept struct {
	most   int
	folder string // "": none

	changing sync.Mutex // one change at a time

	mu    sync.Mutex // guards what follows
	size  int
	byID  map[string]*list.Element
	items shelf      // what models made, and what is in conversations
	given shelf      // what clients sent, by the ids that it is listed with
	line  *list.List // of *Response; those used last are in front
}

// NewKept keeps up to so many bytes in memory, and all of it in a folder, unless that
// is "". What the folder has from before is read.
func NewKept(most int, folder string) (*Kept, error) {
	k := &Kept{most: most, folder: folder, byID: make(map[string]*list.Element), items: make(shelf), given: make(shelf), line: list.New()}
	if folder == "" {
		return k, nil
	}
	return k, k.load()
}

// Put keeps a response.
func (k *Kept) Put(r *Response) error {
	k.mu.Lock()
	k.hold(r)
	k.mu.Unlock()
	if k.folder == "" {
		return nil
	}
	return k.write(r)
}

// Append adds items to a conversation.
func (k *Kept) Append(id string, items [][]byte) error {
	_, err := k.Change(id, func(r *Response) bool {
		r.Output = slices.Concat(r.Output, items)
		return true
	})
	return err
}

// Change keeps a response as do makes it, unless that reports that there is nothing to
// change. Others that have it go on to see it as it was.
func (k *Kept) Change(id string, do func(r *Response) bool) (*Response, error) {
	k.changing.Lock()
	defer k.changing.Unlock()
	was, ok := k.Get(id)
	if !ok {
		return nil, refuseNoConversation(id)
	}
	is := *was
	if !do(&is) {
		return was, nil
	}
	return &is, k.Put(&is)
}

// hold takes a response in, in the place of what has its id, and gives up those that were
// not used for the longest time. The caller holds mu.
func (k *Kept) hold(r *Response) {
	if e, ok := k.byID[r.ID]; ok {
		k.forget(e)
	}
	k.byID[r.ID] = k.line.PushFront(r)
	k.size += r.size()
	for _, item := range r.Output {
		k.items.add(text(jsonscan.Root(item).Get("id")), item)
	}
	for at, item := range r.Input {
		k.given.add(askedID(r.ID, at, item), item)
	}
	for k.size > k.most && k.line.Len() > 1 {
		k.forget(k.line.Back())
	}
}

// forget gives up a response in memory. The caller holds mu.
func (k *Kept) forget(e *list.Element) {
	r := k.line.Remove(e).(*Response)
	delete(k.byID, r.ID)
	for _, item := range r.Output {
		k.items.remove(jsonscan.Root(item).Get("id").View())
	}
	for at, item := range r.Input {
		k.given.remove(askedID(r.ID, at, item))
	}
	k.size -= r.size()
}

// Get is a response by its id.
func (k *Kept) Get(id string) (*Response, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.get(id)
}

// get is Get for those who hold mu.
func (k *Kept) get(id string) (*Response, bool) {
	if e, ok := k.byID[id]; ok {
		k.line.MoveToFront(e)
		return e.Value.(*Response), true
	}
	if k.folder == "" {
		return nil, false
	}
	r, err := k.read(id)
	if err != nil {
		return nil, false
	}
	k.hold(r)
	return r, true
}

// History is all items of a response and of those before it, in their order.
func (k *Kept) History(id string) ([][]byte, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var chain []*Response
	for id != "" {
		r, ok := k.get(id)
		if !ok || len(chain) > mostChain {
			return nil, false
		}
		chain = append(chain, r)
		id = r.Previous
	}
	var items [][]byte
	for i := len(chain) - 1; i >= 0; i-- {
		before, ok := k.before(chain[i])
		if !ok {
			return nil, false
		}
		items = slices.Concat(items, before, chain[i].Input, chain[i].Output)
	}
	return items, true
}

// before is what was in a response's conversation before it, as far as it was not deleted
// since. The caller holds mu.
func (k *Kept) before(r *Response) (items [][]byte, ok bool) {
	if r.Thread == "" {
		return nil, true
	}
	thread, ok := k.get(r.Thread)
	if !ok {
		return nil, false
	}
	for _, item := range thread.Output {
		if slices.Contains(r.Before, jsonscan.Root(item).Get("id").View()) {
			items = append(items, item)
		}
	}
	return items, true
}

// mostChain is how many responses may go on from each other.
const mostChain = 100_000

// Item is what a model made, by its id, or else what a client sent: clients send back less
// than the model made.
func (k *Kept) Item(id string) ([]byte, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, shelf := range []shelf{k.items, k.given} {
		if same := shelf[id]; len(same) > 0 {
			return same[len(same)-1], true
		}
	}
	return nil, false
}

// shelf has items by their ids: once for each response and conversation that has them.
type shelf map[string][][]byte

// add adds an item. One without an id cannot be found.
func (s shelf) add(id string, item []byte) {
	if id != "" {
		s[id] = append(s[id], item)
	}
}

// remove gives up the oldest item of an id.
func (s shelf) remove(id string) {
	if s[id] = s[id][min(1, len(s[id])):]; len(s[id]) == 0 {
		delete(s, id)
	}
}

// Delete forgets a response and reports whether there was one.
func (k *Kept) Delete(id string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, ok := k.get(id); !ok {
		return false
	}
	k.forget(k.byID[id])
	if k.folder != "" {
		k.remove(id)
	}
	return true
}

func refuseNoResponse(id string) error {
	return fault.New(fault.NotFound, "Response with id '%s' not found.", id)
}
