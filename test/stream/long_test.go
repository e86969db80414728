package stream

import (
	"bufio"
	"bytes"
	"testing"

	"stele/test/rig"
	"stele/test/upstream"
)

// TestAMillionDeltasNeedNoMemory reads a very long stream: the process is
// as large at its end as it was after the first tenth, but for what its collector
// has not looked at yet. Had it kept anything of each delta it would be far larger.
func TestAMillionDeltasNeedNoMemory(t *testing.T) {
	t.Parallel()
	const deltas = longDeltas
	r := rig.NewFront(t, "", rig.Lone("long"))
	for _, client := range rig.Dialects {
		for _, away := range rig.Dialects {
			model := "long-" + client + "-" + away
			r.On(away, rig.UsualModel[away]+"-"+model, flood)
			h, err := r.Client.Do(r.RequestFor(t, rig.Ask(client, model, "hi", true)))
			if err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewReaderSize(h.Body, 1<<20)
			early := 0
			for n := 0; n < deltas; {
				line, err := lines.ReadSlice('\n')
				if err != nil {
					t.Fatalf("%s: after %d deltas: %v", model, n, err)
				}
				if bytes.HasPrefix(line, []byte("data:")) {
					n++
				}
				if n == deltas/10 && early == 0 {
					early = rig.Resident(t, r.PID())
				}
			}
			if grown := rig.Resident(t, r.PID()) - early; grown > 64<<20 {
				t.Errorf("%s: %d deltas cost %d MB", model, deltas, grown>>20)
			} else {
				t.Logf("%s: %d deltas cost %d KB", model, deltas, grown>>10)
			}
			h.Body.Close()
		}
	}
}

// flood is an endless stream, a hundred deltas at once.
func flood(x *upstream.Exchange, usual upstream.Reply) upstream.Reply {
	usual = upstream.Endless()(x, usual)
	last := &usual.Frames[len(usual.Frames)-1]
	last.Bytes = bytes.Repeat(last.Bytes, 100)
	return usual
}
