package chat

// sift is a loose stream of which take looks at the events one by one, as long as it wants them, and leaves in
// out what is told instead. Each time the stream is read it begins anew.
func sift(loose Stream, begin func() (out *[]Event, take func(*Event), wants func([]Event) bool)) Stream {
	return func(yield func(Chunk, error) bool) {
		out, take, wants := begin()
		for chunk, err := range loose {
			if err == nil && wants(chunk.Events) {
				*out = (*out)[:0]
				for i := range chunk.Events {
					take(&chunk.Events[i])
				}
				chunk.Events = *out
			}
			if !yield(chunk, err) {
				return
			}
		}
	}
}
