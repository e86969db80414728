package attack

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"image"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// together does something n times at once.
func together(n int, do func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

// What many do at once. Those who guess come last: they are slowed down afterwards.
func TestCrowds(t *testing.T) { //nolint:paralleltest // besiege sees to that
	onOneHouse(t,
		attack{"long heads take little", longHeadsTakeLittle},
		attack{"heavy bodies at once hold up nobody", heavyBodiesAtOnceHoldUpNobody},
		attack{"packed bodies are bounded", packedBodiesAreBounded},
		attack{"odd forms of files are refused", oddFormsOfFilesAreRefused},
		attack{"uploads at once take little", uploadsAtOnceTakeLittle},
		attack{"many ranges are not many answers", manyRangesAreNotManyAnswers},
		attack{"guessed passwords take little", guessedPasswordsTakeLittle},
	)
}

// Heads that grow and never end take little, however many there are.
func longHeadsTakeLittle(t *testing.T, s *siege) {
	one, many := strings.Repeat("h", 30<<10), strings.Repeat("a: b\r\n", 5_000)
	s.under(t, func() {
		var open sync.Map
		together(8, func(worker int) {
			for i := range slowClients / 8 {
				text := one
				if i%2 == 0 {
					text = many
				}
				if c := s.dial(t, "GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: "+text); c != nil {
					open.Store(c, true)
				}
			}
		})
		s.neighbour.wait(t)
		open.Range(func(c, _ any) bool { return c.(io.Closer).Close() == nil })
	})
}

// Strangers who guess passwords take neither the memory nor the processors.
func guessedPasswordsTakeLittle(t *testing.T, s *siege) {
	s.under(t, func() {
		together(100, func(i int) {
			for n := range 5 {
				form := url.Values{"email": {fmt.Sprintf("someone%d-%d@example.com", i, n)}, "password": {strings.Repeat("wrong", 200)}}
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/console/signin", strings.NewReader(form.Encode()))
				if err != nil {
					return
				}
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				if a, err := s.Send(r); err == nil && a.Status >= 500 && a.Status != http.StatusServiceUnavailable {
					t.Errorf("a guess: %d", a.Status)
				}
			}
		})
	})
}

// Many bodies at once that take long to understand leave others their processors.
func heavyBodiesAtOnceHoldUpNobody(t *testing.T, s *siege) {
	var bodies []string
	for _, body := range heavy() {
		if len(body) > 500<<10 {
			bodies = append(bodies, body)
		}
	}
	s.under(t, func() {
		end := time.Now().Add(heavyTime)
		together(16, func(i int) {
			for n := 0; n == 0 || time.Now().Before(end); n++ {
				s.chat(t, bodies[(i+n)%len(bodies)])
			}
		})
	})
}

// packed is n bytes as gzip, in a thousandth of them: a megabyte is packed once and said again and again.
func packed(n int) []byte {
	member := func(text string) []byte {
		var b bytes.Buffer
		w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
		_, _ = io.WriteString(w, text)
		_ = w.Close()
		return b.Bytes()
	}
	return slices.Concat(member(`{"model":"stele/sandbox","messages":[{"role":"user","content":"`),
		bytes.Repeat(member(strings.Repeat("x", 1<<20)), n>>20), member(`"}]}`))
}

// A packed body is not unpacked beyond the bounds of a plain one.
func packedBodiesAreBounded(t *testing.T, s *siege) {
	bomb := packed(1 << 30)
	s.under(t, func() {
		for n, route := range routes(t) {
			if route.method != http.MethodPost {
				continue
			}
			for i, coding := range []string{"gzip", "x-gzip", "gzip, gzip", "deflate", "br", "zstd", "identity", "GZIP"} {
				if (n+i)%inTurn != 0 {
					continue
				}
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+route.path("x"), bytes.NewReader(bomb))
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Authorization", "Bearer "+s.bad.Key)
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Content-Encoding", coding)
				if a, err := s.Send(r); err == nil && a.Status >= 500 && a.Status != http.StatusServiceUnavailable {
					t.Errorf("%s to %s: %d %.200s", coding, route.pattern, a.Status, a.Body)
				}
			}
		}
	})
}

// Forms with very many or very odd parts are refused.
func oddFormsOfFilesAreRefused(t *testing.T, s *siege) {
	part := func(head, body string) string { return "--b\r\n" + head + "\r\n\r\n" + body + "\r\n" }
	field := `Content-Disposition: form-data; name="x"`
	forms := map[string]string{
		"many fields":     strings.Repeat(part(field, "1"), 200_000),
		"long heads":      strings.Repeat(part(field+"\r\nX-A: "+strings.Repeat("h", 100<<10), "1"), 50),
		"many heads":      part(field+strings.Repeat("\r\nX-A: b", 100_000), "1"),
		"a long name":     part(`Content-Disposition: form-data; name="file"; filename="`+strings.Repeat("n", 2<<20)+`"`, "1"),
		"a long field":    part(field, strings.Repeat("v", 20<<20)),
		"boundaries":      strings.Repeat("--b\r\n", 1_000_000),
		"nearly the end":  part(field, strings.Repeat("\r\n--", 1_000_000)),
		"nested":          part(`Content-Disposition: form-data; name="file"; filename="x"`+"\r\nContent-Type: multipart/mixed; boundary=b", strings.Repeat("--b\r\n\r\n", 10_000)),
		"quoted":          part(`Content-Disposition: form-data; name="file"; filename="`+strings.Repeat(`\"`, 20_000)+`"`, "1"),
		"continued names": part(`Content-Disposition: form-data; name=file`+continued(5000), "1"),
	}
	s.under(t, func() {
		for name, form := range forms {
			for _, path := range []string{"/api/v1/files", "/console/playground/files", "/console/studio/files"} {
				before, send := s.processor(t), s.send
				if strings.HasPrefix(path, "/console") {
					send = s.post
				}
				a := send(t, path, "multipart/form-data; boundary=b", strings.NewReader(form+"--b--\r\n"))
				if took := s.processor(t) - before; a.Status >= 500 || took > 5*time.Second {
					t.Errorf("%s to %s: %d, %s of processor: %.200s", name, path, a.Status, took, a.Body)
				}
			}
		}
	})
}

// continued is a file name in many pieces, as RFC 2231 lets it be.
func continued(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "; filename*%d=a", i)
	}
	return b.String()
}

// Very many uploads at once draw on the bad tenant's memory and disk only.
func uploadsAtOnceTakeLittle(t *testing.T, s *siege) {
	s.under(t, func() {
		together(uploads, func(i int) {
			body, w := io.Pipe()
			form := multipart.NewWriter(w)
			go func() {
				_ = form.WriteField("purpose", "user_data")
				part, err := form.CreateFormFile("file", fmt.Sprint(i, ".txt"))
				if err == nil {
					_, _ = io.Copy(part, io.LimitReader(endless{}, 25<<20))
				}
				_ = form.Close()
				_ = w.Close()
			}()
			if a := s.send(t, "/api/v1/files", form.FormDataContentType(), body); a.Status >= 500 && a.Status != http.StatusServiceUnavailable {
				t.Errorf("an upload: %d %.200s", a.Status, a.Body)
			}
			_ = body.Close()
		})
	})
}

var address = regexp.MustCompile(`"url":"([^"]+)"`)

// A range may be asked for, and a thousand of them are not a thousand answers.
func manyRangesAreNotManyAnswers(t *testing.T, s *siege) {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, _ := w.CreateFormFile("file", "x.png")
	_, _ = part.Write(plainPNG(t, 1500))
	_ = w.Close()
	a := s.send(t, "/api/v1/files", w.FormDataContentType(), &form)
	found := address.FindStringSubmatch(a.Body)
	if found == nil {
		t.Fatalf("upload: %d %.300s", a.Status, a.Body)
	}
	at := strings.ReplaceAll(found[1], `\u0026`, "&")
	if strings.HasPrefix(at, "/") {
		at = s.URL + at
	}
	ranges := map[string]string{
		"many":      "bytes=" + strings.TrimSuffix(strings.Repeat("0-,", 10_000), ","),
		"tiny":      "bytes=" + strings.TrimSuffix(strings.Repeat("0-0,", 10_000), ","),
		"backwards": "bytes=" + strings.TrimSuffix(strings.Repeat("-1,", 10_000), ","),
		"large":     "bytes=0-99999999999999999999",
		"twice":     "bytes=0-,0-,0-,0-,0-",
	}
	s.under(t, func() {
		for name, value := range ranges {
			for range sameRanges {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at, http.NoBody)
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Range", value)
				a, err := s.Send(r)
				if err == nil && (a.Status >= 500 || len(a.Body) > 12<<20) {
					t.Errorf("%s: %d, %d bytes", name, a.Status, len(a.Body))
				}
			}
		}
	})
}

// One key's waits for a generation do not take the place of others'.
func TestAKeyHasABoundedNumberOfWaits(t *testing.T) { //nolint:paralleltest // besiege sees to that
	s := besiege(t, "")
	a := s.Post(t, "/api/v1/generations", s.bad.Key, `{"model":"stele/sandbox-image","prompt":"x [[sandbox: hang]]"}`)
	id := generationID.FindString(a.Body)
	s.under(t, func() {
		ctx, stop := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for i := range 2 * silentStreams {
			all.Go(func() {
				r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/api/v1/generations/"+id+"?wait=60", http.NoBody)
				if err != nil {
					return
				}
				r.Header.Set("Authorization", "Bearer "+s.bad.Key)
				if i%2 == 0 {
					r.Header.Set("Accept", "text/event-stream")
				}
				_, _ = s.Send(r) // until all have been there
			})
		}
		s.neighbour.wait(t)
		stop()
		all.Wait()
	})
	s.Kill(t)
}

func plainPNG(t *testing.T, side int) []byte {
	t.Helper()
	var b bytes.Buffer
	m := image.NewRGBA(image.Rect(0, 0, side, side))
	for i := range m.Pix {
		m.Pix[i] = byte(i * i >> 3)
	}
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
