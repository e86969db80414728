package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// TestWhatFailsInAGroupFailsAlone has many change the database at once, some of
// them in vain: each sees what became of its own.
func TestWhatFailsInAGroupFailsAlone(t *testing.T) {
	t.Parallel()
	s := openTest(t, "sqlite")
	no := errors.New("no")
	set := func(ctx context.Context, tx *sql.Tx, name string) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO settings (name, value) VALUES ($1, '')`, name)
		return err
	}
	var wg sync.WaitGroup
	for n := range 300 {
		name := fmt.Sprintf("test %d", n)
		wg.Go(func() {
			defer func() {
				if v := recover(); (v != nil) != (n%10 == 7) || v != nil && !strings.Contains(fmt.Sprint(v), "broken") {
					t.Errorf("%s panicked: %v", name, v)
				}
			}()
			err := s.save(t.Context(), priority{urgent: n%2 == 0}, func(ctx context.Context, tx *sql.Tx) error {
				err := set(ctx, tx, name)
				switch n % 10 {
				case 3:
					return no
				case 5:
					return set(ctx, tx, name) // there already
				case 7:
					panic("broken")
				}
				return err
			})
			if failed := n%10 == 3 || n%10 == 5; (err != nil) != failed || n%10 == 3 && !errors.Is(err, no) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	wg.Wait()
	names, err := s.texts(t.Context(), `SELECT name FROM settings WHERE name LIKE 'test %'`)
	if err != nil || len(names) != 300*7/10 {
		t.Errorf("%d were saved, %v", len(names), err)
	}
	for _, name := range names {
		if strings.ContainsAny(name[len(name)-1:], "357") {
			t.Errorf("%s was saved", name)
		}
	}
}

func TestACallerWhoIsGoneChangesNothing(t *testing.T) {
	t.Parallel()
	s := openTest(t, "sqlite")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := s.save(ctx, urgent, func(context.Context, *sql.Tx) error {
		t.Error("it was called")
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestWhatSomebodyWaitsForGoesFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		held := make(chan struct{})
		var groups [][]string
		g := batcher[string]{width: 1}
		g.do = func(group []*item[string]) {
			var names []string
			for _, one := range group {
				names = append(names, one.what)
			}
			groups = append(groups, names)
			<-held
			for _, one := range group {
				one.end(nil)
			}
		}
		join := func(what string, p priority) {
			go func() {
				if err := g.join(what, p); err != nil {
					t.Error(err)
				}
			}()
			synctest.Wait()
		}
		join("first", background)
		for range 2 * mostTogether {
			join("other", background)
		}
		const words = 5
		for range words {
			join("word", priority{word: true})
		}
		join("urgent", urgent)
		close(held)
		synctest.Wait()
		if next := groups[1]; next[0] != "urgent" || next[words] != "word" || len(next) != 1+words+mostBackground {
			t.Errorf("the next were %q", next)
		}
		if last := groups[2]; len(last) != mostTogether {
			t.Errorf("%d went together when nobody was waiting", len(last))
		}
	})
}
