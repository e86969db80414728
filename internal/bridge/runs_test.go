package bridge

import (
	"strconv"
	"testing"
)

// As many responses work in the background as there is room for, whatever became of others.
func TestTheBackgroundIsBounded(t *testing.T) {
	t.Parallel()
	s := runs{byID: make(map[string]*run)}
	begin := func(n int) bool {
		ended := make(chan struct{})
		close(ended)
		return s.begin(strconv.Itoa(n), &run{cancel: func() {}, ended: ended})
	}
	for n := range mostWorking {
		if !begin(n) {
			t.Fatalf("%d have no room", n+1)
		}
	}
	if begin(-1) {
		t.Fatalf("more than %d work", mostWorking)
	}
	s.end("0")
	s.forget("1")
	s.end("1")
	if !begin(-2) || !begin(-3) || begin(-4) {
		t.Error("the room of one that ended and of one that was forgotten is not two")
	}
}
