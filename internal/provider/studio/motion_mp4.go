package studio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"stele/internal/media"
	"stele/internal/studio/clip/vp8"
	"stele/internal/studio/sound"
)

// findFFmpeg is the ffmpeg of the machine and the encoder by which it writes H.264.
func findFFmpeg(look Look) (path, encoder string) {
	path, err := look("ffmpeg")
	if err != nil {
		return "", ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	list, err := program(ctx, path, "-hide_banner", "-encoders").Output()
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

// program is a command with nothing of this process's surroundings but where programs
// are. It ends with ctx, and its pipes shortly after.
func program(ctx context.Context, path string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, path, args...)
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/", "LC_ALL=C.UTF-8"}
	c.WaitDelay = time.Second
	return c
}

// mp4 draws the film here and has ffmpeg pack it.
func (d *Director) mp4(ctx context.Context, t *take, music sound.Track, report func(float64)) (media.Output, error) {
	if d.ffmpeg == "" {
		return media.Output{}, badInput("This machine cannot make mp4: it has no ffmpeg. Ask for webm.")
	}
	folder, err := os.MkdirTemp("", "stele-film-")
	if err != nil {
		return media.Output{}, fmt.Errorf("make a film: %w", err)
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
			return media.Output{}, fmt.Errorf("make a film: %w", err)
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
		"-metadata", fmt.Sprintf("comment=stele seed %d", t.seed), "-t", strconv.FormatFloat(t.At(t.Frames()), 'f', 6, 64), "-f", "mp4", out)
	if err := d.feed(ctx, t, args, report); err != nil {
		return media.Output{}, err
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return media.Output{}, fmt.Errorf("make a film: %w", err)
	}
	return t.output(data, "video/mp4"), nil
}

// feed runs ffmpeg and gives it the frames.
func (d *Director) feed(ctx context.Context, t *take, args []string, report func(float64)) error {
	working, stop := context.WithCancel(ctx)
	defer stop()
	cmd := program(working, d.ffmpeg, args...)
	var complaint bytes.Buffer
	cmd.Stderr = &bounded{w: &complaint, left: 4096}
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
		return &media.Failure{Class: media.ModelFailed, Message: "The film could not be packed as mp4.", Err: fmt.Errorf("ffmpeg: %w: %s", err, complaint.String())}
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

// bounded keeps the first bytes that are written and swallows the rest.
type bounded struct {
	w    io.Writer
	left int
}

func (b *bounded) Write(p []byte) (int, error) {
	keep := p[:min(len(p), b.left)]
	b.left -= len(keep)
	_, err := b.w.Write(keep)
	return len(p), err
}
