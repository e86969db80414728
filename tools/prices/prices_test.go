package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestTheBookIsWhatItsSourcesSay fails where a source was changed and the book was not
// written again, where the book was edited by hand, and where the two sources differ
// without a reason in differences.json.
func TestTheBookIsWhatItsSourcesSay(t *testing.T) {
	t.Parallel()
	books, err := makeBooks(".")
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range books {
		got, err := os.ReadFile(filepath.Join("../../internal/price/book", kind+".json"))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("the book of %s is not what its sources say: go -C tools run ./prices", kind)
		}
	}
}

func TestADifferenceWithoutAReasonIsAnError(t *testing.T) {
	t.Parallel()
	s, err := readSources(".")
	if err != nil {
		t.Fatal(err)
	}
	s.seen = map[string]bool{"openai: gpt-5 input 1 2": true}
	s.known = nil
	if s.unexplained() == nil {
		t.Error("it is not reported")
	}
	s.known = []difference{{Kind: "openai", Why: "one is older", Taken: "genai", Lines: []string{"gpt-5 input 1 2"}}}
	if err := s.unexplained(); err != nil {
		t.Error(err)
	}
	s.known[0].Lines = append(s.known[0].Lines, "gpt-5 output 3 4")
	if s.unexplained() == nil {
		t.Error("a reason without a difference is not reported")
	}
}
