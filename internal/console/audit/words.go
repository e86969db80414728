package audit

import (
	"cmp"
	"strings"

	"stele/internal/access"
)

// deedWords puts an action in words: as a choice of the filter, and as what
// a person did, before the name of what they did it to.
type deedWords struct{ action, choice, did string }

// deeds are the actions of the audit log by what they are about.
var deeds = []struct {
	label string
	deeds []deedWords
}{
	{"Signing in", []deedWords{
		{"session.signin", "Signed in", "signed in from"},
		{"session.signout", "Signed out", "signed out from"},
		{"session.refuse", "Sign-in refused", "was refused at the door:"},
		{"session.end", "Session ended", "ended sessions:"},
		{"session.switch", "Workspace entered", "came to this workspace"},
		{"session.new_device", "New browser", "signed in with a new browser, from"},
	}},
	{"People", []deedWords{
		{"user.create", "Person added", "added"},
		{"user.add", "Person taken in", "let in"},
		{"user.role", "Role changed", "changed a role:"},
		{"user.remove", "Person removed", "removed"},
		{"user.delete", "Account deleted", "deleted the account of"},
		{"user.reset", "Password link made", "made a password link for"},
		{"user.password", "Password chosen", "chose a password for"},
		{"user.signon", "Single sign-on tied", "signed on through the identity provider as"},
		{"user.join", "Workspace joined", "joined this workspace as"},
		{"user.factor_add", "Second factor added", "added a second factor:"},
		{"user.factor_remove", "Second factor removed", "removed a second factor:"},
		{"user.factor_reset", "Second factors taken away", "took the second factors from"},
		{"user.recovery_codes", "Recovery codes made", "made recovery codes for"},
		{"user.recovery_code", "Recovery code used", "used a recovery code"},
		{"user.rescue", "Emergency link made", "made an emergency link for"},
		{"user.rescued", "Emergency link used", "came by an emergency link as"},
		{"workspace.create", "Workspace made", "made the workspace"},
		{"workspace.policy", "Policy changed", "changed the policy of"},
	}},
	{"API keys", []deedWords{
		{"key.create", "Key made", "made the key"},
		{"key.update", "Key edited", "edited the key"},
		{"key.rotate", "Key rotated", "rotated the key"},
		{"key.revoke", "Key revoked", "revoked the key"},
	}},
	{"Limits", []deedWords{
		{"limit.create", "Limit made", "made the limit"},
		{"limit.update", "Limit changed", "changed the limit"},
		{"limit.delete", "Limit deleted", "deleted the limit"},
	}},
	{"Webhooks", []deedWords{
		{"endpoint.create", "Endpoint made", "made the endpoint"},
		{"endpoint.update", "Endpoint changed", "changed the endpoint"},
		{"endpoint.rotate", "Endpoint's secret rotated", "made a new secret for the endpoint"},
		{"endpoint.delete", "Endpoint deleted", "deleted the endpoint"},
	}},
	{"Installation", []deedWords{
		{"master_key.rotate", "Master key rotated", "rotated the"},
	}},
	{"Prices", []deedWords{
		{"price.create", "Price set", "set the price of"},
		{"price.update", "Price changed", "changed the price of"},
		{"price.delete", "Price deleted", "deleted their own price of"},
		{"prices.rerate", "Requests rated again", "rated requests again, from"},
	}},
	{"Providers and models", []deedWords{
		{"provider.create", "Provider added", "added the provider"},
		{"provider.update", "Provider changed", "changed the provider"},
		{"provider.enable", "Provider switched on", "switched on the provider"},
		{"provider.disable", "Provider switched off", "switched off the provider"},
		{"provider.delete", "Provider deleted", "deleted the provider"},
		{"model.create", "Model added", "added the model"},
		{"model.update", "Model changed", "changed the model"},
		{"model.delete", "Model deleted", "deleted the model"},
		{"name.create", "Name for all added", "added the name"},
		{"name.update", "Name for all changed", "changed the name"},
		{"name.delete", "Name for all deleted", "deleted the name"},
		{"workspace.names", "Names of the workspace changed", "changed the names of"},
	}},
	{"Apps and studio", []deedWords{
		{"app.create", "App made", "made the app"},
		{"app.save", "App saved", "saved the app"},
		{"app.publish", "App published", "published the app"},
		{"app.unpublish", "App withdrawn", "withdrew the app"},
		{"app.restore", "App version restored", "restored a version of the app"},
		{"app.delete", "App deleted", "deleted the app"},
		{"app.run", "App run", "ran the app"},
		{"generation.create", "Generation ordered", "ordered a generation from"},
		{"generation.cancel", "Generation cancelled", "cancelled a generation from"},
		{"generation.delete", "Generation deleted", "deleted a generation from"},
		{"file.upload", "File uploaded", "uploaded"},
		{"task.resend", "Task sent again", "sent again what was set aside:"},
		{"task.forget", "Task forgotten", "took off the list of what was set aside:"},
	}},
}

// verbs put the second half of an action in words where deeds does not know it.
var verbs = map[string]string{
	"create": "made", "update": "changed", "delete": "deleted", "remove": "removed", "rotate": "rotated", "revoke": "revoked", "test": "tested",
	"publish": "published", "duplicate": "duplicated", "cancel": "cancelled", "run": "ran", "enable": "switched on", "disable": "switched off",
	"save": "saved", "add": "added", "upload": "uploaded", "retry": "ran again",
}

// deed says what was done.
func deed(action string) string {
	for _, group := range deeds {
		for _, d := range group.deeds {
			if d.action == action {
				return d.did
			}
		}
	}
	noun, verb, _ := strings.Cut(action, ".")
	if did := verbs[verb]; did != "" {
		return did + " the " + strings.ReplaceAll(noun, "_", " ")
	}
	return action
}

// ChangeWords puts what changed into one line.
func ChangeWords(list []access.Change) string {
	var said []string
	for _, c := range list {
		switch {
		case c.Old == "":
			said = append(said, c.Field+": "+c.New)
		case c.New == "":
			said = append(said, c.Field+": "+c.Old+" → nothing")
		default:
			said = append(said, c.Field+": "+c.Old+" → "+c.New)
		}
	}
	return strings.Join(said, "; ")
}

// whoDid names the actor.
func whoDid(e access.Entry) string {
	for _, a := range actors {
		if e.ActorName == "" && e.Actor == a.id {
			return a.name
		}
	}
	return cmp.Or(e.ActorName, e.Actor, "Somebody")
}

// actors are those who act and are no people.
var actors = []struct{ id, name string }{{"command-line", "Command line"}, {"configuration", "Configuration"}, {"single-sign-on", "Single sign-on"}}
