package lettering

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/image/font/sfnt"
)

// folders are where machines keep fonts.
var folders = []string{"/usr/share/fonts", "/usr/local/share/fonts", "/Library/Fonts", "/System/Library/Fonts"}

// wanted are fonts with many characters, the ones that go best with the faces first.
var wanted = []string{
	"notosans-bold", "notosans-regular", "dejavusans-bold", "dejavusans",
	"notosanscjk-bold", "notosanscjk-regular", "notosanssc", "notosansjp", "sourcehansans",
	"wqy-microhei", "wqy-zenhei", "droidsansfallbackfull", "droidsansfallback", "nanumgothicbold", "ipag",
	"notosanshebrew-bold", "notosansarmenian-bold", "notosansgeorgian-bold", "notosansthai-bold", "notosanssymbols-bold",
	"arial unicode", "pingfang", "freesans",
}

// spare is what this machine has of them, looked for once.
var spare = sync.OnceValue(func() []*sfnt.Font {
	found := make(map[string]string) // by what is wanted
	for _, folder := range folders {
		seen := 0
		_ = filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if seen++; err != nil || seen > 5000 {
				return fs.SkipAll
			}
			ext := strings.ToLower(filepath.Ext(path))
			if name := plainName(path, ext); slices.Contains(wanted, name) && found[name] == "" {
				found[name] = path
			}
			return nil
		})
	}
	var fonts []*sfnt.Font
	for _, name := range wanted {
		if f := open(found[name]); f != nil {
			fonts = append(fonts, f)
		}
	}
	return fonts
})

func plainName(path, ext string) string {
	if ext != ".ttf" && ext != ".otf" && ext != ".ttc" {
		return ""
	}
	return strings.TrimSuffix(strings.ToLower(filepath.Base(path)), ext)
}

// open opens a font, or the first of a collection; nil where it cannot. The file
// stays open: glyphs are read when a word needs them, since some fonts are large.
func open(path string) *sfnt.Font {
	if path == "" {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	all, err := sfnt.ParseCollectionReaderAt(file) // a single font is a collection of one
	if err == nil {
		if f, err := all.Font(0); err == nil {
			return f
		}
	}
	_ = file.Close()
	return nil
}

// scripts can be set one character after the other. In the others the characters of
// a word change each other's shapes, and set apart they would be wrong.
var scripts = []*unicode.RangeTable{
	unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Armenian, unicode.Georgian, unicode.Hebrew, unicode.Han,
	unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Cherokee, unicode.Ethiopic, unicode.Common,
}

func upright(r rune) bool {
	pictograph := r >= 0x1f000 && r <= 0x1fbff // their fonts are pictures, not outlines
	return !pictograph && unicode.In(r, scripts...)
}
