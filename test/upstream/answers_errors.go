package upstream

import (
	"net/http"
	"time"
)

// Raw answers with these bytes and nothing else.
func Raw(status int, contentType, body string) Answer {
	return func(*Exchange, Reply) Reply { return newReply(status, contentType, []byte(body)).sized() }
}

// Status answers with a status and a JSON body, which may be empty.
func Status(status int, body string) Answer { return Raw(status, "application/json", body) }

// WithHeader adds a header to the answer.
func WithHeader(name, value string) Answer {
	return func(_ *Exchange, r Reply) Reply {
		r.Header = r.Header.Clone()
		r.Header.Set(name, value)
		return r
	}
}

// HTML answers with a page, as proxies do.
func HTML(status int) Answer {
	return Raw(status, "text/html", "<html><head><title>"+http.StatusText(status)+"</title></head><body><center><h1>"+
		http.StatusText(status)+"</h1></center><hr><center>cloudflare "+canary+"</center></body></html>")
}

// Fail answers with a status and the API's own error body for it.
func Fail(status int, message string) Answer {
	return failing(failure{status: status, message: message})
}

// RateLimited is a 429, with the time to wait as the API says it; 0 says nothing.
func RateLimited(wait time.Duration) Answer {
	return failing(failure{status: http.StatusTooManyRequests, kind: rateLimited, retry: wait})
}

// QuotaGone is what an API says when the account has no money left.
func QuotaGone() Answer {
	return failing(failure{status: http.StatusTooManyRequests, kind: quotaGone})
}

// Overloaded is what an API says when it has too much to do: 503, or 529.
func Overloaded() Answer {
	return failing(failure{status: http.StatusServiceUnavailable, kind: overloaded})
}

// TooLong is what an API says when the conversation is too long for the model.
func TooLong() Answer {
	return failing(failure{status: http.StatusBadRequest, kind: tooLong})
}

// Broken is the API's 500.
func Broken() Answer {
	return failing(failure{status: http.StatusInternalServerError, kind: broken})
}

// BadKey is what an API says of a key that it does not know.
func BadKey() Answer {
	return func(x *Exchange, _ Reply) Reply {
		status := http.StatusUnauthorized
		if _, is := x.server.api.(gemini); is {
			status = http.StatusBadRequest
		}
		return x.server.api.fail(failure{status: status, kind: badKey})
	}
}

// ErrorIn200 is an error body under a status that says all is well.
func ErrorIn200() Answer {
	return func(x *Exchange, _ Reply) Reply {
		r := x.server.api.fail(failure{status: http.StatusServiceUnavailable, kind: overloaded})
		r.Status = http.StatusOK
		return r
	}
}

// ErrorAfter ends the usual stream after so many events with an error event.
func ErrorAfter(frames int) Answer {
	return func(x *Exchange, _ Reply) Reply {
		x.Stream = true
		r := x.Render().firstFrames(frames, Finish)
		failed := x.server.api.fail(failure{status: http.StatusServiceUnavailable, kind: overloaded}).bytes()
		event := x.server.api.event(string(failed))
		if x.chat.array {
			event = append(append([]byte(",\r\n"), failed...), "]\n"...)
		}
		r.Frames = append(r.Frames, Frame{Bytes: event})
		return r
	}
}

func failing(f failure) Answer {
	return func(x *Exchange, _ Reply) Reply { return x.server.api.fail(f) }
}
