package anthropic

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"strconv"
	"strings"

	"stele/internal/chat"
	"stele/internal/jsonscan"
	"stele/internal/pattern"
)

// limit is max_tokens, which the API always wants. It has to hold a budget of
// thinking too, and is raised for it where the model allows.
func (w *requestWriter) limit(t *plan) int64 {
	most := w.mostTokens()
	given := w.talk.Sampling.MaxTokens
	want := most
	switch {
	case given != nil && most > 0 && *given > most:
		w.lose(chat.Lost(chat.FieldMaxTokens, chat.Approximated, "the model's limit is "+strconv.FormatInt(most, 10)))
	case given != nil:
		want = *given
	case most == 0:
		want = defaultMaxOutput
	}
	if _, warm := w.own("max_tokens"); warm {
		return 0
	}
	if t.budget == 0 || t.budget < want {
		return want
	}
	return w.makeRoom(t, want, most)
}

// mostTokens is the model's limit; 0 where it is not known.
func (w *requestWriter) mostTokens() int64 { return cmp.Or(w.target.MaxOutput, w.can.maxOutput) }

// makeRoom makes place for a budget that the limit does not hold.
func (w *requestWriter) makeRoom(t *plan, want, most int64) int64 {
	total := t.budget + min(want, defaultMaxOutput)
	if w.talk.Sampling.MaxTokens != nil {
		total = t.budget + want
	}
	if most > 0 {
		total = min(total, most)
	}
	if budget := max(leastBudget, total-min(want, total/4)); budget < t.budget {
		t.budget = budget
		w.lose(chat.Lost(chat.FieldThinking, chat.Approximated, "a budget of "+strconv.FormatInt(budget, 10)))
	}
	if total > want && w.talk.Sampling.MaxTokens != nil {
		w.lose(chat.Lost(chat.FieldMaxTokens, chat.Approximated, "raised to "+strconv.FormatInt(total, 10)+" to make room for thinking"))
	}
	return max(total, t.budget+1)
}

// writeSampling writes what the model leaves to the client, and reports the rest.
func (w *requestWriter) writeSampling(out *jsonscan.Writer, t *plan) {
	s := &w.talk.Sampling
	least := 0.0 // of top_p
	fixed := w.can.sampling >= noSampling || t.on
	switch {
	case w.can.sampling >= noSampling:
		least = 0.99
	case t.on:
		least = 0.95
	}
	temperature := s.Temperature
	switch {
	case temperature == nil:
	case fixed:
		if *temperature != 1 {
			w.lose(chat.Lost(chat.FieldTemperature, chat.Dropped, "the model takes only 1 here"))
		}
		temperature = nil
	case *temperature > 1:
		w.lose(chat.Lost(chat.FieldTemperature, chat.Approximated, "1 is the most"))
		writeNumber(out, "temperature", 1)
	case *temperature < 0:
		w.lose(chat.Lost(chat.FieldTemperature, chat.Approximated, "0 is the least"))
		writeNumber(out, "temperature", 0)
	default:
		writeNumber(out, "temperature", *temperature)
	}
	switch {
	case s.TopP == nil, *s.TopP == 1 && (w.can.sampling == unsaid || w.can.sampling == oneSampling && temperature != nil): // it does so anyway
	case w.can.sampling == unsaid:
		w.lose(chat.Lost(chat.FieldTopP, chat.Dropped, "the model does not take it"))
	case *s.TopP < least:
		w.lose(chat.Lost(chat.FieldTopP, chat.Dropped, "the model takes it only from "+strconv.FormatFloat(least, 'f', -1, 64)+" here"))
	case temperature != nil && w.can.sampling == oneSampling:
		w.lose(chat.Lost(chat.FieldTopP, chat.Dropped, "the model takes temperature or top_p, not both"))
	case *s.TopP > 1:
		w.lose(chat.Lost(chat.FieldTopP, chat.Approximated, "1 is the most"))
		writeNumber(out, "top_p", 1)
	default:
		writeNumber(out, "top_p", *s.TopP)
	}
	if s.TopK != nil && (fixed || *s.TopK < 0) {
		w.lose(chat.Lost(chat.FieldTopK, chat.Dropped, "the model does not take it here"))
	} else if s.TopK != nil {
		writeNumber(out, "top_k", math.Trunc(*s.TopK))
	}
	w.noteUnheard(s)
}

// noteUnheard reports what no model of the API listens to.
func (w *requestWriter) noteUnheard(s *chat.Sampling) {
	drop := func(field string, given bool) {
		if given {
			w.lose(droppedField(field))
		}
	}
	drop(chat.FieldPresence, s.Presence != nil && *s.Presence != 0)
	drop(chat.FieldFrequency, s.Frequency != nil && *s.Frequency != 0)
	drop(chat.FieldSeed, s.Seed != nil)
}

// writeNumber writes a number without an exponent, which not every server reads.
func writeNumber(out *jsonscan.Writer, key string, n float64) {
	out.Key(key).Raw(strconv.AppendFloat(nil, n, 'f', -1, 64))
}

// writeStops writes the stop sequences that the API takes. It refuses those of only white
// space: where the answer is read it is cut there.
func (w *requestWriter) writeStops(out *jsonscan.Writer) (local []string) {
	list := jsonscan.NewWriter(nil)
	for _, stop := range w.talk.Sampling.Stop {
		switch {
		case stop == "":
		case strings.TrimSpace(stop) == "":
			local = append(local, stop)
		default:
			list.Text(stop)
		}
	}
	if len(list.Bytes()) > 0 {
		out.Key("stop_sequences").Open(jsonscan.Array).Raw(list.Bytes()).Close(jsonscan.Array)
	}
	return local
}

const longestUser = 256

// personal matches what the API refuses as an id: it "appears to contain an email address", or a telephone's number.
var personal = pattern.New(`[^\s@]@[^\s@]+\.[^\s@]|^\+?[\d\s().-]{7,}$`)

// user is the end user's id, or where the API does not take that another that is as good at telling users apart.
func (w *requestWriter) user() string {
	switch {
	case len(w.talk.User) > longestUser:
		w.lose(chat.Lost(chat.FieldUser, chat.Ignored, "sent as a hash, being too long"))
	case personal().MatchString(w.talk.User):
		w.lose(chat.Lost(chat.FieldUser, chat.Ignored, "sent as a hash: the API takes no addresses and numbers of people"))
	default:
		return w.talk.User
	}
	sum := sha256.Sum256([]byte(w.talk.User))
	return hex.EncodeToString(sum[:])
}
