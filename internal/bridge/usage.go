package bridge

import (
	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/dialect/openai"
	"stele/internal/jsonscan"
)

// usage is what an answer took. Clients shorten a conversation by what its answers took: of
// one whose server tells nothing it is estimated.
type usage struct {
	chat.Usage

	estimated bool
	cost      []byte // in USD, where the server tells it
}

// estimate reckons what the server did not tell of a whole answer.
func (a *answer) estimate() {
	u := &a.usage
	if u.Known && u.Total() > 0 { // no answer takes nothing
		return
	}
	asked, err := tokens(openai.Codec{}, dialect.Incoming{Body: a.chat})
	if err != nil {
		return // the server has read it all the same
	}
	u.Usage = chat.Usage{Input: asked, Output: chat.Estimate(a.said), Known: true}
	u.estimated = true
}

// writeTools writes what tools of the provider took, where any did. No picture is made by one here.
func (u *usage) writeTools(w *jsonscan.Writer) {
	if u.Searches == 0 {
		return
	}
	w.Key("tool_usage").Open(object).Key("image_gen").Open(object).Key("input_tokens").Int(0)
	w.Key("input_tokens_details").Open(object).Key("image_tokens").Int(0).Key("text_tokens").Int(0).Close(object)
	w.Key("output_tokens").Int(0).Key("total_tokens").Int(0).Close(object)
	w.Key("web_search").Open(object).Key("num_requests").Int(u.Searches).Close(object).Close(object)
}

func (u *usage) write(w *jsonscan.Writer) {
	if !u.Known {
		w.Null()
		return
	}
	w.Open(object).Key("input_tokens").Int(u.Prompt())
	w.Key("input_tokens_details").Open(object).Key("cached_tokens").Int(u.CacheRead).Key("cache_write_tokens").Int(u.CacheWrite).Close(object)
	w.Key("output_tokens").Int(u.Completion()).Key("output_tokens_details").Open(object).Key("reasoning_tokens").Int(u.Reasoning).Close(object)
	w.Key("total_tokens").Int(u.Total())
	if u.estimated {
		w.Key("estimated").Bool(true)
	}
	if u.cost != nil { // its client has asked for it
		w.Key("cost").Raw(u.cost)
	}
	w.Close(object)
}
