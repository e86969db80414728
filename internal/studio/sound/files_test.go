package sound_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/thesyncim/gopus"

	"stele/internal/studio/sound"
)

// page is one of an Ogg file.
type page struct {
	kind     byte
	position uint64
	packets  [][]byte
}

// readOgg reads pages and checks each one's sum, bit by bit as RFC 3533 has it.
func readOgg(t *testing.T, data []byte) []page {
	t.Helper()
	var list []page
	for n := uint32(0); len(data) > 0; n++ {
		if !bytes.HasPrefix(data, []byte("OggS\x00")) || binary.LittleEndian.Uint32(data[18:]) != n {
			t.Fatalf("page %d begins with % x", n, data[:27])
		}
		p := page{kind: data[5], position: binary.LittleEndian.Uint64(data[6:])}
		places := data[27 : 27+int(data[26])]
		body := data[27+len(places):]
		size, from := 0, 0
		for _, s := range places {
			size += int(s)
			if s < 255 {
				p.packets = append(p.packets, body[from:size])
				from = size
			}
		}
		all := bytes.Clone(data[:27+len(places)+size])
		copy(all[22:26], []byte{0, 0, 0, 0})
		var sum uint32
		for _, b := range all {
			sum ^= uint32(b) << 24
			for range 8 {
				carry := sum&0x80000000 != 0
				sum <<= 1
				if carry {
					sum ^= 0x04c11db7
				}
			}
		}
		if sum != binary.LittleEndian.Uint32(data[22:]) {
			t.Fatalf("page %d has a wrong sum", n)
		}
		list = append(list, p)
		data = data[len(all):]
	}
	return list
}

func TestOggOpus(t *testing.T) {
	t.Parallel()
	track := play(t, sound.Order{Mood: "calm", Seconds: 3.3, Seed: 1})
	o, err := track.Opus(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	pages := readOgg(t, o.Ogg("A title"))
	if len(pages) != 2+4 || pages[0].kind != 2 || pages[len(pages)-1].kind != 4 {
		t.Fatalf("%d pages", len(pages))
	}
	head := pages[0].packets[0]
	skip := int(binary.LittleEndian.Uint16(head[10:]))
	if string(head[:8]) != "OpusHead" || head[8] != 1 || head[9] != 2 || skip != o.Skip || skip < 100 {
		t.Errorf("the head is % x", head)
	}
	if tags := pages[1].packets[0]; !bytes.HasPrefix(tags, []byte("OpusTags")) || !bytes.Contains(tags, []byte("TITLE=A title")) {
		t.Errorf("the tags are %q", tags)
	}
	var packets [][]byte
	for i, p := range pages[2:] {
		packets = append(packets, p.packets...)
		want := uint64(len(packets) * 960)
		if i == len(pages)-3 {
			want = uint64(skip + len(track)/2)
			if want > uint64(len(packets)*960) {
				t.Errorf("the last page ends at %d, after its packets", want)
			}
		}
		if p.position != want {
			t.Errorf("page %d ends at %d, not %d", i, p.position, want)
		}
	}
	resembles(t, track, packets, skip)
}

// resembles fails unless what is decoded is the track, skip samples later.
func resembles(t *testing.T, track sound.Track, packets [][]byte, skip int) {
	t.Helper()
	config := gopus.DefaultDecoderConfig(sound.Rate, 2)
	d, err := gopus.NewDecoder(config)
	if err != nil {
		t.Fatal(err)
	}
	var heard []float32
	room := make([]float32, config.MaxPacketSamples*2)
	for _, p := range packets {
		n, err := d.Decode(p, room)
		if err != nil {
			t.Fatal(err)
		}
		heard = append(heard, room[:2*n]...)
	}
	heard = heard[2*skip:]
	if len(heard) < len(track) {
		t.Fatalf("%d samples of %d", len(heard), len(track))
	}
	var both, a, b float64
	for i, v := range track {
		x, y := float64(v), float64(heard[i])
		both, a, b = both+x*y, a+x*x, b+y*y
	}
	if like := both / math.Sqrt(a*b); like < 0.97 {
		t.Errorf("what is heard resembles the track by %v", like)
	}
}

func TestWAVComesBack(t *testing.T) {
	t.Parallel()
	m := make(sound.Mono, 4800)
	for i := range m {
		m[i] = float32(0.5 * math.Sin(float64(i)/20))
	}
	back, err := sound.ReadWAV(t.Context(), m.WAV())
	if err != nil || len(back) != len(m) {
		t.Fatalf("%d samples: %v", len(back), err)
	}
	for i := range m {
		if math.Abs(float64(m[i]-back[i])) > 0.0002 {
			t.Fatalf("sample %d is %v, was %v", i, back[i], m[i])
		}
	}
}

// TestAnotherRateKeepsThePitch reads a tone at 22050 Hz, as espeak-ng writes, with a
// length that is not true, as programs write into pipes.
func TestAnotherRateKeepsThePitch(t *testing.T) {
	t.Parallel()
	const rate, hz = 22050, 1000.0
	data := (sound.Mono{}).WAV()
	binary.LittleEndian.PutUint32(data[24:], rate)
	binary.LittleEndian.PutUint32(data[40:], 0x7ffff000)
	for i := range rate {
		data = binary.LittleEndian.AppendUint16(data, uint16(int16(20000*math.Sin(2*math.Pi*hz*float64(i)/rate))))
	}
	m, err := sound.ReadWAV(t.Context(), data)
	if err != nil || math.Abs(m.Seconds()-1) > 0.001 {
		t.Fatalf("%v s: %v", m.Seconds(), err)
	}
	worst := 0.0
	for i := 2000; i < len(m)-2000; i++ {
		want := 20000.0 / 32768 * math.Sin(2*math.Pi*hz*float64(i)/sound.Rate)
		worst = max(worst, math.Abs(float64(m[i])-want))
	}
	if worst > 0.004 {
		t.Errorf("it is off by %v", worst)
	}
}

func FuzzReadWAV(f *testing.F) {
	f.Add([]byte("RIFF"))
	f.Add((sound.Mono{0, 1, -1}).WAV())
	f.Add((sound.Track{0, 1, -1, 0.5}).WAV())
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		if _, err := sound.ReadWAV(t.Context(), data); err != nil && !errors.Is(err, sound.ErrWAV) {
			t.Error(err)
		}
	})
}
