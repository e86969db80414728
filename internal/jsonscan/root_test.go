package jsonscan_test

import (
	"testing"

	"stele/internal/jsonscan"
)

func TestRoot(t *testing.T) {
	t.Parallel()
	for _, doc := range []string{`{"a":1}`, " [1, 2]\n", "\t5 ", `""`, "", " \n"} {
		root, want := jsonscan.Root([]byte(doc)), jsonscan.At([]byte(doc), 0)
		if string(root.Raw()) != string(want.Raw()) || root.From() != want.From() || root.Len() != want.Len() {
			t.Errorf("%q: %q at %d", doc, root.Raw(), root.From())
		}
	}
}
