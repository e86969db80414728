package upstream

import (
	"encoding/json"
	"fmt"
	"net/http"
)

func (a gemini) render(x *Exchange) Reply {
	x.geminiSettle()
	var reply Reply
	if x.Stream {
		reply = geminiStream(x)
	} else {
		candidates := []any{}
		for i := range max(x.Plan.Count, 1) {
			candidates = append(candidates, doc{
				"content", doc{"parts", geminiWhole(x.Plan.Blocks), "role", "model"}, "finishReason", x.geminiFinish(), "index", i,
			})
		}
		reply = jsonReply(http.StatusOK, x.geminiResponse(candidates, x.geminiUsage(1)))
		geminiHeaders(reply.Header)
	}
	return reply
}

// geminiSettle signs. Newer models sign the first of their calls, or else the end
// of what they say; they also give calls an id, which older ones do not.
func (x *Exchange) geminiSettle() {
	newer := third(x.ask.model)
	signed := false
	for i := range x.Plan.Blocks {
		b := &x.Plan.Blocks[i]
		if b.Kind != "call" {
			continue
		}
		if b.ID == "" && newer {
			b.ID = x.id(8, fmt.Sprint("call", i))
		}
		if b.Signature == "" && !signed && (newer || x.ask.thinks) {
			b.Signature = x.geminiCallSignature(i, *b)
		}
		signed = true
	}
	if n := len(x.Plan.Blocks); n > 0 && !signed && newer && x.Plan.Blocks[n-1].Kind == "text" && x.Plan.Blocks[n-1].Signature == "" {
		x.Plan.Blocks[n-1].Signature = x.server.signature(x.id(nonceLength, "text"), geminiThought(x.ask.model, nil)...)
	}
}

func (x *Exchange) geminiCallSignature(i int, b Block) string {
	args, err := decode([]byte(b.Args))
	if err != nil {
		args = object{}
	}
	part := object{"functionCall": object{"name": b.Name, "args": args}}
	return x.server.signature(x.id(nonceLength, fmt.Sprint(i)), geminiThought(x.ask.model, part)...)
}

// geminiWhole are the parts of an answer in one piece.
func geminiWhole(blocks []Block) []any {
	parts := []any{}
	for _, b := range blocks {
		parts = append(parts, geminiPart(b, b.Text, true))
	}
	return parts
}

// geminiPart is a block as a part; only the last one of a text has its signature.
func geminiPart(b Block, text string, last bool) doc {
	part := doc{"text", text}
	switch b.Kind {
	case "think":
		part = append(part, "thought", true)
	case "call":
		call := doc{}
		if b.ID != "" && b.ID != "-" {
			call = append(call, "id", b.ID)
		}
		call = append(call, "name", b.Name)
		if b.Args != "" {
			call = append(call, "args", json.RawMessage(b.Args))
		}
		part = doc{"functionCall", call}
	}
	if last && b.Signature != "" && b.Signature != "-" {
		part = append(part, "thoughtSignature", b.Signature)
	}
	return part
}

func (x *Exchange) geminiResponse(candidates []any, usage any) doc {
	return doc{
		"candidates", candidates, "usageMetadata", usage, "modelVersion", x.ask.model, "responseId", x.id(22, "answer"),
	}
}

func (x *Exchange) geminiFinish() string {
	switch {
	case x.Plan.Finish != "":
		return x.Plan.Finish
	case x.Plan.cut:
		return "MAX_TOKENS"
	}
	return "STOP"
}

// geminiUsage is the count so far, where share of 1 has been said. Zeros are left out.
func (x *Exchange) geminiUsage(share float64) any {
	if x.Plan.Usage != nil {
		return x.Plan.Usage
	}
	t := x.count()
	said := int(float64(t.said) * share)
	usage := doc{"promptTokenCount", t.in()}
	for _, c := range []struct {
		name  string
		count int
	}{{"cachedContentTokenCount", t.read}, {"candidatesTokenCount", said}, {"thoughtsTokenCount", t.thought}} {
		if c.count > 0 {
			usage = append(usage, c.name, c.count)
		}
	}
	return append(usage, "totalTokenCount", t.in()+said+t.thought,
		"promptTokensDetails", []any{doc{"modality", "TEXT", "tokenCount", t.in()}})
}
