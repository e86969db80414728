package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"stele/test/rig"
)

const megabyte = 1 << 20

// memory is what Stele holds when it has just started, and a while after it was busy.
func memory(b *testing.B, all *figures) {
	b.Helper()
	var idle, after float64
	b.Setenv("STELE_TEST_BINARY", installed(b))
	for b.Loop() {
		s := newSpeed(b, false)
		s.load(b, s.ours(openAIPath, fmt.Sprintf(openAIBody, "")), 1, 1)
		idle = s.atRest(b)
		for _, scene := range scenes()[:2] {
			s.load(b, s.ours(scene.path, scene.ours), 5000, atOnce)
		}
		after = s.atRest(b)
	}
	all.add(b, idle, "MB-idle", 45)
	b.ReportMetric(after, "MB-after-load")
	all.lines = append(all.lines, fmt.Sprintf("%-18s %8.2f MB", "MemoryAfterLoad", after))
}

// installed is a copy of the binary, as an archive leaves it that is unpacked piece by piece: how a
// file came onto the disk decides how much of it the kernel maps at once, which no code reads.
// As the linker leaves it, that is 14 MB more.
func installed(b *testing.B) string {
	b.Helper()
	built, err := os.Open(os.Getenv("STELE_TEST_BINARY"))
	if err != nil {
		b.Fatal(err)
	}
	defer built.Close()
	copied, err := os.OpenFile(filepath.Join(b.TempDir(), "stele"), os.O_CREATE|os.O_WRONLY, 0o700)
	if err != nil {
		b.Fatal(err)
	}
	_, err = io.Copy(struct{ io.Writer }{copied}, struct{ io.Reader }{built}) // no shortcut of either
	if err := errors.Join(err, copied.Close()); err != nil {
		b.Fatal(err)
	}
	return copied.Name()
}

// atRest is what Stele holds after some seconds without requests, in megabytes.
func (s *speed) atRest(b *testing.B) float64 {
	b.Helper()
	time.Sleep(5 * time.Second)
	return float64(rig.Resident(b, s.stele.PID())) / megabyte
}

// memoryPerStream compares what an open stream holds.
func memoryPerStream(b *testing.B, all *figures) {
	b.Helper()
	body := fmt.Sprintf(openAIBody, streaming+`,"user":"hold"`)
	var ours, theirs int
	for b.Loop() {
		s := newSpeed(b, false) // what was freed before must not be counted as free
		theirs = s.perStream(b, s.theirs(body))
		ours = s.perStream(b, s.ours(openAIPath, body))
	}
	all.add(b, float64(ours)/float64(theirs), "ratio", 1.15)
	b.ReportMetric(float64(ours)/1024, "KB-stele")
	b.ReportMetric(float64(theirs)/1024, "KB-proxy")
}

// perStream is what one of a thousand open streams adds to a process's resident memory.
func (s *speed) perStream(b *testing.B, of side) int {
	b.Helper()
	const streams = 1000
	before := rig.Resident(b, of.pid)
	var open []io.Closer
	for range streams {
		answer := s.ask(b, of)
		if answer == nil {
			b.FailNow()
		}
		var one [1]byte
		if _, err := io.ReadFull(answer.Body, one[:]); err != nil {
			b.Fatal(err)
		}
		open = append(open, answer.Body)
	}
	after := rig.Resident(b, of.pid)
	for _, c := range open {
		_ = c.Close()
	}
	return max(after-before, 1) / streams
}
