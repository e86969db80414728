package dialect

import (
	"net/http"

	"stele/internal/fault"
)

// spentSigns are how upstreams say that the operator's credit is used up: arrearage is Alibaba's, budget_exceeded LiteLLM's.
var spentSigns = []string{
	"insufficient_quota", "billing", "credit balance", "exceeded your current quota", "exceeded_current_quota", "insufficient credits",
	"insufficient balance", "credits are depleted", "spending cap", "arrearage", "budget_exceeded", "requires more credits",
}

// SaysSpent reports whether a refusal is one of the operator's credit. Names are its type and code: in a refusal of the request itself
// only they tell, for what it says may name a client's tool.
func SaysSpent(status int, names, message string) bool {
	switch {
	case status == http.StatusTooManyRequests && waitInWords(message) > 0: // Google calls a limit of a minute a quota
		return false
	case status == http.StatusPaymentRequired, status == http.StatusForbidden, status == http.StatusTooManyRequests, status >= http.StatusInternalServerError:
		return Says(names+" "+message, spentSigns...)
	}
	return status >= http.StatusBadRequest && Says(names, spentSigns...)
}

// Spent says that the operator's credit is used up, for which waiting is no help.
func Spent() *fault.Error {
	e := fault.New(fault.RateLimited, "This installation's quota at the model's provider is used up.").With("reason", "insufficient_quota")
	e.Endless = true
	return e
}
