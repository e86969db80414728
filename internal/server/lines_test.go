package server

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
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
				head := w.(interface {
					HeaderRoom() *[]byte
					HeaderLines(room *[]byte)
				})
				room := head.HeaderRoom()
				if (room == nil) != secure {
					t.Errorf("takes lines: %v, over TLS: %v", room != nil, secure)
				}
				if room != nil {
					*room = append(*room, "X-One: "+name+"\r\nX-Two: 2\r\n"...)
					head.HeaderLines(room)
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
