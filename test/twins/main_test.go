// Package twins sends chats with an Idempotency-Key from outside: twins get the same bytes from
// one call of the upstream, a cut stream is taken up where it was, and a killed server asks
// for nothing a second time.
package twins

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"stele/test/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

// engines runs a test on a house of each engine.
func engines(t *testing.T, settings string, test func(t *testing.T, r *rig.Front)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		r, config := rig.PrepareFront(t, settings, "")
		r.Open(t, config)
		test(t, r)
	})
	t.Run("postgresql", func(t *testing.T) {
		t.Parallel()
		url := rig.NewDatabase(t)
		r, config := rig.PrepareFront(t, settings, "")
		r.Open(t, config, "--database-url", url)
		test(t, r)
	})
}

// keyed is a wish with a key, which goes on after an event where that is not 0.
func keyed(w rig.Wish, key string, after int) rig.Wish {
	w.Header = w.Header.Clone()
	w.Header.Set("Idempotency-Key", key)
	if after > 0 {
		w.Header.Set("Last-Event-ID", strconv.Itoa(after))
	}
	return w
}

// begin reads so many events of an answer, as their bytes, and hangs up. It returns early
// where the answer ends before.
func begin(t *testing.T, r *rig.Front, w rig.Wish, events int) (read string, ended bool) {
	t.Helper()
	answer, err := r.Client.Do(r.RequestFor(t, w))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(answer.Body)
		t.Fatalf("%d %s", answer.StatusCode, body)
	}
	return readEvents(bufio.NewReader(answer.Body), events)
}

// readEvents reads whole events.
func readEvents(lines *bufio.Reader, events int) (read string, ended bool) {
	var all, event strings.Builder
	for events > 0 {
		line, err := lines.ReadString('\n')
		if err != nil {
			return all.String(), true
		}
		event.WriteString(line)
		if strings.TrimRight(line, "\r\n") == "" {
			all.WriteString(event.String())
			event.Reset()
			events--
		}
	}
	return all.String(), false
}

// count is how many events there are in a stream.
func count(body string) int {
	return strings.Count(strings.ReplaceAll(body, "\r\n", "\n"), "\n\n")
}
