package api

import (
	"log/slog"
	"net/http"
	"strings"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/scope"
)

// authenticate finds out who sent a request. With an error it may still say who: a key
// that is known but not let in.
func (d *Door) authenticate(r *http.Request) (access.Principal, access.Pass, error) {
	settings := d.Settings()
	secret, err := credential(r.Header, settings.AcceptGoogHeader)
	if err != nil {
		return access.Principal{}, access.Pass{}, err
	}
	if secret == "" {
		return access.Principal{}, access.Pass{}, refuseMissing(r, settings.AcceptGoogHeader)
	}
	who, pass, err := d.Access.Admit(secret, scope.From(r.Context()).Remote)
	if err != nil {
		return who, pass, err
	}
	if who.Environment == access.Development && !settings.AllowDevelopment {
		return who, pass, fault.New(fault.PermissionDenied, "Development keys are switched off here: use a production key.")
	}
	return who, pass, nil
}

// credential finds the one header that is in charge. A header that is in charge
// and wrong is never made good by the next one. "" is no key at all.
func credential(h http.Header, acceptGoog bool) (string, error) {
	authorization := h.Values("Authorization")
	if len(authorization) > 1 {
		return "", repeatedError("Authorization")
	}
	if len(authorization) == 1 {
		scheme, token, _ := strings.Cut(strings.TrimSpace(authorization[0]), " ")
		if strings.EqualFold(scheme, "Bearer") {
			return strings.TrimSpace(token), nil
		}
	}
	names := []string{"X-Api-Key"}
	if acceptGoog {
		names = append(names, "X-Goog-Api-Key")
	}
	for _, name := range names {
		switch values := h.Values(name); len(values) {
		case 0:
		case 1:
			return strings.TrimSpace(values[0]), nil
		default:
			return "", repeatedError(name)
		}
	}
	return "", nil
}

// refuseMissing says that there is no key, and where one may have been put instead: its
// client believes that it sent it.
func refuseMissing(r *http.Request, acceptGoog bool) error {
	const use = "use the header Authorization: Bearer KEY, or X-API-Key: KEY."
	authorization := strings.TrimSpace(r.Header.Get("Authorization"))
	scheme, _, _ := strings.Cut(authorization, " ")
	query := r.URL.Query()
	switch {
	case r.Header.Get("X-Goog-Api-Key") != "" && !acceptGoog:
		return fault.New(fault.MissingAPIKey,
			"A key came in x-goog-api-key, which this server does not read: its operator can set auth.accept_goog_header. Until then %s", use)
	case strings.EqualFold(scheme, "Bearer"), r.Header["X-Api-Key"] != nil:
		return fault.New(fault.MissingAPIKey, "The header for the API key is empty: %s", use)
	case strings.HasPrefix(authorization, access.KeyMark):
		return fault.New(fault.MissingAPIKey, "The key in Authorization came without the word Bearer before it: %s", use)
	case r.Header.Get("Api-Key") != "":
		return fault.New(fault.MissingAPIKey, "A key came in api-key, which is not read: %s", use)
	case query.Has("key"), query.Has("api_key"):
		return fault.New(fault.MissingAPIKey, "A key came in the address, where none is read: %s", use)
	}
	return fault.New(fault.MissingAPIKey, "No API key was sent: %s", use)
}

func repeatedError(header string) error {
	return fault.New(fault.InvalidAPIKey, "The header %s was sent more than once.", header)
}

// attribute reads whom a call is for from its header. What the workspace has not
// declared is left out, and returned.
func attribute(who *access.Principal, h http.Header) (undeclared []string) {
	text := h.Get("X-Stele-Tags")
	if text == "" {
		return nil
	}
	who.For.Tags, undeclared = access.ReadTags(text, who.Scope.DeclaredTags())
	return undeclared
}

func note(r *http.Request, who access.Principal) {
	scope.From(r.Context()).Note(
		slog.String("workspace", who.Workspace),
		slog.String("key", who.Key),
		slog.String("environment", string(who.Environment)),
	)
}
