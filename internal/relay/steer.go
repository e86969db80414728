package relay

import (
	"slices"
	"strings"

	"stele/internal/access"
	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// checkSteering refuses what would let a provider serve another model than the one
// that was looked up: some routers take a list of models, or of fallbacks, beside
// the model. It is looked for only where the caller may not have every model.
func checkSteering(who access.Principal, req *chat.Request) error {
	if !who.Scope.LimitsModels() || len(req.Origin.Body) == 0 {
		return nil
	}
	if name := findSteering(jsonscan.Root(req.Origin.Body), 0); name != "" {
		return fault.New(fault.PermissionDenied, "This key opens certain models only, and %q could have its provider serve another one: leave it out.", name).
			Field(name)
	}
	return nil
}

// findSteering finds a member of a body by which its provider could choose a model, or "".
func findSteering(body jsonscan.Value, depth int) string {
	const deepest = 4 // of bodies in bodies
	for key, v := range body.Members() {
		switch name := strings.ToLower(key.Name); {
		case (slices.Contains(chat.Holders, name) || name == "extrabody") && v.Kind() == jsonscan.Object && depth < deepest:
			if found := findSteering(v, depth+1); found != "" {
				return found
			}
		case strings.Contains(name, "model") && name != "model", strings.Contains(name, "fallback") && name != "fallback_credit_token":
			return key.Name
		}
	}
	return ""
}
