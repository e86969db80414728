package dialect

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"strings"

	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// Survey refuses a body that is not one JSON object in valid UTF-8 without duplicate
// keys at any depth, and tells all that passing it on needs, in one walk. Parsers
// disagree about duplicates, so a second "model" would be a way around a key's list of
// models. Half a surrogate pair in an escape, as clients make when they cut a text, is
// no reason to refuse it: it is read as U+FFFD. Member, unless it is nil, is told the
// members of the body; of a body that is refused it may have been told some. Of a body
// that is of no dialect it is not told how much it may take.
func Survey(dialect string, body []byte, member func(jsonscan.Key, jsonscan.Value)) (chat.Facts, error) {
	var facts chat.Facts
	asking := asking{terms: termsOf[dialect]}
	scan := jsonscan.Scan{Allow: jsonscan.LoneSurrogates, Needles: marks, Text: func(name string, text jsonscan.Value) {
		facts.Addresses = facts.Addresses || isAddress(name, text)
	}}
	report, err := scan.Walk(body, func(key jsonscan.Key, v jsonscan.Value) {
		if v.To()-v.From() > facts.LongestTo-facts.LongestFrom {
			facts.LongestFrom, facts.LongestTo = v.From(), v.To()
		}
		asking.see(key.Name, v)
		if member != nil {
			member(key, v)
		}
	})
	if err != nil {
		e := fault.New(fault.InvalidRequestBody, "The request body is not valid JSON: %s.", err)
		if wrong, ok := errors.AsType[*jsonscan.Error](err); ok && wrong.Twice != "" {
			e = e.Field(wrong.Twice)
		}
		return chat.Facts{}, e
	}
	if report.Root.Kind() != jsonscan.Object {
		return chat.Facts{}, NoObjectError()
	}
	facts.Values, facts.Weight, facts.Asked = report.Values, WeightOf(&report), asking.toAsked(&report)
	facts.Envelopes = report.Found(envelope) || report.Found(carrier)
	facts.Files = report.Found(fileID) || report.Found(filePath)
	facts.Additions = report.Found(reasoningContent) || report.Found(reasoningDetails) || report.Found(extraContent)
	facts.Repeats = facts.Additions || report.Found(refusal) || report.Found(annotations) || report.Found(index)
	for mark := others; mark <= documents; mark++ {
		facts.Others = facts.Others || report.Found(mark)
	}
	return facts, nil
}

// NoObjectError says that a request's body is no object.
func NoObjectError() *fault.Error {
	return fault.New(fault.InvalidRequestBody, "The request body is not a JSON object.")
}

// Members are those of a request's body. What the survey found to be the longest of
// them is leapt over.
func Members(req *chat.Request) iter.Seq2[jsonscan.Key, jsonscan.Value] {
	f := &req.Origin.Facts
	return jsonscan.Root(req.Origin.Body).MembersAround(f.LongestFrom, f.LongestTo)
}

// CheckBody is Survey for a body of which nothing else is to be known.
func CheckBody(body []byte) error {
	_, err := Survey("", body, nil)
	return err
}

// What is looked for in every body. Ids of files carry the time, which begins with a 0
// for centuries; arguments named file_path are many. pictureMark is in a body as often as
// pictures are, or more often; others are words of Anthropic's API, of OpenAI's newer one and of LangChain
// that some clients say on its older one; documents are where something else is that is no text.
const (
	envelope = iota
	carrier
	fileID
	filePath
	reasoningContent
	reasoningDetails
	extraContent
	picture
	tools
	refusal
	annotations
	index
	others                  // and the marks that follow
	documents = others + 15 // likewise; the first is one of the others, too
)

var marks = jsonscan.NewNeedles(`"`+chat.EnvelopePrefix, `"`+chat.CarrierPrefix, `"file_0`, `/file_0`,
	`"reasoning_content"`, `"reasoning_details"`, `"extra_content"`, pictureMark, `"tools"`, `"refusal"`, `"annotations"`, `"index"`,
	`"tool_use"`, `"tool_result"`, `"input_schema"`, `"custom"`, `"input_text"`, `"output_text"`, `"input_image"`, `"input_file"`, `"thinking"`, `"redacted_thinking"`, `"reasoning"`, `"resource`, `"image"`, `"source_type"`, `"base64"`,
	`"document"`, `"document_url"`, `"file`, `"input_audio"`, `"inline`, `"video`, `"audio_url"`, `"cachedContent"`, `"cached_content"`)

const (
	pictureMark = `"image`
	lastMark    = documents + 9
)

// AppendText appends text as a JSON string. Bad UTF-8 becomes U+FFFD; < > and &
// stay as they are.
func AppendText(dst []byte, text string) []byte { return jsonscan.AppendText(dst, text) }

// SameJSON reports whether two values differ in nothing but spaces.
func SameJSON(a, b []byte) bool {
	return bytes.Equal(a, b) || len(a) > 0 && len(b) > 0 && bytes.Equal(jsonscan.At(a, 0).AppendCompact(nil), jsonscan.At(b, 0).AppendCompact(nil))
}

// NoArguments reports whether a call's arguments are none. Some languages write no members as [].
func NoArguments(text string) bool {
	text = strings.TrimSpace(text)
	return text == "" || text == "null" || text == "[]"
}

// Arguments makes a call's arguments an object, as two of the dialects need it:
// nothing, null and [] are {}, an object keeps its bytes, one that was written as a string of
// JSON is what the string says, what is careless and clear is mended, and anything else is kept under _raw, which the second
// result reports. Half a surrogate pair, which upstreams refuse all of a request for, is left out.
func Arguments(text string) (object json.RawMessage, odd bool) {
	b := jsonscan.WithoutHalves(bytes.TrimSpace([]byte(text)))
	if NoArguments(string(b)) {
		return json.RawMessage("{}"), false
	}
	if b[0] == '"' && jsonscan.Valid(b, jsonscan.Strict) {
		if b = jsonscan.WithoutHalves(bytes.TrimSpace([]byte(jsonscan.At(b, 0).View()))); NoArguments(string(b)) {
			return json.RawMessage("{}"), false
		}
	}
	if len(b) == 0 || b[0] != '{' || !jsonscan.Valid(b, jsonscan.Duplicates) {
		b = repair(b)
	}
	switch {
	case b == nil:
		return append(AppendText([]byte(`{"_raw":`), text), '}'), true
	case !jsonscan.Valid(b, jsonscan.Strict): // Google refuses a name that is there twice
		w := new(jsonscan.Writer)
		writeLast(w, jsonscan.At(b, 0), 0)
		b = w.Bytes()
	}
	return b, false
}

// CallArguments are those of a call as an object. Words that are its only input become its member input.
func CallArguments(p *chat.Part) (object json.RawMessage, odd bool) {
	if p.Custom {
		return append(AppendText([]byte(`{"input":`), p.Text), '}'), false
	}
	return Arguments(p.Text)
}

// What stands for the arguments of a tool that takes free text, where there are only functions, and of one that
// takes nothing.
const (
	FreeText    = `{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}`
	NoParameter = `{"type":"object","properties":{}}`
)

// TagSystemText marks system text that the user's turn has to carry.
func TagSystemText(words string) string {
	return "<system-reminder>\n" + words + "\n</system-reminder>"
}

// writeLast writes a value whose objects have each name once: the last counts, as to most
// parsers. What is nested deeper than any model writes keeps its bytes.
func writeLast(w *jsonscan.Writer, v jsonscan.Value, depth int) {
	switch kind := v.Kind(); {
	case depth > deepestSchema:
		w.Raw(v.Raw())
	case kind == jsonscan.Object:
		last := make(map[string]int)
		for key, inner := range v.Members() {
			last[key.Name] = inner.From()
		}
		w.Open(jsonscan.Object)
		for key, inner := range v.Members() {
			if last[key.Name] == inner.From() {
				writeLast(w.Key(key.Name), inner, depth+1)
			}
		}
		w.Close(jsonscan.Object)
	case kind == jsonscan.Array:
		w.Open(jsonscan.Array)
		for _, inner := range v.Elements() {
			writeLast(w, inner, depth+1)
		}
		w.Close(jsonscan.Array)
	default:
		w.Raw(v.Raw())
	}
}
