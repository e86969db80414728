package openai

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"mime"
	"strconv"
	"strings"
	"time"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// writeSound writes message.audio, or a piece of it as delta.audio. Clients count on an id
// and an end, each told once; the sound is not kept here, so it ends at once.
func writeSound(w *jsonscan.Writer, p *chat.Part, first bool) {
	w.Key("audio").Open(object)
	if first {
		w.Key("id").Text(cmp.Or(p.ID, "audio_"+rand.Text())).Key("expires_at").Int(time.Now().Unix())
	}
	if p.Media != nil {
		w.Key("data").Plain(p.Media.Base64)
	}
	w.Key("transcript").Text(p.Text).Close(object)
}

// joinSounds is two pieces of one sound, as Google gives them: bare samples follow each
// other.
func joinSounds(before, p *chat.Part) *chat.Part {
	if before == nil || before.Media == nil || p.Media == nil {
		return p
	}
	first, err := base64.StdEncoding.DecodeString(before.Media.Base64)
	if err != nil || !isSamples(before.Media.Type) || before.Media.Type != p.Media.Type {
		return p
	}
	more, err := base64.StdEncoding.DecodeString(p.Media.Base64)
	if err != nil {
		return p
	}
	joined := *before
	joined.Text += p.Text
	joined.Media = &chat.Media{Type: p.Media.Type, Base64: base64.StdEncoding.EncodeToString(append(first, more...))}
	return &joined
}

// isSamples reports whether a sound is nothing but samples.
func isSamples(kind string) bool {
	kind, _, _ = mime.ParseMediaType(kind)
	return strings.EqualFold(kind, "audio/l16") || strings.EqualFold(kind, "audio/pcm")
}

// convert brings a whole sound into the form that the client asked for, where that takes no more
// than a header: Google gives bare samples, which wav can hold.
func (a *asked) convert(p *chat.Part) *chat.Part {
	if a.sound != "wav" || p.Media == nil {
		return p
	}
	_, options, err := mime.ParseMediaType(p.Media.Type)
	if err != nil || !isSamples(p.Media.Type) {
		return p
	}
	samples, err := base64.StdEncoding.DecodeString(p.Media.Base64)
	if err != nil {
		return p
	}
	rate, err := strconv.ParseUint(options["rate"], 10, 31)
	if err != nil {
		rate = 24000
	}
	made := *p
	made.Media = &chat.Media{Type: "audio/wav", Base64: base64.StdEncoding.EncodeToString(append(wavHead(uint32(rate), uint32(len(samples))), samples...))} //nolint:gosec // both are bounded
	return &made
}

// wavHead is the beginning of a file of one channel of 16-bit samples.
func wavHead(rate, size uint32) []byte {
	const fields, channels, bytes = 36, 1, 2
	b := binary.LittleEndian.AppendUint32([]byte("RIFF"), fields+size)
	b = binary.LittleEndian.AppendUint32(append(b, "WAVEfmt "...), 16)
	b = binary.LittleEndian.AppendUint16(b, 1) // samples as they are
	b = binary.LittleEndian.AppendUint16(b, channels)
	b = binary.LittleEndian.AppendUint32(b, rate)
	b = binary.LittleEndian.AppendUint32(b, rate*channels*bytes)
	b = binary.LittleEndian.AppendUint16(b, channels*bytes)
	b = binary.LittleEndian.AppendUint16(b, 8*bytes)
	return binary.LittleEndian.AppendUint32(append(b, "data"...), size)
}
