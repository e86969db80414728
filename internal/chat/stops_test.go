package chat

import "testing"

func TestCut(t *testing.T) {
	t.Parallel()
	const next = "|" // another block of text begins
	for name, test := range map[string]struct {
		stops  []string
		pieces []string
		want   string
	}{
		"in one piece":           {[]string{"END"}, []string{"a END b"}, "start open0:1 a  close0 finish2"},
		"across pieces":          {[]string{"\n\n"}, []string{"a\n", "\nb"}, "start open0:1 a close0 finish2"},
		"a false start":          {[]string{"END"}, []string{"a E", "N", "X"}, "start open0:1 a  E N X close0 finish1"},
		"held to the end":        {[]string{"END"}, []string{"a EN"}, "start open0:1 a  EN close0 finish1"},
		"the first counts":       {[]string{"b", "a"}, []string{"xab"}, "start open0:1 x close0 finish2"},
		"at the beginning":       {[]string{"x"}, []string{"x"}, "start open0:1 close0 finish2"},
		"across blocks":          {[]string{"\n\n"}, []string{"a\n", next, "\nb"}, "start open0:1 a close0 finish2"},
		"across three":           {[]string{"END"}, []string{"aE", next, "N", next, "Db"}, "start open0:1 a close0 finish2"},
		"in the later block":     {[]string{"END"}, []string{"aE", next, "bEND"}, "start open0:1 a E close0 open1:1 b close1 finish2"},
		"a false start in two":   {[]string{"END"}, []string{"aE", next, "N", "x"}, "start open0:1 a E close0 open1:1 N x close1 finish1"},
		"begun anew in the next": {[]string{"EEND"}, []string{"aEE", next, "END"}, "start open0:1 a E close0 finish2"},
	} {
		events := []Event{{Kind: Start}}
		block := 0
		for _, p := range test.pieces {
			if p == next {
				block++
				continue
			}
			events = append(events, text(block, p))
		}
		got := tell(t, Cut(Tidy(loose(append(events, finish(EndTurn))...)), test.stops, false))
		if got != test.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, test.want)
		}
	}
}

func TestCutsEachOfSeveralAnswers(t *testing.T) {
	t.Parallel()
	said := &WholeReply{Usage: Usage{Output: 9, Known: true}, Answers: []Answer{
		{Parts: []Part{{Kind: Text, Text: "a END b"}}, Stop: Stop{Reason: MaxTokens}},
		{Parts: []Part{{Kind: Text, Text: "c EN"}}, Stop: Stop{Reason: EndTurn}},
		{Parts: []Part{{Kind: Text, Text: "dEND"}, {Kind: ToolCall, ID: "1", Name: "f", Text: "{}"}}, Stop: Stop{Reason: ToolUse}},
	}}
	got, err := Collect(Cut(Replay(said), []string{"END"}, true))
	if err != nil || len(got.Answers) != 3 || got.Usage != said.Usage {
		t.Fatalf("%v, %+v", err, got)
	}
	for i, want := range []struct {
		text   string
		reason Reason
	}{{"a ", StopSequence}, {"c EN", EndTurn}, {"d", StopSequence}} {
		a := got.Answers[i]
		if len(a.Parts) != 1 || a.Parts[0].Text != want.text || a.Stop.Reason != want.reason {
			t.Errorf("answer %d: %+v", i, a)
		}
	}
}
