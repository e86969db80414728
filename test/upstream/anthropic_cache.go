package upstream

// claudeCache checks the cache markers: at most four, and long ones before short.
func claudeCache(_ *Server, c *chat) *failure {
	var lives []string
	mark := func(v any) {
		if control := objectAt(v, "cache_control"); control != nil {
			lives = append(lives, textAt(control, "ttl"))
		}
	}
	for _, t := range listAt(c.body, "tools") {
		mark(t)
	}
	for _, b := range listAt(c.body, "system") {
		mark(b)
	}
	for _, m := range listAt(c.body, "messages") {
		for _, b := range listAt(m, "content") {
			mark(b)
			for _, inner := range listAt(b, "content") {
				mark(inner)
			}
		}
	}
	mark(c.body)
	if len(lives) > 4 {
		return refused("A maximum of 4 blocks with cache_control may be provided. Found %d.", len(lives))
	}
	short := false
	for _, life := range lives {
		if life == "1h" && short {
			return refused("a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.") //nolint:lll // their words
		}
		short = short || life != "1h"
	}
	return nil
}
