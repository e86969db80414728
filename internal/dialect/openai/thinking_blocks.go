package openai

import (
	"cmp"
	"hash/maphash"
	"iter"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// Two servers have Claude's thoughts, signed, in a member of their own beside the words, and take them back only there:
// LiteLLM in a list of Claude's blocks, GitHub's Copilot as one text that only it can read. The member stands for the format
// of what is packed.
const (
	thinkingBlocks  = "thinking_blocks"
	reasoningOpaque = "reasoning_opaque"
)

func isSigned(name string) bool { return name == thinkingBlocks || name == reasoningOpaque }

// packIn is a signature, or what is redacted, with the member in which its server has it.
func packIn(member, value string) string {
	if value == "" {
		return ""
	}
	return chat.ThoughtMark + strings.Join([]string{member, "", value}, chat.ThoughtMark)
}

// memberOf is the member in which the server of a thought has it; "": one of reasoning_details.
func memberOf(p *chat.Placed) string {
	format, _, _ := unpack(cmp.Or(p.Proof, p.Text))
	if isSigned(format) {
		return format
	}
	return ""
}

// readBlock reads one of thinking_blocks, whose words are among those of reasoning_content, where there are any. It is false for what LiteLLM puts
// there for Gemini's models: a part of the answer as JSON.
func readBlock(item jsonscan.Value, words string) (p chat.Part, ok bool) {
	switch item.Get("type").View() {
	case "thinking":
		p = chat.Part{Kind: chat.Thought, Text: item.Get("thinking").View(), Proof: packIn(thinkingBlocks, item.Get("signature").View())}
		return p, words == "" || strings.Contains(words, p.Text)
	case "redacted_thinking":
		p = chat.Part{Kind: chat.Redacted, Text: packIn(thinkingBlocks, item.Get("data").View())}
		return p, p.Text != ""
	}
	return p, false
}

// takeSigned takes signed thoughts out of what is not known of an answer's message.
func takeSigned(m *message) (list []chat.Placed) {
	at := slices.IndexFunc(m.unknown, func(u member) bool { return isSigned(u.name) })
	if at < 0 || !m.reasoningDetails.Absent() {
		return nil
	}
	words, v := cmp.Or(wordsOf(m.reasoningContent), wordsOf(m.reasoningText)), m.unknown[at].value
	if opaque := v.View(); opaque != "" {
		list = append(list, chat.Placed{Part: chat.Part{Kind: chat.Thought, Text: words, Proof: packIn(reasoningOpaque, opaque), At: atThoughts}})
	}
	for i, item := range v.Elements() {
		p, ok := readBlock(item, words)
		if !ok {
			return nil
		}
		p.At = atThoughts + i
		list = append(list, chat.Placed{Part: p})
	}
	if len(list) > 0 {
		m.unknown = slices.Delete(m.unknown, at, at+1)
	}
	return list
}

// readSigned reads signed thoughts of a delta, whose words were told before: a block has all of them once more, or none.
func (d *streamReader) readSigned(name string, v jsonscan.Value) {
	if opaque := v.View(); opaque != "" {
		d.sign(chat.Part{Kind: chat.Thought, Proof: packIn(reasoningOpaque, opaque)})
	}
	for _, item := range v.Elements() {
		p, ok := readBlock(item, item.Get("thinking").View())
		if again := p.Proof != "" && d.thoughts.wasJustTold(p.Text); ok && p.Kind == chat.Thought && p.Text != "" && !again && (d.thoughts.only || d.thoughts.words+d.thoughts.count == 0) {
			d.thoughts.only = true // the server tells the words here alone
			d.think(strings.Clone(p.Text))
			if p.Text = ""; p.Proof == "" {
				continue
			}
		}
		switch {
		case ok && p.Kind == chat.Thought && p.Proof == "": // a piece of the words
		case ok && (p.Kind == chat.Redacted || p.Text == "" || d.thoughts.wasJustTold(p.Text)):
			d.sign(p)
		default:
			d.others.See(name, v)
		}
	}
}

// sign tells what the thought that was told is signed with, which ends it, or a thought that has no words.
func (d *streamReader) sign(p chat.Part) {
	t := &d.thoughts
	sum := maphash.String(t.told.Seed(), cmp.Or(p.Proof, p.Text))
	if _, again := t.seen[int64(sum)]; again { //nolint:gosec // a name for it and no number
		return
	}
	t.mark(int64(sum), sum) //nolint:gosec // likewise
	if p.Kind == chat.Redacted {
		d.sayCopy(blockDetail+min(len(t.seen), 1<<16), p)
		return
	}
	d.sayCopy(t.block(), chat.Part{Kind: chat.Thought, Proof: p.Proof})
	t.end()
}

// writeSigned writes thoughts where the server of the first signed one has them, and reports whether that is no place of reasoning_details.
func writeSigned(w *jsonscan.Writer, parts []chat.Placed) bool {
	at := slices.IndexFunc(parts, func(p chat.Placed) bool { return memberOf(&p) != "" })
	if at < 0 {
		return false
	}
	if memberOf(&parts[at]) == reasoningOpaque {
		_, _, value := unpack(parts[at].Proof)
		w.Key("reasoning_text").Text(parts[at].Text).Key(reasoningOpaque).Text(value)
		return true
	}
	writeWords(w, parts)
	w.Key(thinkingBlocks).Open(array)
	for i := range parts {
		if memberOf(&parts[i]) == thinkingBlocks {
			writeBlock(w, &parts[i])
		}
	}
	w.Close(array)
	return true
}

func writeBlock(w *jsonscan.Writer, p *chat.Placed) {
	w.Open(object)
	if p.Kind == chat.Redacted {
		_, _, data := unpack(p.Text)
		w.Key("type").Plain("redacted_thinking").Key("data").Text(data)
	} else {
		_, _, proof := unpack(p.Proof)
		w.Key("type").Plain("thinking").Key("thinking").Text(p.Text).Key("signature").Text(proof)
	}
	w.Close(object)
}

// specific is LiteLLM's member for what OpenAI's API has no place for: thoughts with their signatures, sources, words of the
// server behind it. Most of it stands beside its own place once more; some pieces of a stream have it only there.
const specific = "provider_specific_fields"

// besideOwn are the members of it that the message, or the delta, does not have itself.
func besideOwn(v, whole jsonscan.Value) iter.Seq2[string, jsonscan.Value] {
	return func(yield func(string, jsonscan.Value) bool) {
		for key, v := range v.Members() {
			if !v.Absent() && whole.Get(key.Name).Absent() && !yield(key.Name, v) {
				return
			}
		}
	}
}

// openSpecific puts what stands only there into its place; what has none is learnt of.
func (m *message) openSpecific(whole jsonscan.Value, others *dialect.Others) {
	at := slices.IndexFunc(m.unknown, func(u member) bool { return u.name == specific })
	if at < 0 {
		return
	}
	inside := m.unknown[at].value
	m.unknown = slices.Delete(m.unknown, at, at+1)
	told := tellsThoughts(whole)
	for name, v := range besideOwn(inside, whole) {
		switch {
		case isSigned(name):
			m.unknown = append(m.unknown, member{name, v})
		case slices.Contains(thoughtNames, name):
			if !told {
				m.reasoningContent, told = v, true
			}
		default:
			others.See(specific+"."+name, v)
		}
	}
}

// tellsThoughts reports whether a message or a delta has words of thoughts in a place of their own.
func tellsThoughts(whole jsonscan.Value) bool {
	return slices.ContainsFunc(thoughtNames, func(name string) bool { return wordsOf(whole.Get(name)) != "" })
}
