package file

import (
	"fmt"
	"slices"
	"strings"

	"stele/internal/fault"
)

// Want is what a file that a client gives must be.
type Want struct {
	Field   string   // where it was given, for errors
	Kind    string   // image, video, audio or document; "" for any
	Formats []string // content types; empty: any of the kind
	Bytes   int64    // at most; 0: the kind's own limit
	Dry     bool     // only look: what is not here already is not kept
	Owed    bool     // it belongs to work that was begun: it is taken however much its workspace holds
}

func (w *Want) check(f *File, wrongKind fault.Code) error {
	if w.Kind != "" && f.Kind != w.Kind {
		if wrongKind == fault.InvalidMediaURL {
			return refuseUnfit(fmt.Sprintf("what is there is %s, not %s", article(f.Kind), article(w.Kind)), nil)
		}
		return fault.New(wrongKind, "The file is %s (%s), not %s.", article(f.Kind), f.Type, article(w.Kind)).
			With("content_type", f.Type)
	}
	if len(w.Formats) > 0 && !slices.Contains(w.Formats, f.Type) {
		return fault.New(fault.UnsupportedFileFormat, "The file is %s; taken here are %s.", f.Type, strings.Join(w.Formats, ", ")).
			With("content_type", f.Type).With("allowed", w.Formats)
	}
	if w.Bytes > 0 && f.Size > w.Bytes {
		return refuseTooLarge(w.Bytes, f.Size)
	}
	return nil
}

func article(kind string) string {
	if kind == Image || kind == Audio {
		return "an " + kind
	}
	return "a " + kind
}
