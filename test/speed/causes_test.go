package main

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// causes are what processor time goes to. A sample of a profile is of the first one that a
// function of its stack belongs to: what is the record's own, with the memory it takes, then
// memory and the scheduler, then the side of the wire.
var causes = []struct {
	name      string
	functions *regexp.Regexp
}{
	{"usage rows, in batches", regexp.MustCompile(`^stele/internal/store\.(\(\*batcher|\(\*Store\)\.(insertRecords|saveTogether|saveGroup))`)},
	{"the database besides, four times a second", regexp.MustCompile(`^(modernc\.org/|database/sql\.|stele/internal/store\.\(\*Store\))`)},
	{"the journal", regexp.MustCompile(`^stele/internal/store\.\(\*(Journal|page)\)`)},
	{"the log line and the metrics", regexp.MustCompile(`^(stele/internal/telemetry\.|stele/internal/server\.\(\*Server\)\.finish|log/slog\.)`)},
	{"memory: collecting", regexp.MustCompile(`^runtime\.(gcBgMarkWorker|gcAssistAlloc|bgsweep|bgscavenge|gcStart|gcMarkDone|deductSweepCredit|deductAssistCredit)`)},
	{"memory: allocating", regexp.MustCompile(`^runtime\.(mallocgc|newobject|growslice|makeslice|rawbyteslice|rawstring)`)},
	{"goroutines: parking and waking", regexp.MustCompile(`^runtime\.(mcall|mstart|schedule|park_m|findRunnable|goready|ready|wakep|startm|newproc|netpoll|gopark|chansend|chanrecv|selectgo|semrelease|semacquire|morestack|goexit0|sysmon)`)},
	{"contexts, timers and deadlines", regexp.MustCompile(`^(context\.|time\.|net\.\(\*conn\)\.Set\w*Deadline|internal/poll\.setDeadlineImpl|runtime\.\(\*timers?\)|stele/internal/access\.\(\*?(hold|holds|Service)\)\.(Hold|release))`)},
	{"the upstream's side", regexp.MustCompile(`^(stele/internal/guard\.|net/http\.\(\*(Transport|persistConn|transportRequest|bodyEOFSignal|http2\w*)\)|net/http\.http2|net/http/internal/http2|golang\.org/x/net/http2|crypto/tls\.)`)},
	{"the client's side", regexp.MustCompile(`^(net/http\.(readRequest|checkConnErrorWriter|\(\*(connReader|response|chunkWriter|body)\)|\(\*conn\)\.readRequest)|stele/internal/server\.\(\*(conn|exchange|heads|crowd)\)|stele/internal/api\.family\.write|stele/internal/wire\.\(\*Writer\))`)},
	{"bodies: reading, checking, counting, translating", regexp.MustCompile(`^stele/internal/(dialect|jsonscan|chat|wire)\b|^stele/internal/(memory\.\(\*(Lease|body)\)|provider\.(readAll|take|\(\*(Chat|source)\)\.(readWhole|understand|skim|frame)))|^net/http/httputil\.\(\*ReverseProxy\)\.copy`)},
	{"the handler between them", regexp.MustCompile(`^net/http\.\(\*conn\)\.serve$`)},
	{"a server at rest, and what is left", regexp.MustCompile(``)},
}

// causeOf is the cause that a stack belongs to.
func causeOf(stack []string) int {
	for i, cause := range causes {
		for _, function := range stack {
			if cause.functions.MatchString(function) {
				return i
			}
		}
	}
	return len(causes) - 1
}

// shares are the parts of a profile that each cause has, as `go tool pprof -traces` writes it.
func shares(traces io.Reader) ([]float64, error) {
	sums, all := make([]float64, len(causes)), 0.0
	var stack []string
	var took time.Duration
	end := func() {
		if took > 0 {
			sums[causeOf(stack)] += took.Seconds()
			all += took.Seconds()
		}
		stack, took = stack[:0], 0
	}
	lines := bufio.NewScanner(traces)
	begun := false
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "-----") {
			begun = true
			end()
			continue
		}
		fields := strings.Fields(line)
		if !begun || len(fields) == 0 {
			continue
		}
		if len(stack) == 0 {
			first, err := time.ParseDuration(fields[0])
			if err != nil || len(fields) < 2 {
				return nil, fmt.Errorf("no sample: %q", line)
			}
			took, fields = first, fields[1:]
		}
		stack = append(stack, fields[0])
	}
	end()
	if all == 0 {
		return nil, fmt.Errorf("no samples: %w", io.ErrUnexpectedEOF)
	}
	for i := range sums {
		sums[i] /= all
	}
	return sums, lines.Err()
}

// sharesOf are those of a profile that was written to a file.
func sharesOf(b *testing.B, file string) []float64 {
	b.Helper()
	text, err := exec.Command("go", "tool", "pprof", "-traces", file).Output()
	if err != nil {
		b.Fatal(err)
	}
	list, err := shares(strings.NewReader(string(text)))
	if err != nil {
		b.Fatalf("%s: %v", file, err)
	}
	return list
}

// explain adds what a request's microseconds go to on both sides, if there are profiles.
func (f *figures) explain(b *testing.B, folder, scene string, all rounds, size int) {
	b.Helper()
	if folder == "" {
		return
	}
	file := scene + ".cpu.pprof"
	theirs, ours := sharesOf(b, filepath.Join(folder, proxyServer, file)), sharesOf(b, filepath.Join(folder, plainServer, file))
	const row = "  %-48s %7.1f %7.1f"
	ofTheirs, ofOurs := all.each(0, size), all.each(1, size)
	f.lines = append(f.lines, "  µs of a request"+strings.Repeat(" ", 35)+"  proxy   Stele")
	for i, cause := range causes {
		f.lines = append(f.lines, fmt.Sprintf(row, cause.name, theirs[i]*ofTheirs, ours[i]*ofOurs))
	}
	f.lines = append(f.lines, fmt.Sprintf(row, "all", ofTheirs, ofOurs), "")
}

func TestAProfileIsSortedByCause(t *testing.T) {
	t.Parallel()
	const traces = `File: stele
Duration: 1s, Total samples = 80ms
-----------+-------------------------------------------------------
      10ms   runtime.mallocgc
             runtime.newobject (inline)
             stele/internal/store.(*Store).insertRecords
             stele/internal/store.(*Journal).Run
-----------+-------------------------------------------------------
      20ms   runtime.nextFreeFast (inline)
             runtime.mallocgc
             stele/internal/relay.(*Relay).begin
             net/http.(*conn).serve
-----------+-------------------------------------------------------
      40ms   internal/runtime/syscall/linux.Syscall6
             stele/internal/guard.(*line).Read
             stele/internal/provider.readAll
             net/http.(*conn).serve
-----------+-------------------------------------------------------
      10ms   stele/internal/revision.(*Follower).look
`
	got, err := shares(strings.NewReader(traces))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{
		"usage rows, in batches": 0.125, "memory: allocating": 0.25, "the upstream's side": 0.5, "a server at rest, and what is left": 0.125,
	}
	for i, cause := range causes {
		if got[i] != want[cause.name] {
			t.Errorf("%s: %v, want %v", cause.name, got[i], want[cause.name])
		}
	}
	for _, none := range []string{"", "-----\n", "-----\n   much   main.main\n"} {
		if _, err := shares(strings.NewReader(none)); err == nil {
			t.Errorf("%q is no profile, and was read", none)
		}
	}
}
