package jsonscan

import "testing"

// TestPiecesKnowWhenAValueIsWhole cuts documents at every place: nothing before the end is whole.
func TestPiecesKnowWhenAValueIsWhole(t *testing.T) {
	t.Parallel()
	for text, object := range map[string]bool{
		`{}`: true, `{"a":"}\"","b":[{"c":"\\"}]}`: true, `[{"a":1},2]`: true, `"a\"b"`: false, `["]"]`: false,
	} {
		for cut := range len(text) + 1 {
			var p Pieces
			p.Add(text[:cut])
			if cut < len(text) && p.IsWhole() {
				t.Errorf("%s is whole", text[:cut])
			}
			p.Add(text[cut:])
			if !p.IsWhole() || p.HasObject() != object || p.HasWholeObject() != object {
				t.Errorf("%s, cut at %d: %+v", text, cut, p)
			}
		}
	}
	for _, text := range []string{"", "12", " ", "true"} { // their end is not to be seen
		var p Pieces
		if p.Add(text); p.IsWhole() {
			t.Errorf("%q is whole", text)
		}
	}
}
