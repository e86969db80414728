package engines

import (
	"database/sql"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"

	"stele/test/rig"
)

// wire is the network between a server and an engine. It can be cut.
type wire struct {
	to string

	mu    sync.Mutex // guards what follows
	conns map[net.Conn]bool
	flows chan struct{} // closed while bytes are forwarded
	moved int64         // bytes, both ways
	most  int64         // of them: then the wire breaks. 0: it holds
}

// newWire forwards what comes to an address of its own.
func newWire(t *testing.T, to string) (w *wire, address string) {
	t.Helper()
	w = &wire{to: to, conns: make(map[net.Conn]bool), flows: make(chan struct{})}
	close(w.flows)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = l.Close()
		w.restore()
		w.reset()
	})
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			go w.join(near)
		}
	}()
	return w, l.Addr().String()
}

// wired is a database URL that leads through a new wire.
func wired(t *testing.T, database string) (*wire, string) {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	w, address := newWire(t, u.Host)
	u.Host = address
	return w, u.String()
}

func (w *wire) join(near net.Conn) {
	w.keep(near)
	defer w.forget(near)
	if w.await(); w.broken(0) {
		return
	}
	far, err := net.Dial("tcp", w.to)
	if err != nil {
		return
	}
	w.keep(far)
	defer w.forget(far)
	over := make(chan struct{}, 2)
	for _, way := range [][2]net.Conn{{near, far}, {far, near}} {
		go func() {
			_, _ = io.Copy(way[1], &held{way[0], w})
			over <- struct{}{}
		}()
	}
	<-over
}

// held are bytes that come out while the wire is whole.
type held struct {
	net.Conn
	by *wire
}

func (h *held) Read(b []byte) (int, error) {
	n, err := h.Conn.Read(b)
	if h.by.await(); h.by.broken(n) {
		h.by.reset()
		return 0, io.ErrClosedPipe
	}
	return n, err
}

// broken says whether a wire that lasts for some bytes has ended with these.
func (w *wire) broken(n int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.moved += int64(n)
	return w.most > 0 && w.moved > w.most
}

// used is how many bytes have gone through it.
func (w *wire) used() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.moved
}

// lasts has the wire break for good when so many bytes have gone through it, or hold where that is 0.
func (w *wire) lasts(most int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.moved, w.most = 0, most
}

func (w *wire) await() {
	w.mu.Lock()
	flows := w.flows
	w.mu.Unlock()
	<-flows
}

func (w *wire) keep(c net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.conns[c] = true
}

func (w *wire) forget(c net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.conns, c)
	_ = c.Close()
}

// swallow lets bytes and new connections in and forwards nothing: neither end is told.
func (w *wire) swallow() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.flows = make(chan struct{})
}

// reset breaks every connection.
func (w *wire) reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.conns {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		_ = c.Close()
	}
}

// restore has bytes forwarded again.
func (w *wire) restore() {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.flows:
	default:
		close(w.flows)
	}
}

// count counts generations, looking into the database from outside.
func (f *fleet) count(database, where string) (n int) {
	f.t.Helper()
	db, err := sql.Open("pgx", database)
	if err == nil {
		defer db.Close()
		err = db.QueryRowContext(f.t.Context(), "SELECT count(*) FROM generations WHERE "+where).Scan(&n)
	}
	if err != nil {
		f.t.Fatal(err)
	}
	return n
}

// TestACutServerLosesItsTasksAndLetsThemBe cuts one of two servers off the database
// while it owns tasks. The other adopts them; when the first comes back it leaves them alone.
func TestACutServerLosesItsTasksAndLetsThemBe(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(*wire){
		"swallowed": (*wire).swallow,
		"reset":     func(w *wire) { w.swallow(); w.reset() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database := rig.NewDatabase(t)
			w, through := wired(t, database)
			f := newFleet(t, cutWork, through, database)
			for n := 1; n <= cutOrders; n++ {
				if err := f.order(n%2, n); err != nil {
					t.Fatal(err)
				}
			}
			rig.Eventually(t, "the tickets are saved", func() bool { return f.count(database, "stage NOT IN ('ordered', 'submitting')") == cutOrders })
			cut(w)
			for n := 1; n <= cutOrders; n++ { // at the server that is left
				if state, why := f.outcome(1, f.ids[n]); state != "success" {
					t.Errorf("order %d (%s) ended as %s: %s", n, f.ids[n], state, why)
				}
				if err := f.chat(0); err != nil {
					t.Error(err)
				}
			}
			w.restore()
			f.servesEverything(0)
			f.judge(cutOrders)
		})
	}
}
