package studio_test

import (
	"os"
	"testing"
	"time"
	"image"
	"math"
	"image/color"
)

func zphoto(w, h int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			fx, fy := float64(x)/float64(w), float64(y)/float64(h)
			n := math.Sin(fx*40+math.Sin(fy*30)*2)*math.Cos(fy*50+fx*9)*20 + math.Sin(fx*300)*math.Sin(fy*280)*12
			m.SetRGBA(x, y, color.RGBA{uint8(min(max(120+100*fx+n, 0), 255)), uint8(min(max(90+90*fy+n, 0), 255)), uint8(min(max(180-100*fx*fy+n, 0), 255)), 255})
		}
	}
	return m
}

func TestZZ(t *testing.T) {
	m := modelOf(t, "motion.yaml")
	for name, body := range map[string]string{
		"aurora": `"prompt":"Breathe in the evening light","style":"aurora","palette":"dusk","seed":2`,
		"waves":  `"prompt":"Sunset over the quiet sea","style":"waves","seed":1`,
		"kinetic":  `"prompt":"Big news: we are open, day and night. Come in!","style":"kinetic","seed":1`,
		"particles":  `"prompt":"Every star is a connection","style":"particles","seed":1`,
		"retro":  `"prompt":"Night drive","style":"retro","palette":"neon","seed":1`,
		"shapes":  `"prompt":"A museum of modern forms","style":"shapes","palette":"ember","seed":1`,
		"rings":  `"prompt":"Sound that moves in circles","style":"rings","palette":"forest","seed":1`,
		"frames": `"start_frame":"a","end_frame":"b","caption":"Two views of one place","seed":1`,
	} {
		a := time.Now()
		_, files := crafted(t, director.Make, ordered(t, m, body+`,"duration":4,"resolution":"720p","sound":false`, map[string][]byte{"a": asPNG(t, zphoto(1600, 900)), "b": asPNG(t, photo(1280, 720))}))
		t.Log(name, time.Since(a), len(files[0])/1024, "KB", len(files[1])/1024, len(files[2])/1024)
		os.WriteFile("/tmp/motion/"+name+".webm", files[0], 0o600)
		os.WriteFile("/tmp/motion/"+name+".jpg", files[1], 0o600)
		os.WriteFile("/tmp/motion/"+name+".webp", files[2], 0o600)
	}
}
