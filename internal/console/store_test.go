package console_test

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"stele/internal/access"
)

// memory is an access.Store that forgets everything at the end of the test.
type memory struct {
	mu       sync.Mutex // guards what follows
	keys     map[string]access.Key
	users    map[string]access.User
	sessions map[string]access.Session
	settings map[string]string
	revision int64
	find     func() error // what a look-up of a session does first, if anything
}

func newMemory() *memory {
	return &memory{
		keys: make(map[string]access.Key), users: make(map[string]access.User),
		sessions: make(map[string]access.Session), settings: make(map[string]string),
	}
}

func (m *memory) InsertKey(_ context.Context, k access.Key, _ access.Entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.revision++
	k.Revision = m.revision
	m.keys[k.ID] = k
	return nil
}

func (m *memory) UpdateKey(_ context.Context, id string, change func(*access.Key) (access.Entry, error)) (access.Key, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, ok := m.keys[id]
	if !ok {
		return access.Key{}, access.ErrNotFound
	}
	if _, err := change(&k); err != nil {
		return access.Key{}, err
	}
	m.revision++
	k.Revision = m.revision
	m.keys[id] = k
	return k, nil
}

func (m *memory) Keys(_ context.Context, workspace string) ([]access.Key, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []access.Key
	for _, k := range m.keys {
		if workspace == "" || k.Workspace == workspace {
			all = append(all, k)
		}
	}
	slices.SortFunc(all, func(a, b access.Key) int { return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID)) })
	return all, nil
}

func (m *memory) KeysSince(_ context.Context, revision int64) ([]access.Key, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []access.Key
	for _, k := range m.keys {
		if k.Revision > revision {
			all = append(all, k)
		}
	}
	return all, nil
}

func (m *memory) KeyRevision(context.Context) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.revision, nil
}

func (m *memory) TouchKeys(_ context.Context, used map[string]time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, at := range used {
		k := m.keys[id]
		k.LastUsedAt = at
		m.keys[id] = k
	}
	return nil
}

func (m *memory) InsertUser(_ context.Context, u access.User, _ access.Entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.users[u.ID] = u
	return nil
}

func (m *memory) InsertFirstAdmin(_ context.Context, u access.User, _ access.Entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.users) > 0 {
		return access.ErrExists
	}
	m.users[u.ID] = u
	delete(m.settings, "setup_link")
	return nil
}

func (m *memory) UserByEmail(_ context.Context, email string) (access.User, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, u := range m.users {
		if u.Email == email {
			return u, nil
		}
	}
	return access.User{}, access.ErrNotFound
}

func (m *memory) User(_ context.Context, id string) (access.User, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	u, ok := m.users[id]
	if !ok {
		return u, access.ErrNotFound
	}
	return u, nil
}

func (m *memory) HasAdmin(context.Context) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.users) > 0, nil
}

func (m *memory) InsertSession(_ context.Context, s access.Session) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sessions[s.ID] = s
	return nil
}

func (m *memory) SessionByHash(_ context.Context, hash string) (access.Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.find != nil {
		if err := m.find(); err != nil {
			return access.Session{}, err
		}
	}
	for _, s := range m.sessions {
		if s.Hash == hash {
			return s, nil
		}
	}
	return access.Session{}, access.ErrNotFound
}

func (m *memory) TouchSession(_ context.Context, id string, at time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[id]
	s.SeenAt = at
	m.sessions[id] = s
	return nil
}

func (m *memory) DeleteSession(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.sessions, id)
	return nil
}

func (m *memory) DeleteSessionsBefore(context.Context, time.Time, time.Time) error { return nil }

func (m *memory) Setting(_ context.Context, name string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, ok := m.settings[name]
	if !ok {
		return "", access.ErrNotFound
	}
	return value, nil
}

func (m *memory) Set(_ context.Context, name, value string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settings[name] = value
	return nil
}

func (m *memory) SetOnce(_ context.Context, name, value string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if kept, ok := m.settings[name]; ok {
		return kept, nil
	}
	m.settings[name] = value
	return value, nil
}
