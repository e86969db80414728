package film

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"stele/internal/studio/clip/vp8"
	"stele/internal/studio/program"
	"stele/internal/studio/sound"
)

// ErrNoFFmpeg says that the machine has no ffmpeg that writes MP4.
var ErrNoFFmpeg = errors.New("no ffmpeg that writes mp4 was found")

// Director knows what films can be made with on this machine.
type Director struct {
	ffmpeg string // "" where there is none that writes MP4
	h264   string // its encoder
}

// Open looks for ffmpeg. WebM needs nothing.
func Open(look program.Look) *Director {
	d := &Director{}
	d.ffmpeg, d.h264 = findFFmpeg(look)
	return d
}

// WritesMP4 reports whether the machine has what it takes.
func (d *Director) WritesMP4() bool { return d.ffmpeg != "" }

// MP4 draws the film here and has ffmpeg pack it.
func (d *Director) MP4(ctx context.Context, t *Take, music sound.Track, report func(float64)) ([]byte, error) {
	if d.ffmpeg == "" {
		return nil, ErrNoFFmpeg
	}
	folder, err := os.MkdirTemp("", "stele-film-")
	if err != nil {
		return nil, fmt.Errorf("make a film: %w", err)
	}
	defer os.RemoveAll(folder)
	out := filepath.Join(folder, "film.mp4")
	args := []string{
		"-v", "error", "-nostdin", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-video_size", fmt.Sprintf("%dx%d", t.Width, t.Height),
		"-framerate", strconv.Itoa(t.FPS), "-i", "pipe:0",
	}
	if music != nil {
		name := filepath.Join(folder, "sound.wav")
		if err := os.WriteFile(name, music.WAV(), 0o600); err != nil {
			return nil, fmt.Errorf("make a film: %w", err)
		}
		args = append(args, "-i", name, "-c:a", "aac", "-b:a", "160k")
	}
	args = append(args, "-c:v", d.h264, "-pix_fmt", "yuv420p", "-threads", "2",
		"-colorspace", "smpte170m", "-color_primaries", "smpte170m", "-color_trc", "smpte170m", "-color_range", "tv")
	if d.h264 == "libx264" {
		args = append(args, "-preset", "veryfast", "-crf", "20")
	} else {
		args = append(args, "-b:v", strconv.Itoa(t.Width*t.Height*4))
	}
	args = append(args, "-movflags", "+faststart", "-map_metadata", "-1", "-fflags", "+bitexact", "-flags", "+bitexact",
		"-metadata", fmt.Sprintf("comment=stele seed %d", t.Seed), "-t", strconv.FormatFloat(t.At(t.Frames()), 'f', 6, 64), "-f", "mp4", out)
	if err := d.feed(ctx, t, args, report); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return nil, fmt.Errorf("make a film: %w", err)
	}
	return data, nil
}

// findFFmpeg is the ffmpeg of the machine and the encoder by which it writes H.264.
func findFFmpeg(look program.Look) (path, encoder string) {
	path, err := look("ffmpeg")
	if err != nil {
		return "", ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	list, err := program.New(ctx, path, "-hide_banner", "-encoders").Output()
	if err != nil || !strings.Contains(string(list), " aac ") {
		return "", ""
	}
	for _, name := range []string{"libx264", "libopenh264"} {
		if strings.Contains(string(list), " "+name+" ") {
			return path, name
		}
	}
	return "", ""
}

// feed runs ffmpeg and gives it the frames.
func (d *Director) feed(ctx context.Context, t *Take, args []string, report func(float64)) error {
	working, stop := context.WithCancel(ctx)
	defer stop()
	cmd := program.New(working, d.ffmpeg, args...)
	complaint := program.Complaint{Most: 4096}
	cmd.Stderr = &complaint
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("start ffmpeg: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start ffmpeg: %w", err)
	}
	// ffmpeg may die before it has read all: writing to it then fails.
	drawn := t.Raw(working, func(p *vp8.Picture) error { return writeFrame(pipe, p) }, report)
	_ = pipe.Close()
	if drawn != nil {
		stop() // nothing more comes
	}
	ended := cmd.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := errors.Join(drawn, ended); err != nil {
		return &program.Error{Program: "ffmpeg", Err: err, Said: complaint.String()}
	}
	return nil
}

// writeFrame writes what is shown of a picture, plane after plane.
func writeFrame(w io.Writer, p *vp8.Picture) error {
	frame := make([]byte, 0, p.Width*p.Height*3/2)
	for y := range p.Height {
		frame = append(frame, p.Y[y*p.Stride:][:p.Width]...)
	}
	for _, plane := range [][]uint8{p.U, p.V} {
		for y := range p.Height / 2 {
			frame = append(frame, plane[y*(p.Stride/2):][:p.Width/2]...)
		}
	}
	_, err := w.Write(frame)
	return err
}
