package dialect

import (
	"cmp"

	"stele/internal/jsonscan"
)

// Complaint is what an upstream's refusal says, whichever server wrote it, and the object that holds the
// rest of it: {"error": {"message": …}}, {"error": "…"}, {"message": …}, FastAPI's {"detail": …} and Mistral's mixture
// of those, alone or in a list.
func Complaint(root jsonscan.Value) (inner jsonscan.Value, message string) {
	if root.Kind() == jsonscan.Array {
		root = root.Index(0)
	}
	if root.Kind() != jsonscan.Object {
		return jsonscan.Value{}, ""
	}
	if inner = root.Get("error"); inner.Kind() != jsonscan.Object {
		message, inner = inner.View(), root
	}
	said, detail := inner.Get("message"), inner.Get("detail")
	if said.Kind() == jsonscan.Object {
		detail = said.Get("detail")
	}
	return inner, cmp.Or(message, said.View(), detail.Index(0).Get("msg").View(), detail.View())
}
