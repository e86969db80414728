package upstream

// Answer is what a server is told to say: it makes a reply from the exchange and
// from the reply so far, which at first is the usual one.
type Answer func(x *Exchange, usual Reply) Reply

// Exchange is one request that passed all checks, and its answer in the making.
type Exchange struct {
	*Recorded

	Plan   Plan // what will be said; Render puts it into bytes
	Stream bool // whether it will be streamed

	server  *Server
	chat    *chat
	ask     ask
	essence []byte
	digest  string // of the essence, once it is needed
}

// Render is the plan as the API says it.
func (x *Exchange) Render() Reply { return x.server.api.render(x) }

// Next queues answers, one for each request to come. They come before Handle. A
// request that the API refuses is refused all the same and takes none of them.
func (s *Server) Next(answers ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, answers...)
}

// Handle has f choose the answer to every request that Next has none for. A nil
// answer is the usual one, a nil f the end of it. Requests may come at the same time.
func (s *Server) Handle(f func(r *Recorded) Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handle = f
}

// Always answers every request alike.
func (s *Server) Always(a Answer) {
	s.Handle(func(*Recorded) Answer { return a })
}

func (s *Server) next(r *Recorded) Answer {
	s.mu.Lock()
	if len(s.queue) > 0 {
		a := s.queue[0]
		s.queue = s.queue[1:]
		s.mu.Unlock()
		return a
	}
	f := s.handle
	s.mu.Unlock()
	if f == nil {
		return nil
	}
	return f(r)
}

// Chain is one answer out of several: each changes what those before it made.
func Chain(answers ...Answer) Answer {
	return func(x *Exchange, usual Reply) Reply {
		for _, a := range answers {
			usual = a(x, usual)
		}
		return usual
	}
}

// Usual is the answer of a server without a script.
func Usual() Answer {
	return func(_ *Exchange, usual Reply) Reply { return usual }
}
