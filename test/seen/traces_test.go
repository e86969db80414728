package seen

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"stele/test/rig"
	"stele/test/upstream"
)

const (
	clientTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	clientSpan  = "00f067aa0ba902b7"
)

// telemetry is a configuration that sends everything to a collector.
func telemetry(c *collector, more string) string {
	return fmt.Sprintf("telemetry: {otlp: {endpoint: %q, headers: x-token=%s, sample: 1, every: 1s%s}}\n", c.URL, token, more)
}

// traced is a request that is in a client's trace.
func traced(w rig.Wish, trace string) rig.Wish {
	w.Header.Set("traceparent", "00-"+trace+"-"+clientSpan+"-01")
	return w
}

// TestAClientsTraceShowsBothTries falls back from one upstream to another, whole and
// streamed: the client's trace has the request and both tries, and each upstream was told
// its own.
func TestAClientsTraceShowsBothTries(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	r := rig.NewFront(t, telemetry(c, ""), rig.Twofold("falls"))
	r.Keep(token)
	for i, stream := range []bool{false, true} {
		model, trace := "falls-openai-anthropic", fmt.Sprintf("%s%d", clientTrace[:31], i)
		target := rig.UsualModel["anthropic"] + "-" + model
		r.On("anthropic", target+"-a", upstream.Overloaded())
		r.Good(t, traced(rig.Ask("openai", model, "a secret question", stream), trace))
		rig.Eventually(t, "the trace is there", func() bool { return len(c.ofTrace(trace)) == 3 })
		spans := c.ofTrace(trace)
		request, first, second := spans[0], spans[1], spans[2]
		if request.GetName() != "POST /api/v1/chat/completions" || hex.EncodeToString(request.GetParentSpanId()) != clientSpan || request.GetKind() != tracepb.Span_SPAN_KIND_SERVER {
			t.Errorf("%+v", request)
		}
		for n, try := range []*tracepb.Span{first, second} {
			place := []string{"-a", "-b"}[n]
			if try.GetName() != "chat "+target+place || !bytes.Equal(try.GetParentSpanId(), request.GetSpanId()) || try.GetKind() != tracepb.Span_SPAN_KIND_CLIENT ||
				attribute(try.GetAttributes(), "gen_ai.provider.name").GetStringValue() != "anthropic" || attribute(try.GetAttributes(), "gen_ai.operation.name").GetStringValue() != "chat" ||
				attribute(try.GetAttributes(), "gen_ai.request.model").GetStringValue() != target+place {
				t.Errorf("try %d: %+v", n, try)
			}
			if got, want := r.LastTo(t, "anthropic", target+place).Header.Get("traceparent"), "00-"+trace+"-"+hex.EncodeToString(try.GetSpanId())+"-01"; got != want {
				t.Errorf("the upstream got %q, want %q", got, want)
			}
		}
		if first.GetStatus().GetCode() != tracepb.Status_STATUS_CODE_ERROR || attribute(first.GetAttributes(), "error.type").GetStringValue() != "unavailable" ||
			second.GetStatus().GetCode() == tracepb.Status_STATUS_CODE_ERROR {
			t.Errorf("%v, then %v", first.GetStatus(), second.GetStatus())
		}
		if attribute(second.GetAttributes(), "gen_ai.usage.input_tokens").GetIntValue() == 0 || attribute(second.GetAttributes(), "gen_ai.usage.output_tokens").GetIntValue() == 0 ||
			(attribute(second.GetAttributes(), "gen_ai.response.time_to_first_chunk").GetDoubleValue() > 0) != stream || attribute(request.GetAttributes(), "stele.tries").GetIntValue() != 2 {
			t.Errorf("%+v of %+v", second.GetAttributes(), request.GetAttributes())
		}
	}
	c.tellsNothing(t, r, "a secret question")
}

// tellsNothing looks for what must not leave in all that was sent.
func (c *collector) tellsNothing(t *testing.T, r *rig.Front, secrets ...string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, secret := range append(secrets, r.Key, upstream.Key, token) {
		if bytes.Contains(c.raw, []byte(secret)) {
			t.Errorf("the collector was told %q", secret)
		}
	}
	for _, wrong := range c.wrong {
		t.Error(wrong)
	}
}

// TestAGenerationIsOneTrace orders a picture: what is done for it later, by a worker, is in
// the trace of the order.
func TestAGenerationIsOneTrace(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	r := rig.NewFront(t, telemetry(c, ""), "")
	r.Keep(token)
	w := traced(rig.Ask("openai", "m", "", false), clientTrace)
	w.Path, w.Body = "/api/v1/generations", `{"model":"stele/sandbox-image","mode":"text_to_image","prompt":"a secret picture [[sandbox: work=50ms]]"}`
	if h := r.Hear(t, w); h.Status != 201 {
		t.Fatalf("%d %s", h.Status, h.Body)
	}
	steps := func() map[string]int {
		names := make(map[string]int)
		for _, s := range c.ofTrace(clientTrace) {
			names[s.GetName()]++
		}
		return names
	}
	rig.Eventually(t, "submit, poll and collect are there", func() bool {
		n := steps()
		return n["POST /api/v1/generations"] == 1 && n["submit stele/sandbox-image"] == 1 && n["poll stele/sandbox-image"] > 0 && n["collect stele/sandbox-image"] > 0
	})
	c.tellsNothing(t, r, "a secret picture")
}

// TestMetricsAreSentAsWell compares what a collector got with the rows.
func TestMetricsAreSentAsWell(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	r := rig.NewFront(t, telemetry(c, ""), rig.Lone("sent"))
	r.Keep(token)
	for range 3 {
		r.Good(t, rig.Ask("openai", "sent-openai-openai", "hi", true))
	}
	rows := r.Read(t, "")
	rig.Eventually(t, "the figures are those of the rows", func() bool {
		want := booked(t, rows)["sent-openai-openai"]
		tokens := float64(want.Input + want.CacheRead + want.CacheWrite + want.Output + want.Reasoning)
		return want.Requests == 3 && c.sums("stele_tokens_total", "model")["sent-openai-openai"] == tokens && c.sums("stele_model_requests_total", "model")["sent-openai-openai"] == 3
	})
	c.tellsNothing(t, r)
}

// TestContentIsSentOnlyWhereItMayBeKept switches capture and its sending on.
func TestContentIsSentOnlyWhereItMayBeKept(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	r := rig.NewFront(t, "capture: {bodies: true}\n"+telemetry(c, ", content: true"), rig.Lone("told"))
	r.Keep(token)
	r.Good(t, traced(rig.Ask("openai", "told-openai-openai", "an open question", false), clientTrace))
	rig.Eventually(t, "the trace is there", func() bool { return len(c.ofTrace(clientTrace)) == 2 })
	asked := attribute(c.ofTrace(clientTrace)[0].GetAttributes(), "stele.request.body").GetStringValue()
	said := attribute(c.ofTrace(clientTrace)[0].GetAttributes(), "stele.response.body").GetStringValue()
	if !strings.Contains(asked, "an open question") || !json.Valid([]byte(said)) {
		t.Errorf("%q, %q", asked, said)
	}
	c.tellsNothing(t, r)
}
