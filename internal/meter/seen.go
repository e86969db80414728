package meter

import "time"

// How a generation ended, for those who count.
const (
	Succeeded = "succeeded"
	Failed    = "failed"
	Canceled  = "canceled"
)

// End is how the generation that a record is of ended; "" where it is of none.
func (r *Record) End() string {
	switch {
	case r.Route != "generations":
		return ""
	case r.Status < 400:
		return Succeeded
	case r.Code == Canceled:
		return Canceled
	}
	return Failed
}

// PerToken is how long each token after the first took that a streamed answer has; 0
// where that cannot be told.
func (r *Record) PerToken() time.Duration {
	n := r.Output + r.Reasoning - 1
	if !r.Stream || r.Status >= 400 || r.FirstByte == 0 || n < 1 {
		return 0
	}
	return (r.Took - r.FirstByte) / time.Duration(n)
}

// Errors are the tries that failed, without those whose client did not wait. A stream
// that broke counts against the one who had begun to serve it.
func (r *Record) Errors() []Try {
	var failed []Try
	tries := r.Trail()
	if r.Path == "" && r.Tries > 0 {
		tries = []Try{{Provider: r.Provider, Target: r.Target, Code: r.Code, Took: r.Took}} // of several only the last is known
	}
	for i, t := range tries {
		if i == len(tries)-1 && t.Code == "" {
			t.Code = r.Code
		}
		if t.Provider != "" && t.Code != "" && t.Code != clientGone && t.Code != Canceled {
			failed = append(failed, t)
		}
	}
	return failed
}

// clientGone is the code of a request whose client did not wait for its answer.
const clientGone = "client_gone"
