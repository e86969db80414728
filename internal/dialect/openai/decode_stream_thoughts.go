package openai

import (
	"hash/maphash"
	"slices"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// thoughts is what a stream has told of them. Most servers tell words as
// reasoning_content; some tell each piece in reasoning_details as well; some
// tell whole thoughts there once more, with their signatures.
type thoughts struct {
	told  maphash.Hash // the words of the thought that is being told
	words int          // how many bytes those are
	count int          // how many were signed
	seen  map[int64]uint64
	only  bool // their words stand in thinking_blocks, and nowhere else
}

// readDelta reads a delta, and notes its words if it has nothing else. Its thoughts are
// before its words, wherever they stand: at the turn from the ones to the others servers
// put the last thought behind the first word.
func (d *streamReader) readDelta(delta jsonscan.Value) {
	more := false
	var signed jsonscan.Value
	var where string
	for key, v := range delta.Members() {
		switch {
		case v.Absent():
		case isThought(key.Name):
			d.readPiece(key.Name, v, delta)
			more = true
		case isSigned(key.Name):
			signed, where, more = v, key.Name, true
		case key.Name == specific:
			for name, v := range besideOwn(v, delta) {
				switch {
				case isSigned(name):
					signed, where, more = v, name, true
				case !isThought(name):
					d.others.See(specific+"."+name, v)
				case !tellsThoughts(delta):
					d.readPiece(name, v, delta)
					more = true
				}
			}
		}
	}
	if signed.Exists() {
		d.readSigned(where, signed)
	}
	for key, v := range delta.Members() {
		if v.Absent() || isThought(key.Name) || isSigned(key.Name) || key.Name == specific {
			continue
		}
		if d.readPiece(key.Name, v, delta); key.Name == "content" {
			d.words = v
		} else if key.Name != "role" {
			more = true
		}
	}
	if more {
		d.words = jsonscan.Value{}
	}
}

// isThought reports whether a member of a delta tells thoughts.
func isThought(name string) bool {
	return name == "reasoning_details" || slices.Contains(thoughtNames, name)
}

// hasWords reports whether details have words, so that the plain spelling of the
// same words beside them is passed over.
func hasWords(details jsonscan.Value) bool {
	for _, item := range details.Elements() {
		if item.Get("text").View() != "" || item.Get("summary").View() != "" {
			return true
		}
	}
	return false
}

// think tells words of a thought.
func (d *streamReader) think(text string) {
	_, _ = d.thoughts.told.WriteString(text)
	d.thoughts.words += len(text)
	d.say(d.thoughts.block(), chat.Part{Kind: chat.Thought, Text: text})
}

func (t *thoughts) block() int { return blockThought + min(t.count, 1<<20) }

// readDetail reads one of a delta's reasoning_details.
func (d *streamReader) readDetail(item jsonscan.Value) {
	p, ok := readDetail(item)
	if !ok {
		return
	}
	if p.Kind == chat.Redacted {
		if i, ok := d.known[item.Get("id").View()]; ok {
			d.sayCopy(blockCall+i, chat.Part{Kind: chat.ToolCall, Proof: inDetails + p.Text})
			return
		}
	}
	t := &d.thoughts
	index := min(readCount(item.Get("index")), 1<<16)
	sum := maphash.String(t.told.Seed(), p.Text+"\x00"+p.Proof)
	told, again := t.seen[index]
	switch {
	case again && told == sum:
		// A stream's end tells all thoughts once more.
	case p.Kind == chat.Thought && t.words > 0 && (p.Text == "" || t.wasJustTold(p.Text)):
		// The words were told already: this is their signature, and their end.
		d.sayCopy(t.block(), chat.Part{Kind: chat.Thought, Proof: p.Proof})
		t.end()
		t.mark(index, sum)
	default:
		if p.Kind == chat.Redacted || p.Proof != "" {
			t.mark(index, sum)
		}
		d.sayCopy(blockDetail+int(index), p)
	}
}

// wasJustTold reports whether these are the words that were told just now.
func (t *thoughts) wasJustTold(text string) bool {
	return len(text) == t.words && maphash.String(t.told.Seed(), text) == t.told.Sum64()
}

// end is the end of the thought that was told: it is signed.
func (t *thoughts) end() {
	t.count++
	t.words = 0
	t.told.Reset()
}

// mark remembers that a thought was told whole.
func (t *thoughts) mark(index int64, sum uint64) {
	if t.seen == nil {
		t.seen = make(map[int64]uint64)
	}
	t.seen[index] = sum
}
