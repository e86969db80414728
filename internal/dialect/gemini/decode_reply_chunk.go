package gemini

import (
	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// wireChunk is a GenerateContentResponse: a whole answer or one frame of it.
type wireChunk struct {
	id, model    string
	known        bool // id and model are, and are not read again
	candidates   []wireCandidate
	blocked      string // promptFeedback.blockReason
	blockMessage string
	usage        chat.Usage
	failed       bool // it is an error
	others       dialect.Others
}

// wireCandidate is one candidate of an answer, or of a chunk of one.
type wireCandidate struct {
	index     int64
	parts     []wirePart
	finish    string
	blocked   *wireChunk // whose prompt was blocked, which is why it ended; nil: it was not
	message   string
	token     string
	citations []wireCitation
	queries   jsonscan.Value // webSearchQueries
	logprobs  jsonscan.Value
}

// read reads an answer, in the very walk that finds whether it is JSON.
func (w *wireChunk) read(data []byte) (jsonscan.Value, error) {
	report, err := jsonscan.Scan{Allow: jsonscan.Lenient}.Walk(data, w.readMember)
	if k := report.Root.Kind(); err != nil || k != jsonscan.Object && k != jsonscan.Array {
		return report.Root, dialect.Unreadable(data)
	}
	return report.Root, nil
}

func (w *wireChunk) readMember(key jsonscan.Key, v jsonscan.Value) {
	if v.Absent() {
		return
	}
	switch toCamel(key.Name) {
	case "candidates":
		for _, v := range items(v) {
			w.nextCandidate().read(v, &w.others)
		}
	case "promptFeedback":
		if why := textOf(v, "blockReason"); why != "" {
			w.blocked, w.blockMessage = why, textOf(v, "blockReasonMessage")
		} else {
			w.others.See("promptFeedback", v)
		}
	case "usageMetadata":
		w.usage = readUsage(v)
		w.others.Count("usageMetadata", v, counters...)
	case "modelVersion":
		if !w.known {
			w.model, _ = v.Text()
		}
	case "responseId":
		if !w.known {
			w.id, _ = v.Text()
		}
	case "error":
		w.failed = true
	case "createTime", "sdkHttpResponse": // of every answer
	default:
		w.others.See(key.Name, v)
	}
}

// reset forgets a frame, but not its memory, nor that the prompt was blocked: only one frame
// says so.
func (w *wireChunk) reset(known bool) {
	before := *w
	*w = wireChunk{known: known, candidates: before.candidates[:0], others: before.others}
	if before.blocked != unblocked {
		w.blocked, w.blockMessage = before.blocked, before.blockMessage
	}
}

// nextCandidate gives a candidate to be read, in the memory of a frame before where there is some.
func (w *wireChunk) nextCandidate() *wireCandidate {
	n := len(w.candidates)
	if n < cap(w.candidates) {
		w.candidates = w.candidates[:n+1]
		w.candidates[n] = wireCandidate{parts: w.candidates[n].parts[:0]}
	} else {
		w.candidates = append(w.candidates, wireCandidate{})
	}
	return &w.candidates[n]
}

// read reads a candidate. What no other API has is learnt of.
func (w *wireCandidate) read(v jsonscan.Value, others *dialect.Others) {
	for key, v := range fields(v) {
		switch key.name {
		case "content":
			if text, ok := v.Text(); ok && text != "" { // of imitations
				w.parts = append(w.parts, wirePart{data: "text", text: text, raw: v})
			}
			for _, v := range items(fieldOf(v, "parts")) {
				w.parts = append(w.parts, wirePart{})
				p := &w.parts[len(w.parts)-1]
				if p.read(v); p.data == "" {
					p.takeThought(v)
				}
				if p.twice && p.text != "" { // imitations say it in one
					words := wirePart{data: "text", text: p.text, thought: p.thought, raw: p.raw}
					w.parts = append(w.parts[:len(w.parts)-1], words, *p)
				}
			}
		case "finishReason":
			w.finish = finishWord(v)
		case "finishMessage":
			w.message, _ = v.Text()
		case "index":
			w.index, _ = readInt(v)
		case "continuationToken":
			w.token, _ = v.Text()
		case "citationMetadata":
			w.readCitations(v, others)
		case "groundingMetadata":
			w.readGrounding(v, others)
		case "logprobsResult":
			w.logprobs = v
		case "urlContextMetadata":
			w.readAddresses(v)
		case "tokenCount", "finishDetails": // what the rest says already
		default:
			others.See(key.name, v)
		}
	}
	if w.message != "" && reasons[w.finish] != chat.Refused { // which has a place for it
		others.Learn("finishMessage")
	}
}
