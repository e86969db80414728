package chat

import (
	"slices"
	"testing"

	"stele/internal/race"
)

// A whole answer has the thoughts that its stream has.
func TestAWholeAnswerIsUntaggedAsItsStreamIs(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "words", "<", "<think", " <think>", "<think>a", "<think>a</think>", "\n<think>\na\n</think>\n\nwords", "words <think>a</think>",
		"<thinking>a", "<think></think>words", "<think>a</think><think>b</think>c", "<think>a</thi", "\t \n", "<<think>a</think>",
		"<thought>a</thought>b", "[THINK]a[/THINK]b", "[1]", "<thin", "<thought>a</think></thought>b", "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b",
		"<|channel|>final<|message|>b", "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>",
		"<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|ret", "<|channel>thought\na<channel|>b", "◁think▷a◁/think▷b", "◁", "<thought>a<",
	} {
		var parts []Part
		for chunk := range Untag(func(yield func(Chunk, error) bool) {
			_ = yield(Chunk{Events: []Event{{Kind: Delta, Part: Part{Kind: Text, Text: text}}, {Kind: Finish}}}, nil)
		}) {
			for _, e := range chunk.Events {
				switch last := len(parts) - 1; {
				case e.Kind != Delta || e.Part.Text == "":
				case last >= 0 && parts[last].Kind == e.Part.Kind:
					parts[last].Text += e.Part.Text
				default:
					parts = append(parts, e.Part)
				}
			}
		}
		a := Answer{Parts: []Part{{Kind: Text, Text: text}}}
		a.Untag()
		whole := slices.DeleteFunc(a.Parts, func(p Part) bool { return p.Text == "" })
		if !slices.EqualFunc(whole, parts, func(a, b Part) bool { return a.Kind == b.Kind && a.Text == b.Text }) {
			t.Errorf("%q: whole %v, streamed %v", text, whole, parts)
		}
	}
}

func TestWordsWithoutTagsAreNotCopied(t *testing.T) { //nolint:paralleltest // memory is measured
	race.Skip(t, "it allocates, too")
	a := Answer{Parts: []Part{{Kind: Text, Text: "Some words of an answer, a < b."}}}
	if n := testing.AllocsPerRun(100, a.Untag); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
