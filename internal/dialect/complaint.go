package dialect

import (
	"cmp"
	"strings"

	"stele/internal/jsonscan"
	"stele/internal/pattern"
)

// Complaint is what an upstream's refusal says, whichever server wrote it, and the object that holds the
// rest of it: {"error": {"message": …}}, {"error": "…"}, {"message": …}, FastAPI's {"detail": …} and Mistral's mixture
// of those, {"msg": …} of others, alone, in a list or one inside of another, and {"errors": […]} of Cloudflare and watsonx.
func Complaint(root jsonscan.Value) (inner jsonscan.Value, message string) {
	const deepest = 3
	for range deepest {
		inner, message = complaintIn(root)
		if message == "" {
			root = objectIn(inner)
		} else if root = quotedIn(message); !says(root) {
			break
		}
		if !root.Exists() {
			break
		}
	}
	return inner, message
}

// quotedIn is the refusal of the server behind a gateway that has put it, as it came, into its own words: alone, or behind a
// few words that tell of it. What is quoted otherwise may be what the client said.
func quotedIn(message string) jsonscan.Value {
	at := strings.IndexByte(message, '{')
	if at < 0 || at > 0 && !quoting().MatchString(message[:at]) || !strings.HasSuffix(strings.TrimSpace(message), "}") {
		return jsonscan.Value{}
	}
	if quoted := []byte(message[at:]); jsonscan.Valid(quoted, jsonscan.Lenient) {
		return jsonscan.At(quoted, 0)
	}
	return jsonscan.Value{}
}

var quoting = pattern.New(`(?i)^[\w .:()-]{0,60}(?:status|exception|provider|upstream|error)[\w .:()-]{0,40}$`)

// says reports whether a value is a refusal with words.
func says(root jsonscan.Value) bool {
	inner, message := complaintIn(root)
	return message != "" || objectIn(inner).Exists()
}

// objectIn is the object in which a refusal goes on that has no words itself: FastAPI's detail holds whatever a server puts there.
func objectIn(inner jsonscan.Value) jsonscan.Value {
	for _, name := range []string{"error", "detail", "message", "Error", "fault"} {
		v := inner.Get(name)
		if v.Kind() == jsonscan.Array {
			v = v.Index(0)
		}
		if v.Kind() == jsonscan.Object {
			return v
		}
	}
	return jsonscan.Value{}
}

func complaintIn(root jsonscan.Value) (inner jsonscan.Value, message string) {
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
	if inner.Kind() == jsonscan.Array {
		inner = inner.Index(0)
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

// spellings are what more servers call it: gateways of clouds, Amazon's in front of its services, Apigee's, and MiniMax inside of base_resp.
var spellings = []string{"msg", "error_msg", "error_message", "errorMessage", "Message", "faultstring"}
