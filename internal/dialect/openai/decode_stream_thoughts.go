package openai

import (
	"hash/maphash"

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
		t.count++
		t.words = 0
		t.told.Reset()
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

// mark remembers that a thought was told whole.
func (t *thoughts) mark(index int64, sum uint64) {
	if t.seen == nil {
		t.seen = make(map[int64]uint64)
	}
	t.seen[index] = sum
}
