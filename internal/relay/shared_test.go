package relay

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"stele/internal/chat"
	"stele/internal/seal"
)

// table is rows in memory.
type table struct {
	mu      sync.Mutex // guards all below
	rows    map[[2]string]Row
	writes  int
	asked   [][]string
	trimmed int

	broken func(ctx context.Context) error // nil: it works
}

func (b *table) KeepTurns(ctx context.Context, rows []Row) error {
	if b.broken != nil {
		if err := b.broken(ctx); err != nil {
			return err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rows == nil {
		b.rows = make(map[[2]string]Row)
	}
	for _, r := range rows {
		b.rows[[2]string{r.Workspace, r.Key}] = r
	}
	b.writes++
	return nil
}

func (b *table) KeptTurns(ctx context.Context, workspace string, keys []string, since time.Time, _ int64) (list []Row, err error) {
	if b.broken != nil {
		if err := b.broken(ctx); err != nil {
			return nil, err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked = append(b.asked, keys)
	for _, key := range keys {
		if r := b.rows[[2]string{workspace, b.rows[[2]string{workspace, key}].Turn}]; len(r.Sealed) > 0 && !r.At.Before(since) {
			list = append(list, r)
		}
	}
	return list, nil
}

func (b *table) TrimTurns(context.Context, string, int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trimmed++
	return nil
}

func (*table) DeleteTurnsBefore(context.Context, time.Time) (int64, error) { return 0, nil }

// servers are the vaults of servers on one database, and what they log. A bubble of synctest
// takes them from outside: their caches clean up for ever.
func servers(rows Rows, n int) (all []*Vault, log *bytes.Buffer) {
	log = new(bytes.Buffer)
	logger, box := slog.New(slog.NewTextHandler(log, nil)), seal.NewRing().Box(VaultBox)
	for range n {
		all = append(all, NewSharedVault(rows, box, logger))
	}
	return all, log
}

func TestATurnComesBackAtAnotherServer(t *testing.T) {
	t.Parallel()
	rows := new(table)
	v, log := servers(rows, 3)
	whole := []chat.Part{thought, secret, words("I call"), calling("a", "first"), calling("b", "")}
	v[0].keep(t.Context(), "w", here, whole).wait()
	lost := loop(words("I call"), calling("a", ""), calling("b", ""))
	for i, one := range v {
		for range 2 {
			if got := tell(restored(t, one, "w", lost).Messages[1].Parts); got != tell(whole) {
				t.Errorf("at server %d: %q, want %q", i, got, tell(whole))
			}
		}
	}
	if len(rows.asked) != 2 || len(rows.asked[0]) != 2 {
		t.Errorf("asked for %q, want all ids at once, and once by each server that had none", rows.asked)
	}
	fresh, _ := servers(rows, 1)
	if restored(t, fresh[0], "w", lost) != lost {
		t.Error("a vault with another key opens it")
	}
	if got := held(t, v[2], "w", loop(calling("b", ""))); got == nil || *got != here {
		t.Errorf("served at %v", got)
	}
	if restored(t, v[1], "other", lost) != lost {
		t.Error("another workspace was given the thoughts")
	}
	if log.Len() > 0 {
		t.Error(log)
	}
}

func TestARowIsGoodInItsPlaceOnly(t *testing.T) {
	t.Parallel()
	rows := new(table)
	v, log := servers(rows, 2)
	v[0].keep(t.Context(), "w", here, []chat.Part{thought, calling("a", "first")}).wait()
	for _, r := range maps.Clone(rows.rows) {
		if bytes.Contains(r.Sealed, []byte("signed")) || strings.Contains(r.Key, "a ") {
			t.Errorf("it can be read: %q", r.Sealed)
		}
		r.Workspace, r.Key = "other", rowKey("other", callKey("a"))
		r.Turn = r.Key
		rows.rows[[2]string{r.Workspace, r.Key}] = r
	}
	if talk := loop(calling("a", "")); restored(t, v[1], "other", talk) != talk {
		t.Error("a row of another workspace opens")
	}
	if !strings.Contains(log.String(), "not opened") {
		t.Errorf("the log says %q", log)
	}
}

func TestOnlyWhatIsSignedIsWritten(t *testing.T) {
	t.Parallel()
	rows := new(table)
	v, _ := servers(rows, 2)
	v[0].keep(t.Context(), "w", here, []chat.Part{{Kind: chat.Thought, Text: "hm"}, words("I call"), calling("a", "")}).wait()
	v[0].keep(t.Context(), "w", here, []chat.Part{thought, words("no call")}).wait()
	if rows.writes != 0 {
		t.Errorf("%d were written", rows.writes)
	}
	restored(t, v[1], "w", &chat.Conversation{Messages: []chat.Message{{Role: chat.User, Parts: []chat.Part{words("hi")}}, {Role: chat.Assistant, Parts: []chat.Part{words("hi")}}}})
	restored(t, v[0], "w", loop(calling("a", "")))
	if len(rows.asked) != 0 {
		t.Errorf("asked for %q", rows.asked)
	}
}

// signing is a turn with a thought, some calls and a text that is signed late.
func signing(calls ...string) []chat.Event {
	events := []chat.Event{
		{Kind: chat.Start, Turn: "t1"},
		{Kind: chat.Open, Part: chat.Part{Kind: chat.Thought}},
		{Kind: chat.Delta, Part: chat.Part{Kind: chat.Thought, Text: "hm", Proof: "signed"}},
		{Kind: chat.Close, Part: chat.Part{Kind: chat.Thought}},
		{Kind: chat.Open, Part: chat.Part{Kind: chat.Text}},
		{Kind: chat.Delta, Part: chat.Part{Kind: chat.Text, Text: "I call"}},
		{Kind: chat.Delta, Part: chat.Part{Kind: chat.Text, Proof: "late"}},
		{Kind: chat.Close, Part: chat.Part{Kind: chat.Text}},
	}
	for _, id := range calls {
		events = append(events, chat.Event{Kind: chat.Open, Part: chat.Part{Kind: chat.ToolCall, ID: id, Name: "f"}},
			chat.Event{Kind: chat.Close, Part: chat.Part{Kind: chat.ToolCall}})
	}
	return append(events, chat.Event{Kind: chat.Finish})
}

func streaming(events []chat.Event) chat.Stream {
	return func(yield func(chat.Chunk, error) bool) {
		for chunk := range slices.Chunk(events, 1) {
			if !yield(chat.Chunk{Events: chunk}, nil) {
				return
			}
		}
	}
}

func TestTheEndOfATurnIsToldWhenItIsKept(t *testing.T) {
	t.Parallel()
	for calls, writes := range map[string]int{"": 1, "a": 2, "a b c": 3} { // one of them of the late text
		rows := new(table)
		v, _ := servers(rows, 2)
		ids := strings.Fields(calls)
		for chunk := range (&listening{vault: v[0], workspace: "w", target: here, marks: true}).listen(t.Context(), streaming(signing(ids...))) {
			if chunk.Events[0].Kind == chat.Finish && rows.writes != writes {
				t.Errorf("%q: %d writes at the end, want %d", calls, rows.writes, writes)
			}
		}
		parts := []chat.Part{{Kind: chat.Thought, ID: "t1"}, words("I call")}
		want := []chat.Part{thought, {Kind: chat.Text, Text: "I call", Proof: "late"}}
		for _, id := range ids {
			parts, want = append(parts, calling(id, "")), append(want, calling(id, ""))
		}
		if len(ids) == 0 { // whose thoughts no client wants back
			want[0] = chat.Part{Kind: chat.Thought, ID: "t1"}
		}
		if got := tell(restored(t, v[1], "w", loop(parts...)).Messages[1].Parts); got != tell(want) {
			t.Errorf("%q: %q, want %q", calls, got, tell(want))
		}
	}
}

func TestNoNameOfATurnIsKeptForAClientThatDoesNotBringIt(t *testing.T) {
	t.Parallel()
	rows := new(table)
	v, _ := servers(rows, 1)
	for range (&listening{vault: v[0], workspace: "w", target: here}).listen(t.Context(), streaming(signing())) { //nolint:revive // to its end
	}
	if rows.writes != 0 || v[0].turns.EstimatedSize() != 0 {
		t.Errorf("%d writes, %d turns", rows.writes, v[0].turns.EstimatedSize())
	}
}

func TestAnAnswerGoesOutWithoutTheDatabase(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]func(context.Context) error{
		"refuses": func(context.Context) error { return errors.New("connection refused") },
		"hangs": func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows := &table{broken: broken}
			v, log := servers(rows, 2)
			synctest.Test(t, func(t *testing.T) {
				took := func(do func()) time.Duration {
					began := time.Now()
					do()
					synctest.Wait()
					return time.Since(began)
				}
				keep := func() { v[0].keep(t.Context(), "w", here, []chat.Part{thought, calling("a", "first")}).wait() }
				if first, second := took(keep), took(keep); first > patience || second > impatience {
					t.Errorf("the answers were held up for %s and %s", first, second)
				}
				lost := loop(calling("a", ""))
				if restored(t, v[0], "w", lost) == lost {
					t.Error("this server has forgotten the turn")
				}
				read := func() { restored(t, v[1], "w", lost) }
				if first, second := took(read), took(read); first > patience || second > impatience {
					t.Errorf("the requests were held up for %s and %s", first, second)
				}
				for _, said := range []string{"thoughts of a turn are known to this server only", "thoughts of earlier turns not read"} {
					if !strings.Contains(log.String(), said) {
						t.Errorf("the log does not say %q: %s", said, log)
					}
				}
				rows.broken = nil
				keep()
				if restored(t, v[1], "w", lost) == lost || v[0].away.Load() || v[1].away.Load() || v[0].pending.Load() != 0 {
					t.Error("it did not heal")
				}
			})
		})
	}
}

func TestADatabaseMayBeAwayForAMoment(t *testing.T) {
	t.Parallel()
	rows := new(table)
	v, log := servers(rows, 1)
	synctest.Test(t, func(t *testing.T) {
		back := time.Now().Add(patience / 2)
		rows.broken = func(context.Context) error {
			if time.Now().Before(back) {
				return errors.New("connection refused")
			}
			return nil
		}
		v[0].keep(t.Context(), "w", here, []chat.Part{thought, calling("a", "first")}).wait()
		if rows.writes != 1 || log.Len() > 0 {
			t.Errorf("%d writes: %s", rows.writes, log)
		}
	})
}

func TestTheRowsOfAWorkspaceAreBounded(t *testing.T) {
	t.Parallel()
	rows := new(table)
	v, log := servers(rows, 1)
	synctest.Test(t, func(t *testing.T) {
		big := chat.Part{Kind: chat.Thought, Text: strings.Repeat("a", mostOfTurn), Proof: "signed"}
		v[0].keep(t.Context(), "w", here, []chat.Part{big, calling("a", "")}).wait()
		if rows.writes != 0 || !strings.Contains(log.String(), "too long") {
			t.Errorf("a turn of %d bytes was written: %s", mostOfTurn, log)
		}
		big.Text = big.Text[:mostOfTurn-1000]
		for i := range 2 * mostOfWorkspace / 16 / mostOfTurn {
			v[0].keep(t.Context(), "w", here, []chat.Part{big, calling(strconv.Itoa(i), "")}).wait()
		}
		synctest.Wait()
		if rows.trimmed != 1 {
			t.Errorf("it was trimmed %d times", rows.trimmed)
		}
		rows.broken = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		log.Reset()
		for i := range 2 * mostPending / mostOfTurn {
			v[0].keep(t.Context(), "w", here, []chat.Part{big, calling("p"+strconv.Itoa(i), "")})
		}
		if n := v[0].pending.Load(); n > mostPending {
			t.Errorf("%d bytes wait", n)
		}
		time.Sleep(2 * patience) // of the bubble
		synctest.Wait()
		if n := v[0].pending.Load(); n != 0 || !strings.Contains(log.String(), "does not keep up") {
			t.Errorf("%d bytes wait for ever: %s", n, log)
		}
	})
}
