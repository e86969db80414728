package api

import (
	"log/slog"
	"net/http"
	"strings"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/scope"
)

// authenticate finds out who sent a request with these headers from an address. With
// an error it may still say who: a key that is known but not let in.
func (d *Door) authenticate(h http.Header, from string) (access.Principal, access.Pass, error) {
	settings := d.Settings()
	secret, err := credential(h, settings.AcceptGoogHeader)
	if err != nil {
		return access.Principal{}, access.Pass{}, err
	}
	who, pass, err := d.Access.Admit(secret, from)
	if err != nil {
		return who, pass, err
	}
	if who.Environment == access.Development && !settings.AllowDevelopment {
		return who, pass, fault.New(fault.PermissionDenied, "Development keys are switched off here: use a production key.")
	}
	return who, pass, nil
}

// credential finds the one header that is in charge. A header that is in charge
// and wrong is never made good by the next one.
func credential(h http.Header, acceptGoog bool) (string, error) {
	authorization := h.Values("Authorization")
	if len(authorization) > 1 {
		return "", repeated("Authorization")
	}
	if len(authorization) == 1 {
		scheme, token, _ := strings.Cut(strings.TrimSpace(authorization[0]), " ")
		if strings.EqualFold(scheme, "Bearer") {
			return present(token)
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
			return present(values[0])
		default:
			return "", repeated(name)
		}
	}
	return "", missing()
}

func present(token string) (string, error) {
	token = strings.TrimSpace(token)
	if token == "" {
		return "", missing()
	}
	return token, nil
}

func missing() error {
	return fault.New(fault.MissingAPIKey, "No API key was sent: use the header Authorization: Bearer KEY, or X-API-Key: KEY.")
}

func repeated(header string) error {
	return fault.New(fault.InvalidAPIKey, "The header %s was sent more than once.", header)
}

func note(r *http.Request, who access.Principal) {
	scope.From(r.Context()).Note(
		slog.String("workspace", who.Workspace),
		slog.String("key", who.Key),
		slog.String("environment", string(who.Environment)),
	)
}
