package rig

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"stele/test/upstream"
)

// play reads what an upstream is to do wrong from the name of the model, as in
// gpt-4.1@cut-after.3.go: what, how much, and whose scene it is.
func play(r *upstream.Recorded) upstream.Answer {
	_, script, ok := strings.Cut(r.Model, "@")
	if !ok {
		return nil
	}
	words := append(strings.Split(script, "."), "", "")
	n, _ := strconv.Atoi(words[1])
	switch words[0] {
	case "limited":
		return upstream.RateLimited(7 * time.Second)
	case "wrong":
		return upstream.Fail(http.StatusBadRequest, "The moon is not in the right place.")
	case "busy":
		return upstream.Overloaded()
	case "locked":
		return upstream.BadKey()
	case "broken":
		return upstream.Broken()
	case "gone":
		return upstream.Fail(http.StatusNotFound, "The model does not exist.")
	case "page":
		return upstream.HTML(http.StatusBadGateway)
	case "failing":
		return upstream.ErrorAfter(n)
	case "cut-bytes":
		return upstream.Cut(n)
	case "cut-after":
		return upstream.CutFrames(n)
	case "short-after":
		return upstream.ShortFrames(n)
	case "silent":
		return upstream.Silent(n)
	case "refusing":
		return upstream.Finished(refusing(r))
	case "never":
		return upstream.Never()
	case "endless":
		return upstream.Chain(upstream.Endless(), upstream.Pace(2*time.Millisecond))
	}
	return upstream.Usual()
}

// refusing is each API's word for an answer that was broken off because of what it says.
func refusing(r *upstream.Recorded) string {
	switch {
	case strings.HasSuffix(r.Path, "/chat/completions"):
		return "content_filter"
	case strings.HasSuffix(r.Path, "/messages"):
		return "refusal"
	}
	return "SAFETY"
}
