package bridge

import (
	"container/list"
	"sync"

	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// Response is one that later requests may refer to.
type Response struct {
	ID       string
	Previous string   // the one that it goes on from; "" for none
	Input    [][]byte // items of its own request
	Output   [][]byte // items that the model made
	Body     []byte   // as the client got it
}

// size is about how much memory it takes.
func (r *Response) size() int {
	n := len(r.Body) + 256
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

	mu    sync.Mutex // guards what follows
	size  int
	byID  map[string]*list.Element
	items map[string][]byte // what models made, by its id
	line  *list.List        // of *Response; those used last are in front
}

// NewKept keeps up to so many bytes in memory, and all of it in a folder, unless that
// is "". What the folder has from before is read.
func NewKept(most int, folder string) (*Kept, error) {
	k := &Kept{most: most, folder: folder, byID: make(map[string]*list.Element), items: make(map[string][]byte), line: list.New()}
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

// hold takes a response in and gives up those that were not used for the longest time.
// The caller holds mu.
func (k *Kept) hold(r *Response) {
	k.byID[r.ID] = k.line.PushFront(r)
	k.size += r.size()
	for _, item := range r.Output {
		if id := text(jsonscan.Root(item).Get("id")); id != "" {
			k.items[id] = item
		}
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
		delete(k.items, jsonscan.Root(item).Get("id").View())
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
		items = append(append(items, chain[i].Input...), chain[i].Output...)
	}
	return items, true
}

// mostChain is how many responses may go on from each other.
const mostChain = 100_000

// Item is what a model made, by its id.
func (k *Kept) Item(id string) ([]byte, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	item, ok := k.items[id]
	return item, ok
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

func noResponse(id string) error {
	return fault.New(fault.NotFound, "Response with id '%s' not found.", id)
}
