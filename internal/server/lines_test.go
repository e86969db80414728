package server

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestHeaderLinesAreInTheirOwnAnswerOnly asks again and again over one connection: with
// and without lines, for answers of all lengths, at once and in flushes, and with a body
// that is sent when it is told to.
func TestHeaderLinesAreInTheirOwnAnswerOnly(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		server := bareServer(t, standard, secure, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			size, _ := strconv.Atoi(r.FormValue("size"))
			if name := r.FormValue("name"); name != "" {
				room := w.(interface{ HeaderRoom() *[]byte }).HeaderRoom()
				if (room == nil) != secure {
					t.Errorf("takes lines: %v, over TLS: %v", room != nil, secure)
				}
				if room != nil {
					*room = append(*room, "X-One: "+name+"\r\nX-Two: 2\r\n"...)
				}
			}
			if r.FormValue("whole") != "" {
				w.Header().Set("Content-Length", r.FormValue("size"))
			} else {
				w.WriteHeader(http.StatusOK)
				_ = http.NewResponseController(w).Flush()
			}
			_, _ = w.Write(bytes.Repeat([]byte("x"), size))
		})
		client := server.Client()
		for _, size := range []int{0, 1, worthPacking, 5000, 3 * mostPacked} {
			for _, query := range []string{"name=a", "", "name=b&whole=1", "whole=1"} {
				path := fmt.Sprintf("%s?size=%d&%s", server.URL, size, query)
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader("body"))
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Expect", "100-continue")
				answer, err := client.Do(r)
				if err != nil {
					t.Fatalf("%s: %v", query, err)
				}
				body, err := io.ReadAll(answer.Body)
				_ = answer.Body.Close()
				want, two := r.FormValue("name"), ""
				if secure {
					want = ""
				}
				if want != "" {
					two = "2"
				}
				if h := answer.Header; err != nil || len(body) != size || h.Get("X-One") != want || h.Get("X-Two") != two || h.Get("Date") == "" {
					t.Errorf("size %d, %q, over TLS %v: %d bytes, %v, %v", size, query, secure, len(body), answer.Header, err)
				}
			}
		}
	}
}

// TestEveryAnswerHasItsIDAndDateOnce looks at answers as they are on the wire: empty, in one
// piece, in flushes, with a date of their own, broken by a panic, and one after the other.
func TestEveryAnswerHasItsIDAndDateOnce(t *testing.T) {
	t.Parallel()
	_, url, _, _ := start(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/console/nothing":
		case "/console/dated":
			w.Header().Set("Date", "Tue, 03 Nov 2026 10:00:00 GMT")
			w.WriteHeader(http.StatusTeapot)
		case "/console/flushed":
			_ = http.NewResponseController(w).Flush()
			_, _ = io.WriteString(w, "more")
		case "/console/panic":
			panic("on purpose")
		default:
			_, _ = io.WriteString(w, "HTTP/1.1 200 text")
		}
	})
	c := dialFrom(t, "127.0.0.1", strings.TrimPrefix(url, "http://"))
	in := bufio.NewReader(c)
	for range 2 {
		for path, want := range map[string]int{"nothing": 200, "dated": 418, "flushed": 200, "whole": 200, "panic": 500} {
			if _, err := fmt.Fprintf(c, "GET /console/%s HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\n\r\n", path); err != nil {
				t.Fatal(err)
			}
			answer, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			_, err = io.Copy(io.Discard, answer.Body)
			_ = answer.Body.Close()
			dates, ids := answer.Header["Date"], answer.Header["X-Request-Id"]
			if err != nil || answer.StatusCode != want || len(dates) != 1 || !slices.Equal(ids, []string{"mine"}) || (path == "dated") != strings.HasPrefix(dates[0], "Tue, 03 Nov") {
				t.Errorf("%s: %d %v, %v", path, answer.StatusCode, answer.Header, err)
			} else if _, err := http.ParseTime(dates[0]); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
}
