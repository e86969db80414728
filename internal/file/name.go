package file

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"stele/internal/label"
)

const longestName = 120 // bytes

// cleanName is a file's name as it can be shown and saved anywhere: without
// folders, without characters that cannot be seen or that mean something to a
// shell or a file system, and never empty.
func cleanName(name string) string {
	if at := strings.LastIndexAny(name, `/\`); at >= 0 {
		name = name[at+1:]
	}
	name = strings.Map(func(c rune) rune {
		switch {
		case c == utf8.RuneError || !unicode.IsPrint(c) && c != ' ':
			return -1
		case strings.ContainsRune(`<>:"|?*`, c):
			return '_'
		}
		return c
	}, name)
	name = strings.Trim(name, " .")
	if len(name) > longestName {
		name = shorten(name)
	}
	return cmp.Or(name, "file")
}

// shorten keeps a name's end: it says what the file is.
func shorten(name string) string {
	end := ""
	if dot := strings.LastIndexByte(name, '.'); dot > 0 && len(name)-dot <= 10 {
		name, end = name[:dot], name[dot:]
	}
	return label.Cut(name, longestName-len(end)) + end
}

// extension is how names of files of a content type end.
func extension(contentType string) string {
	for i := range formats {
		if formats[i].Type == contentType {
			return "." + formats[i].ext
		}
	}
	switch contentType {
	case "audio/webm":
		return ".webm"
	case "audio/x-matroska":
		return ".mka"
	case "video/ogg":
		return ".ogv"
	}
	return ""
}
