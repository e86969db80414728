package upstream

import (
	"fmt"
	"net/http"
)

// Canned is what a server that only repeats itself needs: one answer in a dialect
// (openai, anthropic or gemini), whole and as the events of a stream with so many
// deltas of text. OpenAI's stream ends with its usage only if that is asked for.
func Canned(dialect string, deltas int, usage bool) (whole Reply, stream Reply, err error) {
	apis := map[string]api{"openai": openai{}, "anthropic": anthropic{}, "gemini": gemini{}}
	models := map[string]string{"openai": "gpt-4.1", "anthropic": "claude-sonnet-4-5", "gemini": "gemini-2.5-flash"}
	a := apis[dialect]
	if a == nil {
		return Reply{}, Reply{}, fmt.Errorf("unknown dialect %q", dialect)
	}
	body := object{}
	if usage {
		body["stream_options"] = object{"include_usage": true}
	}
	b := Block{Kind: "text"}
	for i := range deltas {
		piece := fmt.Sprintf("word%d ", i)
		b.Pieces, b.Text = append(b.Pieces, piece), b.Text+piece
	}
	x := &Exchange{
		Recorded: &Recorded{Method: http.MethodPost}, Plan: Plan{Blocks: []Block{b}}, server: &Server{api: a},
		chat: &chat{body: body}, ask: ask{model: models[dialect], size: 400},
	}
	whole = x.Render()
	x.Stream = true
	return whole, x.Render(), nil
}
