package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"stele/internal/chat"
)

// shownA is a picture in Anthropic's dialect.
const shownA = `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pixel + `"}}`

// session is a conversation of Anthropic's dialect with so many pictures of a tool's, and so many that the user shows now.
func session(given, now int) string {
	content := strings.TrimSuffix(strings.Repeat(shownA+",", given), ",")
	return `{"model":"m","max_tokens":99,` + toolsA + `,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[` + callA("toolu_1") + `]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[` + content +
		`]}]},{"role":"assistant","content":"so"},{"role":"user","content":[{"type":"text","text":"on"}` + strings.Repeat(","+shownA, now) + `]}]}`
}

// What a session has gathered when it comes to another model, or has become too long for one.
var hardSession = section{"BD", "what a session has gathered", []hard{
	// NousResearch/hermes-agent#104914, charmbracelet/crush#2613, openclaw/openclaw#13202, anomalyco/opencode#48647, microsoft/vscode#303825.
	{number: 1430, name: "more pictures in a session than a model takes", answer: "asked again with words in place of the oldest that tools gave and of earlier turns, with a warning; those that the user shows now stay", run: func(t *testing.T) {
		for _, words := range []string{
			"At most 2 image(s) may be provided in one prompt.", "too many images: maximum allowed for model gemini-3.1-pro-preview is 2, got 4", "Too many images in request. Max is 2.",
			"request contains 4 images, exceeding the maximum of 2 allowed per request", "messages: too many images and documents: 4 + 1 > 3", "Too much media: 1 document pages + 4 images > 3", "Image count 4 exceeds limit 2 per request.",
			"The request contains too many images: 4 images were provided, but the model supports a maximum of 2 images.", "Too many images were provided, we currently limit the number of images per conversation to 2",
			"Too many images in request: 4 > 2", "Exceeded limit on max data-uri per request: 2", "messages: too many images: image_count > 2", "Too many images provided. This model supports up to 2 images",
		} {
			for _, to := range []string{O, G} {
				for _, streamed := range []bool{false, true} {
					l := take(t, refusesFirst(trip{from: A, to: to, stream: streamed, ask: session(3, 1)}, 400, words))
					is(t, to+" "+words, inLine(strings.Count(l.sent[0].Raw, pixel), strings.Count(l.then().Raw, pixel), strings.Count(l.then().Raw, "[image left out")), "4 2 2")
					l.warns("messages[2].content[0]", chat.Dropped)
				}
				now := try(t, trip{from: A, to: to, ask: session(1, 3), status: 400, answers: []string{said(to, words)}})
				is(t, to+", now: "+words, fmt.Sprint(now.status, len(now.sent), strings.Count(now.then().Raw, pixel)), "400 2 3")
			}
			own := try(t, refusesFirst(trip{from: A, to: A, ask: session(3, 1)}, 400, words))
			is(t, "own: "+words, fmt.Sprint(own.status, len(own.sent)), "400 1")
		}
		const closely = "messages.19.content.27.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels"
		both := trip{from: A, to: O, ask: session(110, 0), statuses: []int{400, 400, 200}, answers: []string{said(O, "too many images and documents: 110 + 0 > 100"), said(O, closely), hi[O]}}
		is(t, "first many, then large ones", strings.Count(take(t, both).then().Raw, pixel), 20)
		is(t, "few and large", len(try(t, refusesFirst(trip{from: A, to: O, ask: session(3, 1)}, 400, closely)).sent), 1)
	}},
}}
