package gemini

import (
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// voices are the speakers that the API has, and what a speaker of OpenAI's sounds most like.
var (
	voices = []string{
		"Zephyr", "Puck", "Charon", "Kore", "Fenrir", "Leda", "Orus", "Aoede", "Callirrhoe", "Autonoe", "Enceladus", "Iapetus", "Umbriel", "Algieba",
		"Despina", "Erinome", "Algenib", "Rasalgethi", "Laomedeia", "Achernar", "Alnilam", "Schedar", "Gacrux", "Pulcherrima", "Achird",
		"Zubenelgenubi", "Vindemiatrix", "Sadachbia", "Sadaltager", "Sulafat",
	}
	nearest = map[string]string{
		"alloy": "Kore", "ash": "Orus", "ballad": "Umbriel", "coral": "Aoede", "echo": "Charon", "fable": "Puck", "nova": "Leda", "onyx": "Fenrir",
		"sage": "Sulafat", "shimmer": "Zephyr", "verse": "Algieba", "marin": "Achernar", "cedar": "Iapetus",
	}
)

// writeModalities writes in what form the answer is wanted. A model that only speaks is asked
// for nothing but sound.
func (w *requestWriter) writeModalities() {
	wanted := w.talk.Output
	sound := slices.Contains(wanted, "audio")
	if w.traits.speaks && !slices.Equal(wanted, []string{"audio"}) {
		if sound {
			w.lose(chat.Lost(chat.FieldOutput, chat.Approximated, "the model only speaks: the answer has no text"))
		} else {
			w.lose(chat.Lost(chat.FieldOutput, chat.Added, "sound: the model only speaks"))
		}
		wanted, sound = []string{"audio"}, true
	}
	if len(wanted) > 0 && (len(wanted) > 1 || wanted[0] != "text") {
		w.Key("responseModalities").Open(jsonscan.Array)
		for _, word := range wanted {
			w.Text(strings.ToUpper(word))
		}
		w.Close(jsonscan.Array)
	}
	switch {
	case w.talk.Audio == nil:
	case sound:
		w.writeSpeech()
	default:
		w.lose(chat.Lost(chat.FieldAudio, chat.Ignored, "no sound is asked for"))
	}
}

// writeSpeech writes who speaks. The form of the sound is the API's own.
func (w *requestWriter) writeSpeech() {
	asked := jsonscan.Root(w.talk.Audio)
	word := asked.Get("voice")
	if word.Kind() == jsonscan.Object {
		word = word.Get("id")
	}
	voice, exact := voiceOf(word.View())
	if !exact {
		w.lose(chat.Lost(chat.FieldAudio, chat.Approximated, "the voice "+voice))
	}
	switch form := asked.Get("format").View(); {
	case form == "" || form == "pcm16" || form == "wav" && !w.target.Stream: // the same samples
	default:
		w.lose(chat.Lost(chat.FieldAudio, chat.Approximated, "the sound is 16-bit PCM"))
	}
	w.Key("speechConfig").Open(jsonscan.Object).Key("voiceConfig").Open(jsonscan.Object)
	w.Key("prebuiltVoiceConfig").Open(jsonscan.Object).Key("voiceName").Text(voice)
	w.Close(jsonscan.Object).Close(jsonscan.Object).Close(jsonscan.Object)
}

// voiceOf is the speaker of that name, or the nearest one.
func voiceOf(word string) (voice string, exact bool) {
	for _, v := range voices {
		if strings.EqualFold(v, word) {
			return v, true
		}
	}
	if v, ok := nearest[strings.ToLower(word)]; ok {
		return v, false
	}
	return voices[3], false
}
