package media

import "slices"

// Types lists the media types.
func Types() []string { return []string{"image", "video", "audio"} }

// Inputs lists the fields of a generation request that carry the prompt and media.
func Inputs() []string {
	return []string{"prompt", "image_urls", "start_frame", "end_frame", "video_urls", "audio_urls"}
}

func parameterTypes() []string { return []string{"string", "number", "integer", "boolean", "array"} }

// Forms lists the ways in which a provider may be given a file.
func Forms() []string { return []string{"url", "data_uri", "base64", "file"} }

// reservedFields lists the fields of a generation request that are not a model's to
// declare: those of every request, and internal ones of older clients, which are
// refused.
func reservedFields() []string { return append(own(), internal()...) }

// own are the fields of every generation request.
func own() []string {
	return append(Inputs(), "model", "mode", "is_public", "copy_protected", "webhook_url", "dry_run")
}

func internal() []string {
	return []string{
		"input", "options", "scene", "sub_mode_id", "subModeId", "provider", "mediaType", "media_type",
		"images", "image_input", "video_input", "audio_input",
	}
}

// Takes is the media type of the files that a field of the input takes: image,
// video or audio, and "" for the prompt.
func Takes(field string) string {
	switch field {
	case "image_urls", "start_frame", "end_frame":
		return "image"
	case "video_urls":
		return "video"
	case "audio_urls":
		return "audio"
	}
	return ""
}

// Lists reports whether a field of the input takes several files.
func Lists(field string) bool {
	return field == "image_urls" || field == "video_urls" || field == "audio_urls"
}

// Takes reports whether the operation has a field of the input.
func (o *Operation) Takes(field string) bool {
	return slices.Contains(o.Input.Required, field) || slices.Contains(o.Input.Optional, field)
}

// Accepts is what the operation takes of a media type, and whether it takes any:
// the widest limit of the fields that such a file may be given in.
func (o *Operation) Accepts(mediaType string) (limit Limit, ok bool) {
	for _, field := range Inputs() {
		if Takes(field) != mediaType || mediaType == "" || !o.Takes(field) {
			continue
		}
		next := o.Limits[field]
		if !ok {
			limit, ok = next, true
			continue
		}
		if next.MB == 0 || (limit.MB != 0 && next.MB > limit.MB) {
			limit.MB = next.MB
		}
		switch {
		case len(limit.Formats) == 0:
		case len(next.Formats) == 0:
			limit.Formats = nil
		default:
			limit.Formats = slices.Concat(limit.Formats, next.Formats)
		}
	}
	return limit, ok
}
