package blueprint

import (
	"mime"
	"strconv"
	"strings"

	studio "stele/internal/studio/sound"
)

// sound is bare samples: 16 bits, the low byte first.
type sound struct {
	rate, channels int
}

// readRawSound reads the content type of samples without a header, such as
// audio/L16;codec=pcm;rate=24000.
func readRawSound(contentType string) (sound, bool) {
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil || (!strings.EqualFold(kind, "audio/l16") && !strings.EqualFold(kind, "audio/pcm")) {
		return sound{}, false
	}
	s := sound{rate: 24000, channels: 1}
	if n, err := strconv.Atoi(params["rate"]); err == nil && n >= 8000 && n <= 192000 {
		s.rate = n
	}
	if n, err := strconv.Atoi(params["channels"]); err == nil && n >= 1 && n <= 8 {
		s.channels = n
	}
	return s, true
}

// wav puts the header of a WAV file before samples. Half a sample at the end is
// dropped.
func (s sound) wav(samples []byte) []byte {
	frame := 2 * s.channels
	samples = samples[:len(samples)/frame*frame]
	return append(studio.WAVHeader(s.rate, s.channels, len(samples)), samples...)
}

// duration is how long samples last, in seconds.
func (s sound) duration(samples int) float64 {
	return float64(samples) / float64(2*s.channels*s.rate)
}
