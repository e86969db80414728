package meter_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stele/internal/meter"
)

func TestErrorsAreOfTheirProviders(t *testing.T) {
	t.Parallel()
	path := meter.Trail([]meter.Try{{Provider: "a", Code: "unavailable"}, {Provider: "b"}})
	for name, c := range map[string]struct {
		record meter.Record
		want   map[string]string
	}{
		"served":             {meter.Record{Provider: "a", Tries: 1}, nil},
		"refused here":       {meter.Record{Tries: 1, Code: "rate_limited"}, nil},
		"failed":             {meter.Record{Provider: "a", Tries: 1, Code: "upstream_error"}, map[string]string{"a": "upstream_error"}},
		"client gone":        {meter.Record{Provider: "a", Tries: 1, Code: "client_gone"}, nil},
		"fallback":           {meter.Record{Provider: "b", Tries: 2, Path: path}, map[string]string{"a": "unavailable"}},
		"fallback, cut":      {meter.Record{Provider: "b", Tries: 2, Path: path, Code: "upstream_error"}, map[string]string{"a": "unavailable", "b": "upstream_error"}},
		"fallback, gone":     {meter.Record{Provider: "b", Tries: 2, Path: path, Code: "client_gone"}, map[string]string{"a": "unavailable"}},
		"generation":         {meter.Record{Provider: "a", Tries: 3, Code: "timeout"}, map[string]string{"a": "timeout"}},
		"never sent":         {meter.Record{Provider: "a", Code: "timeout"}, nil},
		"canceled":           {meter.Record{Provider: "a", Tries: 1, Code: "canceled"}, nil},
		"nobody could be it": {meter.Record{Code: "model_not_found"}, nil},
	} {
		var got map[string]string
		for _, e := range c.record.Errors() {
			if got == nil {
				got = make(map[string]string)
			}
			got[e.Provider] = e.Code
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestPerToken(t *testing.T) {
	t.Parallel()
	r := meter.Record{Stream: true, Status: 200, FirstByte: time.Second, Took: 3 * time.Second, Output: 15, Reasoning: 6}
	if got := r.PerToken(); got != 100*time.Millisecond {
		t.Error(got)
	}
	for _, change := range []func(*meter.Record){
		func(r *meter.Record) { r.Stream = false },
		func(r *meter.Record) { r.Status = 499 },
		func(r *meter.Record) { r.FirstByte = 0 },
		func(r *meter.Record) { r.Output, r.Reasoning = 1, 0 },
	} {
		other := r
		if change(&other); other.PerToken() != 0 {
			t.Errorf("%+v", other)
		}
	}
}
