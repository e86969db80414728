package fair_test

import (
	"fmt"
	"testing"
	"time"

	"stele/internal/fair"
)

func TestARateFadesAndIsEachTenantsOwn(t *testing.T) {
	t.Parallel()
	r, now := fair.NewRate(time.Second), time.Unix(1000, 0)
	for i := range 2000 {
		if n := r.Add(fmt.Sprint(i), now); n != 1 {
			t.Fatalf("tenant %d begins with %v", i, n)
		}
	}
	for want := range 10 {
		if n := r.Add("busy", now); n != float64(want+1) {
			t.Fatalf("counted %v, want %d", n, want+1)
		}
	}
	if d := r.Until("busy", 10, now); d != 0 {
		t.Errorf("within the bound, and waits for %v", d)
	}
	wait := r.Until("busy", 5, now)
	if wait < 600*time.Millisecond || wait > 800*time.Millisecond {
		t.Errorf("half is left after %v", wait)
	}
	if d := r.Until("busy", 5, now.Add(wait)); d != 0 {
		t.Errorf("after its wait it waits for another %v", d)
	}
	if d := r.Until("other", 5, now); d != 0 {
		t.Errorf("another tenant waits for %v", d)
	}
}
