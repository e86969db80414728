package gemini

// part reads one Part. A member of the wrong type is told by its name.
func (c *cursor) part(p *wirePart) (wrong string) {
	c.peek()
	start := c.i
	if !c.enter('{') {
		c.skip()
		return "."
	}
	for {
		key, more := c.key()
		if !more {
			break
		}
		if field := c.partMember(p, key); field != "" && wrong == "" {
			wrong = field
		}
	}
	p.raw = c.b[start:min(c.i, len(c.b))]
	return wrong
}

// partMember reads one member and returns its name where its type is wrong.
func (c *cursor) partMember(p *wirePart, key []byte) string {
	var name string
	ok := true
	switch string(key) {
	case "text":
		name = p.has("text")
		p.text, ok = c.text()
	case "thought":
		name = "thought"
		p.thought, ok = c.truth()
	case "thoughtSignature":
		name = "thoughtSignature"
		p.signature, ok = c.text()
	case "functionCall", "functionResponse":
		name = p.has(string(key))
		ok = c.function(p)
	case "inlineData":
		name = p.has("inlineData")
		p.blob, ok = c.blob()
	case "fileData":
		name = p.has("fileData")
		p.blob, ok = c.blob()
	case "executableCode", "codeExecutionResult", "toolCall", "toolResponse":
		p.has(string(key))
		c.skip()
	case "mediaResolution":
		name = "mediaResolution"
		p.resolution, ok = c.resolution()
	default:
		p.extra = append(p.extra, wireMember{string(c.spelled), c.raw()})
	}
	if ok {
		return ""
	}
	return name
}

func (p *wirePart) has(data string) string {
	p.twice = p.twice || p.data != ""
	p.data = data
	return data
}

// function reads a functionCall or a functionResponse. Their maps are free: not
// a name in them is touched.
func (c *cursor) function(p *wirePart) bool {
	if !c.enter('{') {
		c.skip()
		return false
	}
	fine := true
	for {
		key, more := c.key()
		if !more {
			return fine
		}
		ok := true
		switch string(key) {
		case "id":
			p.id, ok = c.text()
		case "name":
			p.name, ok = c.text()
		case "args":
			p.args = c.raw()
		case "response":
			p.response = c.raw()
		case "parts":
			ok = c.responseParts(p)
		default:
			p.extra = append(p.extra, wireMember{p.data + "." + string(c.spelled), c.raw()})
		}
		fine = fine && ok
	}
}

// responseParts reads the media of a functionResponse.
func (c *cursor) responseParts(p *wirePart) bool {
	if !c.enter('[') {
		c.skip()
		return false
	}
	fine := true
	for c.item() {
		p.parts = append(p.parts, wirePart{})
		fine = c.medium(&p.parts[len(p.parts)-1]) && fine
	}
	return fine
}

// medium reads a FunctionResponsePart, which can only be a blob.
func (c *cursor) medium(p *wirePart) bool {
	if !c.enter('{') {
		c.skip()
		return false
	}
	fine := true
	for {
		key, more := c.key()
		if !more {
			return fine && p.data != ""
		}
		if string(key) != "inlineData" && string(key) != "fileData" {
			c.skip()
			continue
		}
		p.has(string(key))
		p.blob, fine = c.blob()
	}
}

func (c *cursor) blob() (wireBlob, bool) {
	var b wireBlob
	if !c.enter('{') {
		c.skip()
		return b, false
	}
	fine := true
	for {
		key, more := c.key()
		if !more {
			return b, fine
		}
		ok := true
		switch string(key) {
		case "mimeType":
			b.mimeType, ok = c.text()
		case "data":
			b.data, ok = c.text()
		case "fileUri":
			b.fileURI, ok = c.text()
		case "displayName":
			b.displayName, ok = c.text()
		default:
			c.skip()
		}
		fine = fine && ok
	}
}

// resolution reads a part's mediaResolution: {"level": "MEDIA_RESOLUTION_HIGH"}.
func (c *cursor) resolution() (string, bool) {
	if !c.enter('{') {
		level, ok := c.enum(resolutions)
		return level, ok
	}
	var level string
	fine := true
	for {
		key, more := c.key()
		if !more {
			return level, fine
		}
		if string(key) != "level" {
			c.skip()
			continue
		}
		level, fine = c.enum(resolutions)
	}
}
