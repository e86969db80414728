package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
)

// File is what the server says of a file.
type File struct {
	ID          string `json:"id"`
	URL         string `json:"url"`
	Key         string `json:"key"`
	FileType    string `json:"file_type"`
	ContentType string `json:"content_type"`
	Size        int64  `json:"size"`
	Filename    string `json:"filename"`
	SHA256      string `json:"sha256"`
	CreatedAt   string `json:"created_at"`
	ExpiresAt   string `json:"expires_at"`
}

// Upload sends a file of a name. It is read while it is sent, and opened again for
// each try.
func (s *Server) Upload(ctx context.Context, name string, open func() (io.ReadCloser, error)) (*File, error) {
	kept := new(File)
	header := make(http.Header)
	err := s.do(ctx, request{Method: http.MethodPost, Path: "/api/v1/files", Header: header, Body: func() io.Reader {
		body, w := io.Pipe()
		form := multipart.NewWriter(w)
		header.Set("Content-Type", form.FormDataContentType())
		go func() { _ = w.CloseWithError(fill(form, name, open)) }() // ends with the request, which closes the pipe
		return body
	}}, kept)
	if err != nil {
		return nil, err
	}
	return kept, nil
}

// fill writes a form with a file in it.
func fill(form *multipart.Writer, name string, open func() (io.ReadCloser, error)) error {
	f, err := open()
	if err != nil {
		return err
	}
	defer f.Close()
	part, err := form.CreateFormFile("file", name)
	if err != nil {
		return err
	}
	if _, err := io.Copy(part, f); err != nil {
		return err
	}
	return form.Close()
}

// Fetch opens what is at an address that the server gave. The key is not sent: the address
// is signed.
func (s *Server) Fetch(ctx context.Context, address string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	answer, err := s.HTTP.Do(req)
	if err != nil {
		return nil, fmt.Errorf("download: %w", err)
	}
	if answer.StatusCode != http.StatusOK {
		_ = answer.Body.Close()
		return nil, fmt.Errorf("download: the server answered %d", answer.StatusCode)
	}
	return answer.Body, nil
}

// Download copies what is at such an address, if it has no more bytes than most.
func (s *Server) Download(ctx context.Context, address string, to io.Writer, most int64) error {
	body, err := s.Fetch(ctx, address)
	if err != nil {
		return err
	}
	defer body.Close()
	n, err := io.Copy(to, io.LimitReader(body, most+1))
	if err != nil {
		return fmt.Errorf("download: %w", err)
	}
	if n > most {
		return ErrTooLarge
	}
	return nil
}

// ErrTooLarge says that a download has more bytes than its reader takes.
var ErrTooLarge = errors.New("download: the file is too large")
