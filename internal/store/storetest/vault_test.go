package storetest

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/internal/relay"
)

// runVault runs the suite of the vault's rows. Each call of open gives an empty store
// and closes it with the test.
func runVault(t *testing.T, open func(t *testing.T) relay.Rows) {
	t.Helper()
	for name, run := range map[string]func(*testing.T, relay.Rows){
		"TurnsAreFoundByAnyOfTheirKeys": turnsFound,
		"TurnsAreReplaced":              turnsReplaced,
		"TurnsAreBounded":               turnsBounded,
		"TurnsOfManyAtOnceAreKept":      turnsAtOnce,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, open(t))
		})
	}
}

// turn is the rows of a turn that says something and is known by some keys.
func turn(says string, at time.Time, keys ...string) []relay.Row {
	var rows []relay.Row
	for i, key := range keys {
		rows = append(rows, relay.Row{Workspace: "w", Key: key, Turn: keys[0], At: at})
		if i == 0 {
			rows[0].Sealed = []byte(says)
		}
	}
	return rows
}

// read is what turns of keys say, the newest first.
func read(t *testing.T, s relay.Rows, most int64, keys ...string) string {
	t.Helper()
	rows, err := s.KeptTurns(t.Context(), "w", keys, noon.Add(-time.Hour), most)
	must(t, err)
	var all []string
	for _, r := range rows {
		if r.Workspace != "w" || r.Key != r.Turn || r.At.IsZero() {
			t.Errorf("%+v", r)
		}
		all = append(all, string(r.Sealed))
	}
	return strings.Join(all, " ")
}

func expect(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

const plenty = 1 << 20

func turnsFound(t *testing.T, s relay.Rows) {
	must(t, s.KeepTurns(t.Context(), turn("one\x00\xff", noon, "a", "b")))
	must(t, s.KeepTurns(t.Context(), turn("two", noon.Add(time.Second), "c")))
	must(t, s.KeepTurns(t.Context(), turn("old", noon.Add(-2*time.Hour), "d")))
	other := turn("another", noon, "e")
	other[0].Workspace = "v"
	must(t, s.KeepTurns(t.Context(), other))
	for keys, want := range map[string]string{"a": "one\x00\xff", "b": "one\x00\xff", "a b": "one\x00\xff", "b c": "two one\x00\xff", "d": "", "e": "", "x": "", "": ""} {
		expect(t, keys, read(t, s, plenty, strings.Fields(keys)...), want)
	}
	n, err := s.DeleteTurnsBefore(t.Context(), noon.Add(time.Second))
	if must(t, err); n != 4 {
		t.Errorf("%d are forgotten", n)
	}
	expect(t, "what is left", read(t, s, plenty, "a", "b", "c"), "two")
}

func turnsReplaced(t *testing.T, s relay.Rows) {
	must(t, s.KeepTurns(t.Context(), turn("half", noon, "b")))
	must(t, s.KeepTurns(t.Context(), turn("whole", noon, "a", "b")))
	expect(t, "both", read(t, s, plenty, "a", "b"), "whole")
	expect(t, "the second", read(t, s, plenty, "b"), "whole")
	// Another turn has the name of the one that says it: what only led there leads nowhere.
	must(t, s.KeepTurns(t.Context(), turn("other", noon, "0", "a")))
	expect(t, "the first", read(t, s, plenty, "a"), "other")
	expect(t, "the second of before", read(t, s, plenty, "b"), "")
}

func turnsBounded(t *testing.T, s relay.Rows) {
	var keys []string
	for i := range 10 {
		keys = append(keys, fmt.Sprintf("k%d", i))
		must(t, s.KeepTurns(t.Context(), turn(strings.Repeat("x", 1000)+keys[i], noon.Add(time.Duration(i)*time.Second), keys[i])))
	}
	count := func(most int64) int { return len(strings.Fields(read(t, s, most, keys...))) }
	if n := count(3500); n != 3 || !strings.HasSuffix(strings.Fields(read(t, s, 3500, keys...))[0], "k9") {
		t.Errorf("%d are read within bounds", n)
	}
	must(t, s.TrimTurns(t.Context(), "v", 0))
	if n := count(plenty); n != 10 {
		t.Errorf("%d are left when another workspace is trimmed", n)
	}
	must(t, s.TrimTurns(t.Context(), "w", 5500))
	expect(t, "the oldest", read(t, s, plenty, "k0"), "")
	if n := count(plenty); n != 5 {
		t.Errorf("%d are left", n)
	}
}

func turnsAtOnce(t *testing.T, s relay.Rows) {
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			// Every second one is known by a key that others have, too.
			if err := s.KeepTurns(t.Context(), turn(fmt.Sprint(i), noon, fmt.Sprintf("k%d", i), fmt.Sprintf("shared%d", i%2))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i := range 200 {
		expect(t, fmt.Sprint(i), read(t, s, plenty, fmt.Sprintf("k%d", i)), fmt.Sprint(i))
	}
	if read(t, s, plenty, "shared0") == "" {
		t.Error("what many are known by leads nowhere")
	}
}
