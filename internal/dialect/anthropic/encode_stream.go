package anthropic

import (
	"cmp"
	"slices"
	"strconv"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// streamWriter writes one stream to one client. A block is not opened before its
// first piece is there: what has to come before it may come with that piece.
type streamWriter struct {
	req    *chat.Request
	asked  bool // whether thoughts are wanted was looked up
	shown  bool // and they are
	index  int  // of the block that is open, or the next
	form   form
	opened bool      // the block's start is written
	part   chat.Part // what Open said, and what has to wait for Close
	rough  int64     // the estimated input, where the upstream has not told
	tier   string    // that serves, as far as message_start tells

	mark   string // names the turn, for signatures of texts that come late; "": none will
	mused  bool   // a block of thoughts was written
	marked bool   // and one of them names the turn
	spoke  bool   // a text was written
	args   argued // of the open call
	late   string // a signature that came behind a text, for a call that may follow
}

// NewEncoder begins a stream to one client.
func (Codec) NewEncoder(req *chat.Request) dialect.Encoder { return &streamWriter{req: req} }

func (*streamWriter) ContentType() string { return "text/event-stream; charset=utf-8" }

// Encode appends what a strict event means to the client.
func (e *streamWriter) Encode(dst []byte, event *chat.Event) ([]byte, error) {
	switch event.Kind {
	case chat.Delta:
		return e.writeDelta(dst, &event.Part), nil
	case chat.Start:
		if event.Turn != "" {
			e.mark = chat.Mark(event.Turn)
		}
		return e.start(dst, event), nil
	case chat.Open:
		e.form, e.part, e.opened = formOf(&event.Part), event.Part, false
		if e.form == asCall && e.late != "" && !e.marked {
			dst, e.late = e.carry(dst, e.late), ""
		}
		return dst, nil
	case chat.Close:
		return e.close(dst), nil
	case chat.Finish:
		return e.finish(dst, event), nil
	case chat.Counted:
	}
	return dst, nil
}

// KeepAlive appends the API's own sign of life.
func (*streamWriter) KeepAlive(dst []byte) []byte {
	return append(dst, "event: ping\ndata: {\"type\":\"ping\"}\n\n"...)
}

// Fail appends the API's own error event.
func (*streamWriter) Fail(dst []byte, e *fault.Error, requestID string) []byte {
	_, body := Codec{}.EncodeError(e, requestID)
	dst = append(dst, "event: error\ndata: "...)
	return append(append(dst, body...), "\n\n"...)
}

func (e *streamWriter) start(dst []byte, event *chat.Event) []byte {
	usage := event.Usage
	if usage.Prompt() == 0 {
		// Clients show costs from here on: nothing is a worse guess than the size.
		e.rough = max(1, chat.Estimate(len(e.req.Origin.Body)))
		usage.Input = e.rough
	}
	usage.Output, usage.Reasoning = 1, 0
	w := jsonscan.NewWriter(append(dst, "event: message_start\ndata: "...))
	w.Open(jsonscan.Object).Key("type").Plain("message_start").Key("message").Open(jsonscan.Object)
	writeHead(w, event.ID, e.req.Model)
	w.Key("content").Open(jsonscan.Array).Close(jsonscan.Array)
	w.Key("stop_reason").Null().Key("stop_sequence").Null().Key("stop_details").Null()
	e.tier = cmp.Or(event.Tier, usage.Tier)
	writeUsage(w.Key("usage"), usage, e.tier)
	return append(w.Bytes(), "}}\n\n"...)
}

// writeDelta writes by far the most frequent event.
func (e *streamWriter) writeDelta(dst []byte, p *chat.Part) []byte {
	switch e.form {
	case asText:
		return e.writeWords(dst, p)
	case asCall:
		return e.writeArguments(dst, p)
	case asThought:
		return e.writeThought(dst, p)
	case asSecret:
		e.part.Text += p.Text
	case asRaw, asNote:
		e.part.Raw, e.part.Media = p.Raw, p.Media
		e.part.Text += p.Text
	}
	return dst
}

func (e *streamWriter) writeWords(dst []byte, p *chat.Part) []byte {
	switch {
	case p.Proof == "":
	case e.opened || e.spoke:
		// The text is out, and clients drop an answer that ends with an empty thought: one
		// that brings back the turn's name gets the signature from the vault.
		e.late = p.Proof
	case wantsThinking(e.req):
		dst = e.carry(dst, p.Proof)
	}
	if !e.opened && (p.Text != "" || slices.ContainsFunc(p.Citations, func(c chat.Citation) bool { return isOwn(&c) })) {
		dst = e.openText(dst)
	}
	if p.Text != "" {
		dst = e.writePiece(dst, `"text_delta","text":`, p.Text)
	}
	for i := range p.Citations {
		if isOwn(&p.Citations[i]) {
			dst = append(append(e.begin(dst), `"citations_delta","citation":`...), flatten(p.Citations[i].Raw)...)
			dst = append(dst, "}}\n\n"...)
		}
	}
	return dst
}

func (e *streamWriter) openText(dst []byte) []byte {
	if e.mark != "" && !e.mused && !e.spoke && wantsThinking(e.req) {
		dst = e.carry(dst, e.mark)
		e.marked = true
	}
	e.spoke = true
	return append(e.open(dst), "{\"type\":\"text\",\"text\":\"\"}}\n\n"...)
}

func (e *streamWriter) writeArguments(dst []byte, p *chat.Part) []byte {
	if p.Proof != "" && !e.opened {
		dst = e.carry(dst, p.Proof)
	}
	if !e.opened {
		dst = e.openCall(dst)
	}
	text := p.Text
	if e.part.Custom {
		quoted := jsonscan.AppendText(nil, text)
		text = string(quoted[1 : len(quoted)-1])
	} else {
		text = e.args.take(text)
	}
	if text == "" {
		return dst
	}
	return e.writePiece(dst, inputDelta, text)
}

const inputDelta = `"input_json_delta","partial_json":`

// openCall opens a tool_use. Words that are a call's only input are quoted on the way.
func (e *streamWriter) openCall(dst []byte) []byte {
	dst = append(e.open(dst), `{"type":"tool_use","id":"`+dialect.CallID(e.part.ID, longestID)+`","name":`...)
	dst = jsonscan.AppendText(dst, e.part.Name)
	if set := setOf(e.req, e.part.Name); set != "" {
		dst = append(dst, `,"toolset_name":"`+set+`"`...)
	}
	dst = append(dst, ",\"input\":{}}}\n\n"...)
	if e.part.Custom {
		dst = e.writePiece(dst, inputDelta, `{"input":"`)
	}
	return dst
}

func (e *streamWriter) writeThought(dst []byte, p *chat.Part) []byte {
	if p.Proof != "" {
		e.part.Proof = p.Proof
	}
	if p.Text == "" || !e.wantsThoughts() {
		return dst
	}
	if !e.opened {
		dst = e.openThought(dst)
	}
	return e.writePiece(dst, `"thinking_delta","thinking":`, p.Text)
}

// wantsThoughts reports whether the client asked for thoughts.
func (e *streamWriter) wantsThoughts() bool {
	if !e.asked {
		e.asked, e.shown = true, wantsThoughts(e.req)
	}
	return e.shown
}

// close writes what had to wait, and the end of the block if it was begun.
func (e *streamWriter) close(dst []byte) []byte {
	proof := e.part.Proof
	switch e.form {
	case asThought:
		switch {
		case e.opened || proof != "" && !e.spoke:
			return e.sign(dst, proof)
		case proof != "":
			e.late = proof
		}
		return dst
	case asSecret:
		dst = append(e.open(dst), `{"type":"redacted_thinking","data":`...)
		dst = append(jsonscan.AppendText(dst, e.part.Text), "}}\n\n"...)
	case asRaw:
		if len(e.part.Raw) == 0 {
			return dst
		}
		dst = append(append(e.open(dst), flatten(e.part.Raw)...), "}\n\n"...)
	case asNote:
		dst = e.writePiece(e.openText(dst), `"text_delta","text":`, note(&e.part))
	case asCall:
		if !e.opened {
			dst = e.openCall(dst)
		}
		rest := `"}`
		if !e.part.Custom {
			rest = e.args.end()
			e.args = argued{held: e.args.held[:0], raw: e.args.raw[:0], out: e.args.out[:0]}
		}
		if rest != "" {
			dst = e.writePiece(dst, inputDelta, rest)
		}
	case asText:
		if e.opened {
			dst = e.end(dst)
		}
		return dst
	}
	return e.end(dst)
}

// carry writes a signature of a text or a call on thoughts of its own.
func (e *streamWriter) carry(dst []byte, proof string) []byte {
	dst = e.sign(e.openThought(dst), proof)
	e.opened = false
	return dst
}

func (e *streamWriter) openThought(dst []byte) []byte {
	e.mused = true
	return append(e.open(dst), "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}}\n\n"...)
}

// sign ends thoughts with their signature, which comes once and last.
func (e *streamWriter) sign(dst []byte, proof string) []byte {
	if !e.opened {
		dst = e.openThought(dst)
	}
	if proof == "" && e.mark != "" {
		proof, e.marked = e.mark, true
	}
	return e.end(e.writePiece(dst, `"signature_delta","signature":`, cmp.Or(proof, unsigned)))
}

// open writes the start of a block up to the block itself.
func (e *streamWriter) open(dst []byte) []byte {
	e.opened = true
	dst = append(dst, "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":"...)
	dst = strconv.AppendInt(dst, int64(e.index), 10)
	return append(dst, `,"content_block":`...)
}

// begin writes a delta up to its type.
func (e *streamWriter) begin(dst []byte) []byte {
	dst = append(dst, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":"...)
	dst = strconv.AppendInt(dst, int64(e.index), 10)
	return append(dst, `,"delta":{"type":`...)
}

// writePiece writes a whole delta with one text in it.
func (e *streamWriter) writePiece(dst []byte, kind, words string) []byte {
	dst = append(e.begin(dst), kind...)
	return append(jsonscan.AppendText(dst, words), "}}\n\n"...)
}

// end writes the end of the open block.
func (e *streamWriter) end(dst []byte) []byte {
	dst = append(dst, "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":"...)
	dst = strconv.AppendInt(dst, int64(e.index), 10)
	e.index++
	return append(dst, "}\n\n"...)
}

func (e *streamWriter) finish(dst []byte, event *chat.Event) []byte {
	usage := event.Usage
	if usage.Prompt() == 0 {
		usage.Input = e.rough
	}
	w := jsonscan.NewWriter(append(dst, "event: message_delta\ndata: "...))
	w.Open(jsonscan.Object).Key("type").Plain("message_delta").Key("delta").Open(jsonscan.Object)
	writeStop(w, &event.Stop)
	w.Close(jsonscan.Object)
	late := ""
	if e.tier == "" {
		late = usage.Tier
	}
	writeTotal(w.Key("usage"), usage, late)
	return append(w.Bytes(), "}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"...)
}
