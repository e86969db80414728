package recent_test

import (
	"maps"
	"slices"
	"testing"

	"stele/internal/recent"
)

func TestWhatWasNotUsedForLongestIsForgotten(t *testing.T) {
	t.Parallel()
	m := recent.New[string, int](3)
	for i, key := range []string{"a", "b", "c"} {
		m.Put(key, i)
	}
	if v, ok := m.Use("a"); !ok || v != 0 {
		t.Errorf("a is %d, %t", v, ok)
	}
	if v, ok := m.Peek("b"); !ok || v != 1 {
		t.Errorf("b is %d, %t", v, ok)
	}
	m.Put("d", 3) // b was only looked at
	m.Put("c", 4)
	if got := slices.Collect(maps.Keys(maps.Collect(m.All()))); len(got) != 3 || slices.Contains(got, "b") {
		t.Errorf("kept are %v", got)
	}
	var order []string
	for key := range m.All() {
		order = append(order, key)
		m.Delete(key)
	}
	if !slices.Equal(order, []string{"c", "d", "a"}) || m.Len() != 0 {
		t.Errorf("in the order %v; %d are left", order, m.Len())
	}
	if _, ok := m.Use("a"); ok {
		t.Error("what was deleted is there")
	}
}
