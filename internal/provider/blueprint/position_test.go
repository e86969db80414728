package blueprint

import "testing"

// TestThePlaceInTheLineIsRead counts those before an order as providers do, and says which it
// is: what is no number of orders says nothing.
func TestThePlaceInTheLineIsRead(t *testing.T) {
	t.Parallel()
	where, err := parsePath("queue_position")
	if err != nil {
		t.Fatal(err)
	}
	p := &Position{Path: route{where}}
	for _, row := range []struct {
		told any
		want int
	}{{0.0, 1}, {2.0, 3}, {-1.0, 0}, {1e18, 0}, {"soon", 0}, {nil, 0}} {
		if got := p.read(map[string]any{"queue_position": row.told}); got != row.want {
			t.Errorf("%v: %d, want %d", row.told, got, row.want)
		}
	}
	if p.read(map[string]any{}) != 0 || (*Position)(nil).read(nil) != 0 {
		t.Error("a place that was not told")
	}
}
