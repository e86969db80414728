package store

import (
	"net"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

func TestOfSeveralHostsOnlyThePrimaryIsMeant(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]struct {
		hosts   []string
		checked bool
		connect time.Duration
	}{
		"postgres://u@one/db":                                               {[]string{"one:5432"}, false, connectTime},
		"postgres://u@one:1,two:2/db":                                       {[]string{"one:1", "two:2"}, true, nextTime},
		"postgres://u@one,two/db?target_session_attrs=any":                  {[]string{"one:5432", "two:5432"}, true, nextTime},
		"postgres://u@one/db?target_session_attrs=read-write":               {[]string{"one:5432"}, true, connectTime},
		"postgresql://u@one:1,two:2,three:3/db?connect_timeout=7":           {[]string{"one:1", "two:2", "three:3"}, true, 7 * time.Second},
		"postgres://u@one:1,two:2/db?target_session_attrs=read-write&x_y=z": {[]string{"one:1", "two:2"}, true, nextTime},
	} {
		config, err := pgxpool.ParseConfig(url)
		if err != nil {
			t.Fatal(url, err)
		}
		prepareConfig(config, new(watchman))
		c := config.ConnConfig
		if got := hosts(c); !slices.Equal(got, want.hosts) || (c.ValidateConnect != nil) != want.checked || c.ConnectTimeout != want.connect {
			t.Errorf("%s: %v, checked %t, %s", url, got, c.ValidateConnect != nil, c.ConnectTimeout)
		}
	}
}

// TestAServerThatFallsSilentIsLeft asks two servers and gets no answer. The one that
// answers nothing at all is left; the other may take its time.
func TestAServerThatFallsSilentIsLeft(t *testing.T) {
	t.Parallel()
	w := newWatchman()
	defer w.close()
	silent, working := ask(t, w, nil), ask(t, w, []byte("N"))
	if n, err := silent.Read(make([]byte, 1)); err == nil {
		t.Errorf("%d bytes of a server that is silent", n)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.conns[working.(*watched)] || len(w.conns) != 1 {
		t.Errorf("%d connections are left", len(w.conns))
	}
}

// ask sends a statement to a server that answers nothing but the first question of the
// protocol, with these bytes.
func ask(t *testing.T, w *watchman, proof []byte) net.Conn {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = conn.Close() })
			if b := make([]byte, 8); len(proof) > 0 {
				if n, _ := conn.Read(b); n == 8 {
					_, _ = conn.Write(proof)
				}
			}
		}
	}()
	conn, err := w.dial(t.Context(), "tcp", l.Addr().String())
	if err == nil {
		_, err = conn.Write([]byte("a statement"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return conn
}
