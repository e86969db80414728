package main

import (
	"fmt"
	"strings"
)

// share is how busy a machine may be that still answers at once when more come.
const share = 0.7

// report is the three tables of docs/scale.md.
func report(text string) (string, error) {
	c, err := readFigures(text).costs()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("### What one costs (measured)\n\n")
	c.writeCosts(&b)
	b.WriteString("\n### What a server carries (reckoned)\n\n")
	c.writeServers(&b)
	b.WriteString("\n### A day of a million tasks (simulated)\n\n")
	c.writeDays(&b)
	return b.String(), nil
}

var engineNames = map[string]string{"sqlite": "SQLite", "postgresql": "PostgreSQL"}

func (c *costs) writeCosts(b *strings.Builder) {
	b.WriteString("| one | on | Stele, ms | PostgreSQL, ms | statements | WAL, bytes | written by Stele, bytes | kept, bytes |\n|---|---|--:|--:|--:|--:|--:|--:|\n")
	for _, engine := range []string{"sqlite", "postgresql"} {
		for _, what := range []struct {
			name string
			of   spent
		}{{"chat, whole", c.chat[engine]}, {"chat, streamed", c.stream[engine]}, {"generation", c.generation[engine]}} {
			s := what.of
			fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", what.name, engineNames[engine], millis(s.stele), millis(s.postgres), some(s.asked), some(s.logged), some(s.written), some(s.kept))
		}
	}
	for _, engine := range []string{"sqlite", "postgresql"} {
		for _, s := range c.batches[engine] {
			fmt.Fprintf(b, "| row, %.0f in a transaction | %s | %s | %s | | %s | | %s |\n", s.size, engineNames[engine], millis(s.stele), millis(s.postgres), some(s.logged), some(s.kept))
		}
	}
	fmt.Fprintf(b, "| row deleted, and vacuumed | PostgreSQL | %s | %s | | %s | | |\n", millis(c.deleted.stele), millis(c.deleted.postgres), some(c.deleted.logged))
	fmt.Fprintf(b, "| row dropped with its table | PostgreSQL | %s | %s | | %s | | |\n", millis(c.dropped.stele), millis(c.dropped.postgres), some(c.dropped.logged))
}

func (c *costs) writeServers(b *strings.Builder) {
	fmt.Fprintf(b, "| a second, at %.0f %% of its cores | 2 cores | 8 cores | 32 cores |\n|---|--:|--:|--:|\n", 100*share)
	line := func(name string, each func(cores float64) float64) {
		fmt.Fprintf(b, "| %s |", name)
		for _, cores := range []float64{2, 8, 32} {
			fmt.Fprintf(b, " %s |", round(each(cores*share)))
		}
		b.WriteString("\n")
	}
	for _, engine := range []string{"sqlite", "postgresql"} {
		on := engineNames[engine]
		if engine == "sqlite" {
			line("chats, Stele on SQLite¹", func(cores float64) float64 {
				return min(cores*1e6/c.chat[engine].stele, 1e6*share/c.row(engine, mostRows).stele)
			})
			line("generations, Stele on SQLite¹", func(cores float64) float64 { return min(cores, 2*share) * 1e6 / c.generation[engine].stele })
			continue
		}
		line("chats, Stele on "+on+"²", func(cores float64) float64 { return min(cores*1e6/c.chat[engine].stele, c.carried()) })
		line("generations, Stele on "+on, func(cores float64) float64 { return cores * 1e6 / c.generation[engine].stele })
		line("rows in batches of 500, PostgreSQL itself³", func(cores float64) float64 { return min(cores*1e6/c.row(engine, 500).postgres, c.mostRows()) })
		line("generations, PostgreSQL itself", func(cores float64) float64 { return cores * 1e6 / c.generation[engine].postgres })
	}
}

// carried is how many rows a second one server's journal hands over: a batch at a time.
func (c *costs) carried() float64 {
	row := c.row("postgresql", mostRows)
	return share * 1e6 / (row.stele + row.postgres + commitSync*1e6/mostRows)
}

// mostRows is how many rows a second the sums let through: one transaction at a time.
func (c *costs) mostRows() float64 {
	row := c.row("postgresql", mostRows)
	return share * mostRows / (mostRows*row.postgres*row.locked/1e6 + commitSync)
}

const commitSync = 0.002 // seconds: a disk of a data center

func (c *costs) writeDays(b *strings.Builder) {
	b.WriteString("| rows a day | servers × cores | PostgreSQL | old rows | busiest hour: rows/s | Stele busy | PostgreSQL busy | WAL, MB/s | commits/s | rows each | a row is in after, half / 99 of 100 | WAL a day | rows of 30 days |\n" +
		"|--:|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, h := range houses() {
		p := h.play(c)
		old, lag := "deleted", fmt.Sprintf("%.1f s / %.1f s", p.half, p.most)
		if h.dropped {
			old = "dropped"
		}
		if p.most > 60 {
			lag = "falls behind"
		}
		fmt.Fprintf(b, "| %s | %d × %d | %d cores | %s | %s | %.0f %% | %.0f %% | %.1f | %.0f | %.0f | %s | %s | %s |\n",
			count(h.rows), h.servers, h.cores, h.database, old, round(p.peak), 100*p.stele, 100*p.postgres, p.logged/1e6, p.commits, p.batch, lag, bytes(p.loggedAll), bytes(p.kept))
	}
}

// houses are the days that are played: all have a million tasks beside their rows.
func houses() []house {
	day := func(rows float64, servers, cores, database int, dropped bool) house {
		return house{servers: servers, cores: cores, database: database, rows: rows, tasks: 1e6, keep: 30, dropped: dropped, sync: commitSync}
	}
	return []house{
		day(1e6, 1, 2, 2, false), day(1e7, 1, 2, 2, false), day(1e8, 2, 8, 4, false), day(1e9, 1, 32, 8, true), day(1e9, 4, 8, 2, false),
		day(1e9, 4, 8, 8, false), day(1e9, 4, 8, 8, true), day(1e9, 16, 8, 8, true), day(4e9, 16, 8, 32, true),
	}
}

func millis(microseconds float64) string {
	switch {
	case microseconds == 0:
		return ""
	case microseconds < 1:
		return "0.001"
	}
	return fmt.Sprintf("%.2f", microseconds/1000)
}

func some(n float64) string {
	switch {
	case n <= 0:
		return ""
	case n < 10:
		return fmt.Sprintf("%.2f", n)
	}
	return count(n)
}

// round is a figure to two digits: no reckoning is better.
func round(n float64) string {
	unit := 1.0
	for n/unit >= 100 {
		unit *= 10
	}
	return count(float64(int(n/unit+0.5)) * unit)
}

func count(n float64) string {
	text := fmt.Sprintf("%.0f", n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

func bytes(n float64) string {
	for _, unit := range []string{"B", "KB", "MB", "GB"} {
		if n < 1000 {
			return fmt.Sprintf("%.3g %s", n, unit)
		}
		n /= 1000
	}
	return fmt.Sprintf("%.3g TB", n)
}
