package openai

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// turn is a message's parts, sorted by where this API has them.
type turn struct {
	pieces  []piece
	calls   []chat.Part
	results []toolResult
	drawn   []piece // pictures that the model made, where the upstream takes them back
	proof   string  // of the words
	sound   string  // the id of a sound that the model made
}

// toolResult is a result and the id that its call was sent with.
type toolResult struct {
	chat.Part
	sent string
}

// piece is one part of a content.
type piece struct {
	text  string                 // words
	write func(*jsonscan.Writer) // the whole part, where it is more than words
	kind  chat.Kind              // of what is not words; zero for words
	at    int
	apart bool // they stand for what is no words: on lines of their own
}

// sort files every part of a message where it belongs. A result that answers no call that waits is words, in its place.
func (e *requestWriter) sort(m chat.Message, parts []chat.Part) (t turn) {
	for _, p := range parts {
		switch p.Kind {
		case chat.Text:
			if len(t.calls) > 0 && p.Text != "" {
				e.losePart(m, p, chat.Approximated, "moved before the calls")
			}
			if p.Proof != "" {
				t.proof = p.Proof
			}
			if len(p.Citations) > 0 {
				e.losePart(m, p, chat.Ignored, "sources are not sent back")
			}
			e.addWords(m, p, &t, p.Text)
		case chat.Refusal:
			e.addRefusal(m, p, &t)
		case chat.Thought, chat.Redacted:
			if m.Role != chat.Assistant { // the model's own are written apart from all this
				e.losePart(m, p, chat.Dropped, "only the model's turns have thoughts")
			}
		case chat.ToolCall:
			t.calls = append(t.calls, p)
			e.unmark(m, p)
		case chat.ToolResult:
			if sent := e.takeWaiting(p.ID); sent != "" {
				t.results = append(t.results, toolResult{p, sent})
			} else {
				t.pieces = append(t.pieces, e.sayOrphan(m, p)...)
			}
		case chat.Opaque:
			verb, note := chat.Approximated, p.Name+" in words"
			if p.Text == "" && m.Role == chat.User && m.At >= 0 {
				e.refusePart(m, p, "the model's provider has nothing like %s", p.Name)
			}
			if p.Text == "" {
				verb, note = chat.Dropped, p.Name
			}
			e.losePart(m, p, verb, note)
			e.addWords(m, p, &t, p.Text)
			if n := len(t.pieces); p.Text != "" {
				t.pieces[n-1].apart = true
			}
		case chat.Audio:
			e.addSound(m, p, &t)
		case chat.Image, chat.Video:
			if m.Role == chat.Assistant {
				e.addDrawn(m, p, &t)
			} else {
				e.addPicture(m, p, &t)
			}
		case chat.Document:
			e.addDocument(m, p, &t)
		}
	}
	return t
}

// addWords adds text; none says nothing.
func (e *requestWriter) addWords(m chat.Message, p chat.Part, t *turn, text string) {
	if text == "" {
		e.unmark(m, p)
		return
	}
	t.pieces = append(t.pieces, piece{text: text, at: p.At, write: e.textWriter(text, e.markOf(m, p))})
}

// textWriter writes a text with its cache marker; nil: there is none.
func (e *requestWriter) textWriter(text, mark string) func(*jsonscan.Writer) {
	if mark == "" {
		return nil
	}
	return func(w *jsonscan.Writer) {
		w.Open(object).Key("type").Plain("text").Key("text").Text(text).Raw([]byte(mark)).Close(object)
	}
}

func (e *requestWriter) addRefusal(m chat.Message, p chat.Part, t *turn) {
	if e.t.Compatible || m.Role != chat.Assistant {
		e.addWords(m, p, t, p.Text)
		return
	}
	t.pieces = append(t.pieces, piece{at: p.At, write: func(w *jsonscan.Writer) {
		w.Open(object).Key("type").Plain("refusal").Key("refusal").Text(p.Text).Close(object)
	}})
}

// attach adds what is no words: a part of that type, with one member of the same
// name that inner writes.
func (e *requestWriter) attach(m chat.Message, p chat.Part, t *turn, kind string, inner func(*jsonscan.Writer)) {
	mark := e.markOf(m, p)
	t.pieces = append(t.pieces, piece{kind: p.Kind, at: p.At, write: func(w *jsonscan.Writer) {
		w.Open(object).Key("type").Text(kind).Key(kind).Open(object)
		inner(w)
		w.Close(object).Raw([]byte(mark)).Close(object)
	}})
}

// pictures are the types the author's own service sees.
var pictures = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

func (e *requestWriter) addPicture(m chat.Message, p chat.Part, t *turn) {
	switch media := p.Media; {
	case p.Kind == chat.Video && !e.t.Compatible:
		e.refusePart(m, p, "the model's provider takes no video")
	case media == nil:
		e.refusePart(m, p, "it has no data")
	case media.Base64 == "" && media.URL == "":
		e.refusePart(m, p, "the model's provider does not have the file %q", media.FileID)
	case media.Base64 != "" && !e.t.Compatible && !slices.Contains(pictures, dialect.TypeOf(media)):
		e.refusePart(m, p, "the model's provider takes no %q", dialect.TypeOf(media))
	default:
		if media.Name != "" {
			e.losePart(m, p, chat.Ignored, "the file's name")
		}
		e.addLink(m, p, t)
	}
}

// addDrawn keeps a picture of the model's for its own place, at an upstream that has one.
func (e *requestWriter) addDrawn(m chat.Message, p chat.Part, t *turn) {
	if !e.t.Pictures || p.Kind != chat.Image || p.Media == nil || p.Media.Base64 == "" && p.Media.URL == "" {
		e.losePart(m, p, chat.Dropped, onlyWords)
		e.unmark(m, p)
		return
	}
	drawn := turn{}
	e.addPicture(m, p, &drawn)
	t.drawn = append(t.drawn, drawn.pieces...)
}

// addLink writes an image_url or a video_url.
func (e *requestWriter) addLink(m chat.Message, p chat.Part, t *turn) {
	detail := strings.TrimPrefix(p.Media.Detail, "media_resolution_")
	switch detail {
	case "", "auto", "low", "high", "original":
	case "medium":
		detail = "auto"
		e.losePart(m, p, chat.Approximated, "detail auto")
	default:
		detail = ""
		e.losePart(m, p, chat.Approximated, "without detail")
	}
	kind := "image_url"
	if p.Kind == chat.Video {
		kind = "video_url"
	}
	e.attach(m, p, t, kind, func(w *jsonscan.Writer) {
		w.Key("url")
		if p.Media.Base64 != "" {
			writeData(w, dialect.TypeOf(p.Media), p.Media.Base64)
		} else {
			w.Text(p.Media.URL)
		}
		if detail != "" {
			w.Key("detail").Text(detail)
		}
	})
}

// addSound writes what was recorded as data. What a model said is an id that only
// its own upstream knows, or its words.
func (e *requestWriter) addSound(m chat.Message, p chat.Part, t *turn) {
	if m.Role == chat.Assistant {
		switch {
		case strings.HasPrefix(p.ID, "audio_") && !e.t.Compatible:
			t.sound = p.ID
		case p.Text != "":
			e.losePart(m, p, chat.Approximated, "its transcript")
			e.addWords(m, p, t, p.Text)
		default:
			e.losePart(m, p, chat.Dropped, "a sound without its words")
		}
		return
	}
	if p.Media == nil || p.Media.Base64 == "" {
		e.refusePart(m, p, "the model's provider takes sound only as base64 data")
		return
	}
	mime := dialect.TypeOf(p.Media)
	format := SoundFormat(mime)
	if format != "mp3" && format != "wav" && !e.t.Compatible {
		e.refusePart(m, p, "the model's provider takes no %q", mime)
	}
	e.attach(m, p, t, "input_audio", func(w *jsonscan.Writer) {
		w.Key("data").Plain(p.Media.Base64).Key("format").Text(format)
	})
}

// SoundFormat is what this API calls a type of sound.
func SoundFormat(mime string) string {
	switch format := strings.TrimPrefix(strings.TrimPrefix(mime, "audio/"), "x-"); format {
	case "mpeg":
		return "mp3"
	case "wave", "vnd.wave":
		return "wav"
	default:
		return format
	}
}

// addDocument writes a PDF as a file, and what is text as text.
func (e *requestWriter) addDocument(m chat.Message, p chat.Part, t *turn) {
	if p.Media != nil && p.Media.Cite {
		e.losePart(m, p, chat.Dropped, "citations are not carried")
	}
	text, ok := dialect.DocumentText(&p)
	switch media := p.Media; {
	case ok:
		e.losePart(m, p, chat.Approximated, "as text")
		e.addWords(m, p, t, dialect.FrameDocument(&p, text))
		for _, inner := range p.Content {
			if inner.Kind == chat.Image {
				inner.At = p.At
				e.addPicture(m, inner, t)
			}
		}
	case media == nil:
		e.refusePart(m, p, "it has no data")
	case strings.HasPrefix(media.FileID, "file-"):
		e.attach(m, p, t, "file", func(w *jsonscan.Writer) { w.Key("file_id").Text(media.FileID) })
	case media.FileID != "":
		e.refusePart(m, p, "the model's provider does not have the file %q", media.FileID)
	case media.Base64 == "":
		e.refusePart(m, p, "the model's provider takes documents only as base64 data")
	case dialect.TypeOf(media) != "application/pdf" && !e.t.Compatible:
		e.refusePart(m, p, "the model's provider takes no %q", dialect.TypeOf(media))
	default:
		if media.Note != "" {
			t.pieces = append(t.pieces, piece{text: media.Note, at: p.At})
		}
		e.attach(m, p, t, "file", func(w *jsonscan.Writer) {
			w.Key("filename").Text(fileName(p)).Key("file_data")
			writeData(w, dialect.TypeOf(media), media.Base64)
		})
	}
}

// fileName is a document's title with an ending: the API tells types by it.
func fileName(p chat.Part) string {
	name := cmp.Or(dialect.DocumentName(&p), "document")
	if path.Ext(name) == "" && dialect.TypeOf(p.Media) == "application/pdf" {
		name += ".pdf"
	}
	return name
}
