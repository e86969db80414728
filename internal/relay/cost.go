package relay

import "stele/internal/chat"

// tell puts what the answer cost so far into a chunk, for a client that asked for it. Of
// frames that pass through its dialect knows which one has it.
func (c *call) tell(chunk *chat.Chunk) {
	seen := c.reply.Seen
	if c.reply.Passed {
		if seen == nil || seen.Ended || !seen.Usage.Known {
			return
		}
		if seen.Usage != c.used {
			c.told = c.cost()
		}
		chunk.Cost = c.told
		return
	}
	if c.ends(chunk) {
		chunk.Events[len(chunk.Events)-1].Usage.Cost = c.cost()
	}
}

// tellUsed puts what is booked into the end of a translated stream: its upstream may have counted
// less of it, or nothing.
func (c *call) tellUsed(chunk *chat.Chunk) {
	if c.reply.Passed {
		return
	}
	end := &chunk.Events[len(chunk.Events)-1]
	cost := end.Usage.Cost
	end.Usage = c.used
	end.Usage.Cost = cost
}

// cost is what the answer cost by what has come of it; nil where that is not known.
func (c *call) cost() *int64 {
	if c.reply.Seen != nil {
		c.count(c.reply.Seen.UsageToMeter(c.body))
	}
	if c.price(&c.record, c.used); !c.record.Priced {
		return nil
	}
	nano := c.record.Nano
	return &nano
}
