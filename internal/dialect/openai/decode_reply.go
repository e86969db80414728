package openai

import (
	"cmp"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// DecodeReply reads a whole answer, of whatever server.
func (Codec) DecodeReply(body []byte) (*chat.WholeReply, error) {
	reply := reply{others: new(dialect.Others)}
	if err := reply.open(body); err != nil {
		return nil, err
	}
	r := &chat.WholeReply{
		ID: anyText(reply.id), Model: anyText(reply.model), Tier: reply.tier.View(), Usage: reply.tieredUsage(),
	}
	if isOvercounted(reply.usage) {
		r.Notes = append(r.Notes, chat.Lost("usage", chat.Approximated, "more came from the cache than there was: counted as all of it"))
	}
	type numbered struct {
		index  int64
		answer chat.Answer
	}
	var answers []numbered
	for _, v := range reply.choices.Elements() {
		if e := readFailedChoice(v); e != nil {
			return nil, e
		}
		if v.Get("finish_reason").View() == "" {
			r.Notes = append(r.Notes, dialect.LossOfEnd())
		}
		answer := readAnswer(v, reply.others)
		for key, v := range v.Members() {
			if !isKnownMember(key.Name) {
				reply.learn(key.Name, v)
			}
		}
		answer.Parts = cite(answer.Parts, withoutCited(readSources(reply.results, reply.citations), addressesIn(answer.Parts)))
		answers = append(answers, numbered{readCount(v.Get("index")), answer})
	}
	if len(answers) == 0 {
		return nil, dialect.Unreadable(body)
	}
	slices.SortStableFunc(answers, func(a, b numbered) int { return cmp.Compare(a.index, b.index) })
	for _, a := range answers {
		r.Answers = append(r.Answers, a.answer)
	}
	r.Notes = append(r.Notes, reply.others.TakeLosses()...)
	return r, nil
}

// readFailedChoice says why one of choices is no answer, or nil: routers tell so of an upstream that
// failed after it had begun.
func readFailedChoice(choice jsonscan.Value) error {
	if e := readFailure(choice); e != nil {
		return e
	}
	said := choice.Get("message")
	useful := said.Get("content").Len() > 0 || said.Get("content").View() != "" || said.Get("tool_calls").Len() > 0
	if !isFailure(choice.Get("finish_reason").View(), useful) && !isFailure(choice.Get("native_finish_reason").View(), useful) {
		return nil
	}
	return chat.BrokenError(dialect.Cause(0, choice.Raw()))
}

// CountReply reads of a whole answer only what metering needs, and whether it is one. One that says
// nothing is the client's to see, as it came.
func (Codec) CountReply(body []byte) (*chat.WholeReply, error) {
	var reply reply
	if err := reply.open(body); err != nil {
		return nil, err
	}
	if reply.choices.Kind() != array {
		return nil, dialect.Unreadable(body)
	}
	if reply.mayFail {
		for _, v := range reply.choices.Elements() {
			if e := readFailedChoice(v); e != nil {
				return nil, e
			}
		}
	}
	return &chat.WholeReply{Usage: reply.tieredUsage()}, nil
}

// hasChoice reports whether there is any answer in it.
func (r *reply) hasChoice() bool {
	for range r.choices.Elements() {
		return true
	}
	return false
}

// open reads the object that a whole answer is, as far as one walk tells of it, or is the
// error that it says.
func (r *reply) open(body []byte) error {
	failed := false
	report, err := jsonscan.Scan{Allow: jsonscan.Lenient, Needles: failures}.Walk(body, func(key jsonscan.Key, v jsonscan.Value) {
		failed = failed || key.Name == "error" && !v.Absent() || key.Name == "object" && v.View() == "error"
		r.put(key, v)
	})
	if err != nil {
		return dialect.Unreadable(body)
	}
	r.mayFail = report.FoundAny()
	root := report.Root
	if failed || root.Kind() != object {
		if e := readFailure(root); e != nil {
			return e
		}
	}
	if root.Kind() != object {
		return dialect.Unreadable(body)
	}
	return nil
}

// reply is a whole answer or a chunk of one, its members not read any further.
type reply struct {
	id, model, choices, usage, tier, failed, padding jsonscan.Value

	mayFail bool // it has a word in it that failed ones have

	results, citations jsonscan.Value // what a server found that searches by itself: Perplexity, xAI

	others *dialect.Others // takes what is not known; nil: it is not looked at
}

func readReply(root jsonscan.Value) reply {
	var r reply
	for key, v := range root.Members() {
		r.put(key, v)
	}
	return r
}

func (r *reply) put(key jsonscan.Key, v jsonscan.Value) {
	switch key.Name {
	case "id":
		r.id = v
	case "model":
		r.model = v
	case "choices":
		r.choices = v
	case "error":
		r.failed = v
	case "service_tier":
		r.tier = v
	case "obfuscation":
		r.padding = v
	case "citations":
		r.citations = v
	case "usage":
		r.count(v)
	case "x_groq":
		if r.usage.Kind() != object {
			r.count(v.Get("usage"))
		}
	case "object", "type", "created", "request_id", "system_fingerprint", "provider", "prompt", "stats", "timings", "time_info", "model_info", "runtime":
		// Of every answer, and of how it was made.
	default:
		if slices.Contains(foundLists, key.Name) {
			r.find(key.Name, v)
		} else {
			r.learn(key.Name, v)
		}
	}
}

// foundLists are where servers name what they found, beside citations. Clients send all of them back with the answer.
var foundLists = []string{"search_results", "web_search", "references", "search_info"}

// find takes over the sources that a server names: Perplexity, Zhipu, Volcano and Alibaba, the last one step further in.
func (r *reply) find(name string, v jsonscan.Value) {
	list := v
	if v.Kind() == object {
		list = v.Get("search_results")
	}
	if addressOf(list.Index(0)) != "" {
		r.results = list
	} else {
		r.learn(name, v)
	}
}

// addressOf is where a source is.
func addressOf(source jsonscan.Value) string {
	return cmp.Or(source.Get("url").View(), source.Get("link").View())
}

// learn notes a member that no other API has, if it says anything.
func (r *reply) learn(name string, v jsonscan.Value) {
	if r.others != nil {
		r.others.See(name, v)
	}
}

// isKnownMember reports whether a member of a choice is known, or says nothing that the rest does not.
func isKnownMember(name string) bool {
	switch name {
	case "index", "message", "delta", "finish_reason", "logprobs", "stop_reason", "matched_stop", "usage", "error", "native_finish_reason", "seed", "text":
		return true
	}
	return false
}

// readSources reads the sources that a server names beside its answers: with their titles, or
// addresses only.
func readSources(results, citations jsonscan.Value) (list []chat.Citation) {
	for _, v := range results.Elements() {
		if url := addressOf(v); url != "" {
			list = append(list, chat.Citation{URL: url, Title: v.Get("title").View(), Raw: v.Raw(), Dialect: name})
		}
	}
	for _, v := range citations.Elements() {
		if url := v.View(); url != "" && results.Len() == 0 {
			list = append(list, chat.Citation{URL: url, Raw: v.Raw(), Dialect: name})
		}
	}
	return list
}

// withoutCited leaves out the sources that the answer itself cites: LiteLLM makes citations of the list and
// leaves the list beside them.
func withoutCited(sources []chat.Citation, cited []string) []chat.Citation {
	return slices.DeleteFunc(sources, func(c chat.Citation) bool { return slices.Contains(cited, c.URL) })
}

// addressesIn are those that an answer cites.
func addressesIn(parts []chat.Part) (list []string) {
	for i := range parts {
		for _, c := range parts[i].Citations {
			list = append(list, c.URL)
		}
	}
	return list
}

func (r *reply) count(usage jsonscan.Value) {
	if usage.Kind() == object {
		r.usage = usage
		countOthers(r.others, usage)
	}
}

// tieredUsage is what the answer took, in the tier that served it.
func (r *reply) tieredUsage() chat.Usage {
	u := readUsage(r.usage)
	if u.Known {
		u.Tier = chat.ServiceTier(r.tier.View())
	}
	return u
}

// readAnswer reads one of choices. What no other API has is learnt of.
func readAnswer(v jsonscan.Value, others *dialect.Others) chat.Answer {
	m := readMessage(v.Get("message"))
	if !v.Get("message").Exists() && v.Get("delta").Kind() == object {
		m = readMessage(v.Get("delta"))
	} else if !v.Get("message").Exists() {
		m.content = v.Get("text") // of the older API
	}
	var calls []chat.Part
	if m.functionCall.Kind() == object && !isTwin(m.functionCall, m.toolCalls) {
		calls = append(calls, readCall("function", m.functionCall))
	}
	for _, call := range inList(m.toolCalls) {
		if p, ok := readToolCall(call); ok {
			calls = appendCalls(calls, p)
			learnCall(others, call)
		} else {
			others.Learn("tool_calls." + call.Get("type").View())
		}
	}
	m.openSpecific(v.Get("message"), others)
	taken := takeSigned(&m)
	for _, unknown := range m.unknown {
		others.See(unknown.name, unknown.value)
	}
	for i := range calls {
		if calls[i].ID == "" {
			calls[i].ID = chat.NewCallID()
		}
	}
	thoughts, parts := readThoughts(&m, calls), readContent(m.content, others)
	if len(taken) > 0 {
		thoughts = taken
	}
	if proof := signature(m.extraContent); proof != "" {
		parts = sign(parts, proof)
	}
	parts = cite(parts, readCitations(m.annotations))
	parts = weave(thoughts, append(append(parts, readRest(&m)...), calls...))
	for i := range parts {
		parts[i].At = 0
	}
	refused := m.refusal.View() != "" || slices.ContainsFunc(parts, func(p chat.Part) bool { return p.Kind == chat.Refusal })
	stop := withStopSequence(readFinish(v.Get("finish_reason").View(), refused), cmp.Or(v.Get("stop_reason").View(), v.Get("matched_stop").View()))
	a := chat.Answer{Parts: parts, Stop: chat.Settle(stop, len(calls) > 0)}
	if probabilities := v.Get("logprobs"); probabilities.Kind() == object {
		a.Logprobs = probabilities.Raw()
	}
	return a
}

// appendCalls appends a call, or those that a server has written into one.
func appendCalls(calls []chat.Part, p chat.Part) []chat.Part {
	var objects []string
	if !p.Custom {
		objects = splitArguments(p.Text)
	}
	if len(objects) == 0 {
		return append(calls, p)
	}
	for i, object := range objects {
		if p.Text = object; i > 0 {
			p.ID, p.Proof = "", ""
		}
		calls = append(calls, p)
	}
	return calls
}

// readContent reads an answer's content, which some servers give in parts, their
// thoughts among them.
func readContent(v jsonscan.Value, others *dialect.Others) (parts []chat.Part) {
	if text := textOf(v); text != "" {
		return []chat.Part{{Kind: chat.Text, Text: text}}
	}
	var pictures []chat.Part
	var whole strings.Builder // the text of the last part
	for _, item := range inList(v) {
		kind, text := chat.Text, cmp.Or(item.Get("text").View(), item.View())
		switch word := item.Get("type").View(); word {
		case "thinking":
			kind, text = chat.Thought, readWords(item.Get("thinking"))
		case "reasoning": // Databricks'
			kind, text = chat.Thought, cmp.Or(readWords(item.Get("summary")), readWords(item.Get("content")), text)
			if others.See(word+".signature", item.Get("summary").Index(0).Get("signature")); text == "" {
				others.Learn(word)
			}
		case "refusal":
			kind, text = chat.Refusal, item.Get("refusal").View()
		case "text", "output_text", "":
		default:
			if m, ok := readLink(item.Get("image_url")); ok && word == "image_url" {
				pictures = append(pictures, chat.Part{Kind: chat.Image, Media: m})
			} else if text == "" {
				others.Learn(word)
			}
		}
		if text == "" {
			continue
		}
		if n := len(parts) - 1; n < 0 || parts[n].Kind != kind {
			if n >= 0 {
				parts[n].Text = whole.String()
			}
			whole.Reset()
			parts = append(parts, chat.Part{Kind: kind})
		}
		whole.WriteString(text)
	}
	if n := len(parts) - 1; n >= 0 {
		parts[n].Text = whole.String()
	}
	return append(parts, pictures...)
}

// textOf is content that is a text, or JSON where one should be: some servers give an answer that was to be JSON
// as the value that it is.
func textOf(v jsonscan.Value) string {
	switch v.Kind() {
	case jsonscan.Number, jsonscan.True, jsonscan.False:
		return string(v.Raw())
	case object:
		if v.Get("type").View() == "" && v.Get("text").View() == "" && v.Len() > 0 {
			return string(v.Raw())
		}
	}
	return v.View()
}

// readWords reads a text, or those of a list of parts.
func readWords(v jsonscan.Value) string {
	var text strings.Builder
	text.WriteString(v.View())
	for _, item := range v.Elements() {
		text.WriteString(item.Get("text").View())
	}
	return text.String()
}
