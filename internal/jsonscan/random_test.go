package jsonscan_test

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestRandomDocuments holds everything against jsontext on documents that are valid,
// or nearly so, which bytes by chance seldom are.
func TestRandomDocuments(t *testing.T) {
	t.Parallel()
	for n := range randomDocuments {
		r := rand.New(rand.NewPCG(10, uint64(n))) //nolint:gosec // the same ones each time
		var b strings.Builder
		randomValue(r, &b, 0)
		doc := []byte(b.String())
		script := make([]byte, 40)
		for i := range script {
			script[i] = byte(r.UintN(15))
		}
		checkScan(t, doc)
		checkValue(t, doc)
		checkWriter(t, doc)
		checkEdits(t, append(append([]byte(b.String()), 0), script...))
		const odd = "\"{}[],:\\ e1\xc3\x00"
		doc[r.IntN(len(doc))] = odd[r.IntN(len(odd))]
		checkScan(t, doc)
		checkValue(t, doc)
		if t.Failed() {
			return
		}
	}
}

func randomValue(r *rand.Rand, b *strings.Builder, depth int) {
	randomSpace(r, b)
	switch kind := r.IntN(10); {
	case kind < 4 && depth < 6:
		b.WriteByte('{')
		for i := range r.IntN(6) {
			if i > 0 {
				b.WriteByte(',')
			}
			randomSpace(r, b)
			b.WriteString(`"n` + string('a'+rune(i)) + pick(r, "", "", `\n`, `\u0041`, "ü", "_long_name_x") + `"`)
			randomSpace(r, b)
			b.WriteByte(':')
			randomValue(r, b, depth+1)
		}
		randomSpace(r, b)
		b.WriteByte('}')
	case kind < 6 && depth < 6:
		b.WriteByte('[')
		for i := range r.IntN(5) {
			if i > 0 {
				b.WriteByte(',')
			}
			randomValue(r, b, depth+1)
		}
		randomSpace(r, b)
		b.WriteByte(']')
	case kind < 9:
		b.WriteByte('"')
		for range r.IntN(8) {
			b.WriteString(pick(r, "a", "plain text", `\"`, `\\`, `\/`, `\ud83d\ude00`, "世界", "ß", "0123456789abcdef0123456789abcdef0123456789abcdef", "{[,:]}"))
		}
		b.WriteByte('"')
	default:
		b.WriteString(pick(r, "0", "-1", "12.5", "1e3", "true", "false", "null", "1234567890123"))
	}
	randomSpace(r, b)
}

func randomSpace(r *rand.Rand, b *strings.Builder) {
	b.WriteString(pick(r, "", "", "", "", " ", "\n\t", "\r\n  "))
}

func pick(r *rand.Rand, texts ...string) string { return texts[r.IntN(len(texts))] }
