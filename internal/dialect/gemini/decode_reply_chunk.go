package gemini

// chunk reads a GenerateContentResponse: a whole answer, or a frame of one.
func (c *cursor) chunk(w *wireChunk) bool {
	if !c.enter('{') {
		c.bad = true
		return false
	}
	for {
		key, more := c.key()
		if !more {
			return !c.bad
		}
		switch string(key) {
		case "candidates":
			c.candidates(w)
		case "promptFeedback":
			c.feedback(w)
		case "usageMetadata":
			w.usage = c.usage()
		case "modelVersion":
			w.model = c.once(w)
		case "responseId":
			w.id = c.once(w)
		case "error":
			w.failure = c.raw()
		default:
			c.skip()
		}
	}
}

// once reads a text that every frame repeats, unless it is known already.
func (c *cursor) once(w *wireChunk) string {
	if w.known {
		c.skip()
		return ""
	}
	s, _ := c.text()
	return s
}

func (c *cursor) candidates(w *wireChunk) {
	if !c.enter('[') {
		c.skip()
		return
	}
	for c.item() {
		if n := len(w.candidates); n < cap(w.candidates) {
			w.candidates = w.candidates[:n+1]
			w.candidates[n] = wireCandidate{parts: w.candidates[n].parts[:0]}
		} else {
			w.candidates = append(w.candidates, wireCandidate{})
		}
		c.candidate(&w.candidates[len(w.candidates)-1])
	}
}

func (c *cursor) candidate(w *wireCandidate) {
	if !c.enter('{') {
		c.skip()
		return
	}
	for {
		key, more := c.key()
		if !more {
			return
		}
		switch string(key) {
		case "content":
			c.candidateContent(w)
		case "finishReason":
			w.finish, _ = c.text()
		case "finishMessage":
			w.message, _ = c.text()
		case "index":
			w.index, _ = c.integer()
		case "continuationToken":
			w.token, _ = c.text()
		case "citationMetadata":
			c.citations(w)
		case "groundingMetadata":
			c.grounding(w)
		case "logprobsResult":
			w.logprobs = c.raw()
		default:
			c.skip()
		}
	}
}

func (c *cursor) candidateContent(w *wireCandidate) {
	if !c.enter('{') {
		c.skip()
		return
	}
	for {
		key, more := c.key()
		if !more {
			return
		}
		if string(key) != "parts" || !c.enter('[') {
			c.skip()
			continue
		}
		for c.item() {
			w.parts = append(w.parts, wirePart{})
			c.part(&w.parts[len(w.parts)-1])
		}
	}
}

func (c *cursor) feedback(w *wireChunk) {
	if !c.enter('{') {
		c.skip()
		return
	}
	w.feedback = true
	for {
		key, more := c.key()
		if !more {
			return
		}
		switch string(key) {
		case "blockReason":
			w.blocked, _ = c.text()
		case "blockReasonMessage":
			w.blockMessage, _ = c.text()
		default:
			c.skip()
		}
	}
}

// usage reads usageMetadata. Counters that are missing are zero.
func (c *cursor) usage() wireUsage {
	var u wireUsage
	if !c.enter('{') {
		c.skip()
		return u
	}
	for {
		key, more := c.key()
		if !more {
			u.known = true
			return u
		}
		switch string(key) {
		case "promptTokenCount":
			u.prompt = c.count()
		case "cachedContentTokenCount":
			u.cached = c.count()
		case "candidatesTokenCount":
			u.candidates = c.count()
		case "thoughtsTokenCount":
			u.thoughts = c.count()
		case "toolUsePromptTokenCount":
			u.toolUse = c.count()
		case "totalTokenCount":
			u.total = c.count()
		default:
			c.skip()
		}
	}
}

// count reads a number of tokens: never less than nothing, nor more than is sane.
func (c *cursor) count() int64 {
	n, _ := c.integer()
	return min(max(n, 0), 1<<40)
}
