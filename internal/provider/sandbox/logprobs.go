package sandbox

import (
	"encoding/json"
	"hash/fnv"
	"strings"

	"stele/internal/chat"
)

// mostLikely bounds the alternatives shown for a token.
const mostLikely = 20

// others are the tokens that an answer might have had instead.
var others = []string{" perhaps", " stone", " a", " the", " word", " and", " never", " some", " one", " it"}

// chance is how likely a token was, and likely the same with its alternatives,
// in openai's words.
type chance struct {
	Token   string  `json:"token"`
	Logprob float64 `json:"logprob"`
	Bytes   []int   `json:"bytes"`
}

type likely struct {
	chance
	Top []chance `json:"top_logprobs"`
}

// logprobs makes up how likely each word of the text was, always the same, with
// the word itself first among n alternatives.
func (a *answer) logprobs(n int) json.RawMessage {
	content := []likely{}
	for i := range a.blocks {
		if a.blocks[i].part.Kind != chat.Text {
			continue
		}
		for at, token := range a.blocks[i].pieces {
			content = append(content, chances(token, at, min(n, mostLikely)))
		}
	}
	return encode(map[string]any{"content": content, "refusal": nil})
}

func chances(token string, at, n int) likely {
	h := fnv.New32a()
	_, _ = h.Write([]byte(token)) // a hash takes everything
	log := -float64((h.Sum32()+uint32(at))%500+1) / 1000
	l := likely{chance: chance{token, log, byteList(token)}, Top: []chance{}}
	for i := range n {
		other := token
		if i > 0 {
			other = others[(at+i)%len(others)] + strings.Repeat("'", (i-1)/len(others))
		}
		l.Top = append(l.Top, chance{other, log - float64(i), byteList(other)})
	}
	return l
}

func byteList(text string) []int {
	list := make([]int, len(text))
	for i := range len(text) {
		list[i] = int(text[i])
	}
	return list
}
