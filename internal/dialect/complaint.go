package dialect

import (
	"cmp"

	"stele/internal/jsonscan"
)

// Complaint is what an upstream's refusal says, whichever server wrote it, and the object that holds the
// rest of it: {"error": {"message": …}}, {"error": "…"}, {"message": …}, FastAPI's {"detail": …} and Mistral's mixture
// of those, {"msg": …} of others, alone or in a list, and {"errors": […]} of Cloudflare and watsonx.
func Complaint(root jsonscan.Value) (inner jsonscan.Value, message string) {
	if root.Kind() == jsonscan.Array {
		root = root.Index(0)
	}
	if root.Kind() != jsonscan.Object {
		return jsonscan.Value{}, ""
	}
	inner = root.Get("error")
	if first := root.Get("errors").Index(0); inner.Absent() && first.Exists() {
		inner = first
	}
	if inner.Kind() != jsonscan.Object {
		message, inner = inner.View(), root
	}
	said, detail := inner.Get("message"), inner.Get("detail")
	if said.Kind() == jsonscan.Object {
		detail = said.Get("detail")
	}
	message = cmp.Or(message, said.View(), detail.Index(0).Get("msg").View(), detail.View())
	for _, name := range spellings {
		message = cmp.Or(message, inner.Get(name).View())
	}
	return inner, cmp.Or(message, root.Get("base_resp", "status_msg").View())
}

// spellings are what more servers call it: gateways of clouds, Amazon's in front of its services, and MiniMax inside of base_resp.
var spellings = []string{"msg", "error_msg", "error_message", "errorMessage", "Message"}
