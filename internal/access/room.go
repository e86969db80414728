package access

import "stele/internal/fault"

// What the keys of one workspace may take that are not revoked: every server has all of
// them in memory.
const (
	mostKeys   = 10_000
	mostScopes = 8 << 20 // bytes of the patterns and addresses of all of them
)

// checkRoom refuses a key that is more than its workspace may have. It counts what this server
// knows, which is all but what was made in the last moment.
func (x *index) checkRoom(k *Key) error {
	count, size := 1, k.size()
	x.mu.RLock()
	defer x.mu.RUnlock()
	for id, e := range x.byID {
		if id != k.ID && e.key.Workspace == k.Workspace && e.key.RevokedAt.IsZero() {
			count, size = count+1, size+e.key.size()
		}
	}
	switch {
	case count > mostKeys:
		return fault.New(fault.InvalidParameter, "A workspace has at most %d keys: revoke some that are not needed any more.", mostKeys).Field("name")
	case size > mostScopes:
		return fault.New(fault.InvalidParameter, "The keys of this workspace have more patterns and addresses than there is room for.").Field("models")
	}
	return nil
}

func (k *Key) size() (bytes int) {
	const each = 32 // beside its text
	for _, list := range [2][]string{k.Scope.Models, k.CIDRs} {
		for _, text := range list {
			bytes += len(text) + each
		}
	}
	return bytes
}
