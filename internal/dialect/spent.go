package dialect

import (
	"net/http"
	"strings"

	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// spentSigns are how upstreams say that the operator's credit is used up: arrearage is Alibaba's, budget_exceeded LiteLLM's.
var spentSigns = []string{
	"insufficient_quota", "billing", "credit balance", "exceeded your current quota", "exceeded_current_quota", "insufficient credits",
	"insufficient balance", "credits are depleted", "spending cap", "arrearage", "budget_exceeded", "requires more credits", "insufficient_user_quota", "额度不足", "额度已用尽", "freetieronly", // the last are New API's and Alibaba's
	"used all available credits", "spending limit", "run out of credits", "grok subscription", // xAI's
}

// passingSigns are of limits of a minute that are called quotas: Alibaba's help says so of both of its sentences.
var passingSigns = []string{"allocated quota exceeded", "aliyun.com/", "alibabacloud.com/"}

// spentBeginnings are how refusals of any status begin that say so: DeepSeek's and OpenCode's, with 400 and 401. What else a sentence
// says may be the client's words.
var spentBeginnings = []string{"insufficient balance", "the free quota has been exhausted", "the free tier of the model has been exhausted"}

// SaysSpent reports whether a refusal is one of the operator's credit. Names are its type and code: in a refusal of the request itself
// only they tell, for what it says may name a client's tool.
func SaysSpent(status int, names, message string) bool {
	switch {
	case status == http.StatusTooManyRequests && (waitInWords(message) > 0 || Says(message, passingSigns...)): // Google calls a limit of a minute a quota
		return false
	case status >= http.StatusBadRequest && begins(message, spentBeginnings):
		return true
	case status == http.StatusUnauthorized, status == http.StatusPaymentRequired, status == http.StatusForbidden, status == http.StatusTooManyRequests, status >= http.StatusInternalServerError:
		return Says(names+" "+message, spentSigns...)
	}
	return status >= http.StatusBadRequest && Says(names, spentSigns...)
}

// RouterLimit is what OpenRouter says of a limit of its own, by name: a budget that requests under way have taken for
// the moment, or one that is spent. It is nil where nothing is named.
func RouterLimit(said jsonscan.Value) *fault.Error {
	switch source := said.Get("metadata", "limit_source").View(); {
	case source == "openrouter_in_flight_budget":
		return ByStatus(http.StatusTooManyRequests, "")
	case strings.HasPrefix(source, "openrouter_"):
		return Spent()
	}
	return nil
}

// Spent says that the operator's credit is used up, for which waiting is no help.
func Spent() *fault.Error {
	e := fault.New(fault.RateLimited, "This installation's quota at the model's provider is used up.").With("reason", "insufficient_quota")
	e.Endless = true
	return e
}
