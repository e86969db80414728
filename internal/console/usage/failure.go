package usage

import (
	"strings"

	"stele/internal/fault"
	"stele/internal/meter"
)

// failure says why a request failed and what to do about it.
type failure struct {
	Code    string
	Cause   string // whose doing it was
	Tone    string
	Meaning string
	Advice  string
}

// cause is whose doing a failure was.
type cause struct{ name, tone, advice string }

var (
	byClient   = cause{"The client", "warn", "Change what the program sends. The reference tells what each field takes."}
	byKey      = cause{"The key", "warn", "Look at the key’s scopes, models and limits under API keys."}
	byProvider = cause{"The provider", "bad", "Nothing is wrong with the request. See how the provider is, and give the model a second target to fall back to."}
	byOperator = cause{"This installation", "bad", "Look at the provider’s account and settings: its key, its quota, its models."}
	byUs       = cause{"Stele", "bad", "Look for the request id in the log of the server: the line has the cause."}
	byNone     = cause{"Nobody", "", "The program hung up or the work was stopped. What was produced until then is counted."}
)

var meanings = map[string]struct {
	text string
	by   cause
}{
	"client_gone":                      {"The client hung up before the answer was complete.", byNone},
	"canceled":                         {"The generation was stopped on request.", byNone},
	string(fault.UpstreamError):        {"The provider answered with an error, or broke off in its answer.", byProvider},
	string(fault.UpstreamTimeout):      {"The provider did not answer in time.", byProvider},
	string(fault.Unavailable):          {"The provider was overloaded or could not be reached.", byProvider},
	"provider_unavailable":             {"The provider was overloaded or could not be reached.", byProvider},
	"generation_failed":                {"The provider took the order and could not make it.", byProvider},
	"timeout":                          {"The provider did not finish before the deadline.", byProvider},
	string(fault.RateLimited):          {"A rate limit was reached, here or at the provider.", byOperator},
	"provider_rejected_credentials":    {"The provider did not accept this installation’s credentials.", byOperator},
	string(fault.ModelNotFound):        {"There is no model of that name, or the key does not open it.", byClient},
	string(fault.InvalidRequestBody):   {"The body is not what the route takes.", byClient},
	string(fault.BodyTooLarge):         {"The body is larger than this installation takes.", byClient},
	string(fault.InvalidParameter):     {"A field has a value that it does not take.", byClient},
	string(fault.MissingParameter):     {"A field that must be there was not.", byClient},
	string(fault.UnsupportedParameter): {"A field that the model or mode does not have was sent.", byClient},
	string(fault.UnsupportedField):     {"A field that is not public was sent.", byClient},
	string(fault.StrictMode):           {"The client asked for strict mode, and the provider cannot carry all of the request.", byClient},
	string(fault.InvalidMediaURL):      {"An input’s address could not be fetched, or is not what it should be.", byClient},
	string(fault.FileNotFound):         {"A file that the request names is not here.", byClient},
	string(fault.FileTooLarge):         {"The files of the request are larger than one request may carry.", byClient},
	string(fault.NotImplemented):       {"The model’s provider cannot do what was asked.", byClient},
	"content_policy":                   {"The provider refused it for what it is about.", byClient},
	"invalid_input":                    {"The provider did not accept the input.", byClient},
	string(fault.PermissionDenied):     {"The key does not open this.", byKey},
	string(fault.ConcurrencyLimit):     {"The key has too many unfinished generations.", byKey},
	string(fault.InsufficientCredits):  {"A budget would have been passed.", byKey},
	string(fault.Internal):             {"Something went wrong inside Stele.", byUs},
}

// meaning is what a code says, in a sentence.
func meaning(code string) string {
	if m, ok := meanings[code]; ok {
		return m.text
	}
	text := strings.ReplaceAll(code, "_", " ")
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

func failureOf(r *meter.Record) *failure {
	if r.Code == "" {
		return nil
	}
	by := byClient
	if r.Status >= 500 {
		by = byProvider
	}
	if m, ok := meanings[r.Code]; ok {
		by = m.by
	}
	return &failure{Code: r.Code, Cause: by.name, Tone: by.tone, Meaning: meaning(r.Code), Advice: by.advice}
}
