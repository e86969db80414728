package console

import (
	"mime"
	"mime/multipart"
	"net/http"

	"stele/internal/fault"
	"stele/internal/wire"
)

// uploadedFile is the file of a form that has nothing else, to be read as it arrives.
func uploadedFile(r *http.Request) (*multipart.Part, error) {
	kind, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || parameters["boundary"] == "" {
		return nil, fault.New(fault.UnsupportedContentType, "Send the file as a form, in a part called file.").Because(err)
	}
	part, err := wire.NewParts(r.Body, parameters["boundary"]).Next()
	if err != nil || part.FormName() != uploadField {
		return nil, fault.New(fault.MissingFile, "The form has no file.").With("field", uploadField).Because(err)
	}
	return part, nil
}
