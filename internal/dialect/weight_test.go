package dialect_test

import (
	"strings"
	"testing"

	"stele/internal/dialect"
)

func TestWeight(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		``:                    256,
		`"x"`:                 256,
		`{"a":1}`:             512,
		`[1,2,3]`:             4 * 256,
		`["{,[,","\",{"]`:     3*256 + 4,
		`{"a":"b\\","c":","}`: 3*256 + 3,
		`"never ends,{[`:      256,
		`"\\\\\""`:            256 + 6,
	} {
		if got := dialect.Weight([]byte(text)); got != want {
			t.Errorf("%s weighs %d, want %d", text, got, want)
		}
	}
	picture := `{"a":"` + strings.Repeat("iVBORw0KGgo", 1<<17) + `"}`
	if got := dialect.Weight([]byte(picture)); got > 1<<10 {
		t.Errorf("base64 weighs %d beside its bytes", got)
	}
}

func BenchmarkWeight(b *testing.B) {
	body := []byte(`{"model":"m","messages":[{"role":"user","content":"` + strings.Repeat("a text that is long. ", 1<<20/21) + `"}]}`)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		dialect.Weight(body)
	}
}
