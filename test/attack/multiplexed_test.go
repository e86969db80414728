package attack

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"stele/test/rig"
)

// multiplexed is a connection over which HTTP/2 is spoken, badly.
type multiplexed struct {
	*http2.Framer

	conn *tls.Conn
	line *gathering // that conn writes to
	head bytes.Buffer
	pack *hpack.Encoder
	last uint32 // stream
}

// gathering is a connection that may hold back what is written to it, so that the system is called once for much.
type gathering struct {
	net.Conn
	held *bufio.Writer // nil: nothing is held back
}

func (g *gathering) Write(p []byte) (int, error) {
	if g.held != nil {
		return g.held.Write(p)
	}
	return g.Conn.Write(p)
}

// flood has do send very many short frames as cheaply as can be, so that the time they take is the server's. Each is
// encrypted for itself all the same.
func (m *multiplexed) flood(do func() error) {
	m.line.held = bufio.NewWriterSize(m.line.Conn, 256<<10)
	for range 9000 {
		if do() != nil {
			return
		}
	}
	_ = m.line.held.Flush()
	m.line.held = nil
}

// multiplex opens a connection. What the server says on it is read, unless it is deaf.
func (s *siege) multiplex(t testing.TB, deaf bool, settings ...http2.Setting) *multiplexed {
	t.Helper()
	at, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := net.DialTimeout("tcp", at.Host, 30*time.Second)
	if err != nil {
		return nil // one too many
	}
	m := &multiplexed{line: &gathering{Conn: plain}, last: 1}
	conn := tls.Client(m.line, &tls.Config{RootCAs: s.roots, ServerName: at.Hostname(), NextProtos: []string{"h2"}, MinVersion: tls.VersionTLS12})
	if conn.Handshake() != nil {
		_ = plain.Close()
		return nil // one too many as well
	}
	m.conn = conn
	m.Framer = http2.NewFramer(conn, conn)
	m.AllowIllegalWrites = true
	m.pack = hpack.NewEncoder(&m.head)
	_, _ = io.WriteString(conn, http2.ClientPreface)
	_ = m.WriteSettings(settings...)
	if !deaf {
		go func() { _, _ = io.Copy(io.Discard, conn) }()
	}
	return m
}

// fields packs the fields of a head, names and values in turn.
func (m *multiplexed) fields(method, path string, more ...string) []byte {
	m.head.Reset()
	list := append([]string{":method", method, ":scheme", "https", ":authority", "x", ":path", path}, more...)
	for i := 0; i < len(list); i += 2 {
		_ = m.pack.WriteField(hpack.HeaderField{Name: list[i], Value: list[i+1]})
	}
	return m.head.Bytes()
}

// request begins a request on a new stream and gives its number. A head that is too long for a frame is
// sent in several.
func (m *multiplexed) request(ends bool, head []byte) uint32 {
	const most = 16 << 10
	id := m.last
	m.last += 2
	first := head[:min(most, len(head))]
	_ = m.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: first, EndStream: ends, EndHeaders: len(head) <= most})
	for head = head[len(first):]; len(head) > 0; {
		piece := head[:min(most, len(head))]
		head = head[len(piece):]
		_ = m.WriteContinuation(id, len(head) == 0, piece)
	}
	return id
}

// storm opens connections, does something with each, and holds them while the good tenant works.
func (s *siege) storm(t *testing.T, n int, deaf bool, settings []http2.Setting, do func(*multiplexed)) {
	t.Helper()
	var open sync.Map
	together(8, func(worker int) {
		for i := worker; i < n; i += 8 {
			if m := s.multiplex(t, deaf, settings...); m != nil {
				open.Store(m.conn, true)
				_ = m.conn.SetWriteDeadline(time.Now().Add(heavyTime))
				do(m)
			}
		}
	})
	s.greetMultiplexed(t)
	s.neighbour.wait(t)
	open.Range(func(c, _ any) bool { return c.(io.Closer).Close() == nil })
}

// greetMultiplexed is a good client over HTTP/2, at the same address.
func (s *siege) greetMultiplexed(t *testing.T) {
	t.Helper()
	client := &http.Client{Timeout: patience, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: s.roots, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true,
	}}
	defer client.CloseIdleConnections()
	for _, path := range []string{"/healthz", "/console/signin"} {
		rig.Eventually(t, path+" is answered over HTTP/2", func() bool {
			answer, err := client.Get(s.URL + path)
			if err != nil {
				return false
			}
			_, err = io.Copy(io.Discard, answer.Body)
			_ = answer.Body.Close()
			return err == nil && answer.StatusCode == http.StatusOK
		})
	}
}

// atOnce is how many requests of a connection a server serves at once.
const atOnce = 64

// multiplexedAttacks are what a stranger, or a client with a key, does on each of so many connections.
func multiplexedAttacks(key string) map[string]struct {
	conns    int
	deaf     bool
	settings []http2.Setting
	do       func(*multiplexed)
} {
	type attack = struct {
		conns    int
		deaf     bool
		settings []http2.Setting
		do       func(*multiplexed)
	}
	noRoom := []http2.Setting{{ID: http2.SettingInitialWindowSize, Val: 0}}
	begin := func(path string, length int, more ...string) func(*multiplexed) {
		return func(m *multiplexed) {
			for range atOnce {
				more := append([]string{"content-length", strconv.Itoa(length), "content-type", "application/json"}, more...)
				_ = m.WriteData(m.request(false, m.fields("POST", path, more...)), false, []byte("{"))
			}
		}
	}
	ask := func(path string, more ...string) func(*multiplexed) {
		return func(m *multiplexed) {
			for range atOnce {
				m.request(true, m.fields("GET", path, more...))
			}
		}
	}
	bearer := "Bearer " + key
	many := max(16, slowClients/64)
	long := make([]string, 0, 30)
	for i := range 7 {
		long = append(long, fmt.Sprintf("x-%d", i), string(bytes.Repeat([]byte{'h'}, 3900)))
	}
	unended := func(m *multiplexed) {
		_ = m.WriteHeaders(http2.HeadersFrameParam{StreamID: m.last, BlockFragment: bytes.Repeat([]byte{0x82}, 1500)}) // GET, again and again
	}
	return map[string]attack{
		"bodies that do not come":         {many, false, nil, begin("/console/signin", 1000)},
		"giants that do not come":         {many, false, nil, begin("/api/v1/chat/completions", 32<<20, "authorization", bearer)},
		"short answers that are not read": {many, false, noRoom, ask("/healthz")},
		"pages that are not read":         {many, false, noRoom, ask("/console/signin")},
		"lists that are not read":         {many, false, noRoom, ask("/api/v1/models", "authorization", bearer)},
		"refusals that are not read":      {many, false, noRoom, ask("/api/v1/models")},
		"long heads":                      {many, false, noRoom, ask("/healthz", long...)},
		"long heads of slow bodies":       {many, false, nil, begin("/console/signin", 1000, long...)},
		"long frames": {slowClients / 16, true, nil, func(m *multiplexed) {
			_ = m.WriteRawFrame(http2.FrameType(0xbe), 0, 0, make([]byte, 1<<20-1))
		}},
		"heads that do not end": {slowClients / 5, false, nil, unended},
		"heads that do not end beside a body": {slowClients / 5, false, nil, func(m *multiplexed) {
			m.request(false, m.fields("POST", "/console/signin", "content-length", "1000"))
			unended(m)
		}},
		"pings": {slowClients / 20, true, nil, func(m *multiplexed) {
			m.flood(func() error { return m.WritePing(false, [8]byte{}) })
		}},
		"settings": {slowClients / 20, true, nil, func(m *multiplexed) {
			m.flood(func() error { return m.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 7}) })
		}},
		"heads that go on for ever": {16, false, nil, func(m *multiplexed) {
			_ = m.WriteHeaders(http2.HeadersFrameParam{StreamID: m.last, BlockFragment: m.fields("GET", "/")})
			piece := bytes.Repeat([]byte("\x00\x01a\x01b"), 3000)
			for range 2000 {
				if m.WriteContinuation(m.last, false, piece) != nil {
					return
				}
			}
		}},
		"requests that are taken back": {16, false, nil, func(m *multiplexed) {
			for end := time.Now().Add(heavyTime); time.Now().Before(end); {
				id := m.request(false, m.fields("POST", "/api/v1/chat/completions", "authorization", bearer, "content-length", "1000"))
				if m.WriteRSTStream(id, http2.ErrCodeCancel) != nil {
					return
				}
			}
		}},
		"trailers": {many, false, nil, func(m *multiplexed) {
			for range atOnce {
				id := m.request(false, m.fields("POST", "/api/v1/chat/completions", "trailer", "x-0"))
				m.last = id
				m.request(true, m.trailers(long))
			}
		}},
	}
}

func (m *multiplexed) trailers(list []string) []byte {
	m.head.Reset()
	for i := 0; i < len(list); i += 2 {
		_ = m.pack.WriteField(hpack.HeaderField{Name: list[i], Value: list[i+1]})
	}
	return m.head.Bytes()
}

// Many requests on few connections, and odd frames on many, take no more than as many
// connections would.
func TestMultiplexedRequestsTakeLittle(t *testing.T) { //nolint:paralleltest // besiege sees to that
	var all []attack
	for name, a := range multiplexedAttacks("") {
		all = append(all, attack{name, func(t *testing.T, s *siege) {
			do := multiplexedAttacks(s.bad.Key)[name].do
			s.under(t, func() { s.storm(t, a.conns, a.deaf, a.settings, do) })
		}})
	}
	onOne(t, besiegeSecure, all...)
}
