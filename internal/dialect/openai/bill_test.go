package openai

import "testing"

func TestAnUpstreamsOwnFigureIsRead(t *testing.T) {
	t.Parallel()
	for usage, want := range map[string]struct {
		nano  int64
		known bool
	}{
		`"cost":0.00014`:               {140_000, true},
		`"cost":1.4e-05`:               {14_000, true},
		`"cost":0`:                     {0, true},
		`"cost":0.0000000005`:          {1, true},
		`"cost":null`:                  {0, false},
		`"cost":"0.1"`:                 {0, false},
		`"cost":-1`:                    {0, false},
		`"cost":{"total_cost":0.012}`:  {12_000_000, true},
		`"cost_in_usd_ticks":37756000`: {3_775_600, true},
		`"cost":0.001,"is_byok":true,"cost_details":{"upstream_inference_cost":0.02}`:  {21_000_000, true},
		`"cost":0.001,"is_byok":false,"cost_details":{"upstream_inference_cost":0.02}`: {1_000_000, true},
		`"other":1`: {0, false},
	} {
		r, err := Codec{}.CountReply([]byte(`{"choices":[{"index":0,"message":{"content":"x"}}],"usage":{"prompt_tokens":1,"completion_tokens":1,` + usage + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		if r.Usage.Billed != want.nano || r.Usage.BilledKnown != want.known {
			t.Errorf("%s: %d %v, want %+v", usage, r.Usage.Billed, r.Usage.BilledKnown, want)
		}
	}
}
