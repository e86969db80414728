package playground

import (
	"strings"
	"testing"
)

func TestDeepJSONIsNotIndented(t *testing.T) {
	t.Parallel()
	for open, end := range map[string]string{"[": "]", `{"a":`: "}"} {
		deep := strings.Repeat(open, 9000) + "1" + strings.Repeat(end, 9000)
		if got := indent([]byte(deep)); len(got) > 2*len(deep) {
			t.Errorf("%d bytes became %d", len(deep), len(got))
		}
	}
	if got := indent([]byte(`{"a":["]{",1]}`)); got != "{\n  \"a\": [\n    \"]{\",\n    1\n  ]\n}" {
		t.Error(got)
	}
}
