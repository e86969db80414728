package access

import (
	"context"
	"sync"
	"time"
)

const (
	mostNamed  = mostKeys // of a workspace that are told: those of the keys that were made last
	mostLists  = 16       // that are kept
	namingTime = 30 * time.Second
)

// keyNames are what the keys of workspaces are called. Nearly every page shows some of them, so
// that one list is read for all who ask for it until a key changes.
type keyNames struct {
	mu sync.Mutex // guards by
	by map[string]*nameList
}

// nameList is the names of a workspace's keys, once done is closed.
type nameList struct {
	revision int64
	done     chan struct{}
	names    map[string]string
	err      error
}

// KeyNames are the names of the keys of a workspace, ended ones too, by their ids; of very many
// those that were made last. The caller must not change them.
func (s *Service) KeyNames(ctx context.Context, who Principal, workspace string) (map[string]string, error) {
	workspace, err := who.keysOf(workspace)
	if err != nil {
		return nil, err
	}
	list := s.nameList(ctx, workspace)
	select {
	case <-list.done:
		return list.names, list.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// nameList is the list as of now, which may still be read.
func (s *Service) nameList(ctx context.Context, workspace string) *nameList {
	n, revision := &s.names, s.keys.seen.Load()
	n.mu.Lock()
	defer n.mu.Unlock()
	if list := n.by[workspace]; list != nil && list.revision == revision {
		return list
	}
	if n.by == nil || len(n.by) >= mostLists {
		n.by = make(map[string]*nameList)
	}
	list := &nameList{revision: revision, done: make(chan struct{})}
	n.by[workspace] = list
	go func() {
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), namingTime)
		defer cancel()
		list.names, list.err = s.store.KeyNames(bounded, workspace, mostNamed)
		if list.err != nil { // the next one asks again
			n.mu.Lock()
			if n.by[workspace] == list {
				delete(n.by, workspace)
			}
			n.mu.Unlock()
		}
		close(list.done)
	}()
	return list
}
