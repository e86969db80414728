package dialect_test

import (
	"strings"
	"testing"
	"time"

	"stele/internal/chat"
)

var hardWire = section{"M", "JSON, keys, paths and versions", []hard{
	{number: 254, name: "digits of an answer", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: G, ask: offerA(""), answers: []string{wholeG(`{"functionCall":{"name":"f","args":{"id":12345678901234567890}}}`)}})
		l.gets("content.0.input.id", "12345678901234567890")
	}},
	{number: 256, name: "names in capitals", run: func(t *testing.T) {
		for _, to := range []string{O, A, G} {
			refuses(t, trip{from: O, to: to, ask: `{"Model":"x","MESSAGES":[{"role":"user","content":"go"}]}`}, "model")
		}
	}},
	{number: 258, name: "a model's name with slash and colon", elsewhere: "TestHard258AModelWithSlashAndColon"},
	{number: 260, name: "two keys", elsewhere: "TestHard260ADummyGoogleKeyBesideAGoodOne"},
	{number: 262, name: "a key in the address", elsewhere: "TestHard262AKeyInTheAddressIsNotRead"},
	{number: 264, name: "two lists of models", elsewhere: "TestHard264TwoListsOfModels"},
	{number: 265, name: "no version", run: func(t *testing.T) {
		for _, to := range []string{O, A, G} {
			l := take(t, trip{from: A, to: to, version: "-", ask: plain[A]})
			l.warns("anthropic-version", chat.Added)
			if to == A {
				is(t, "the version", l.calls[0].Header.Get("Anthropic-Version"), "2023-06-01")
			}
		}
	}},
	{number: 266, name: "count_tokens", elsewhere: "TestHard266CountTokensIsNotServed"},
	{number: 268, name: "JSON without measure", run: func(t *testing.T) {
		began := time.Now()
		deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
		many := strings.TrimSuffix(strings.Repeat(`{"role":"user","content":"a"},`, 1_000_000), ",")
		for _, to := range []string{O, A, G} {
			if l := try(t, trip{from: O, to: to, ask: withO(`"x":` + deep)}); l.failure == nil || l.status != 400 {
				t.Errorf("deep to %s: %d", to, l.status)
			}
		}
		if l := try(t, trip{from: O, to: A, ask: talkO(many)}); l.failure == nil || l.status != 400 && l.status != 413 {
			t.Errorf("a million messages: %d", l.status)
		}
		if took := time.Since(began); took > 3*time.Minute {
			t.Errorf("took %s", took)
		}
	}},
	{number: 270, name: "numbers in quotes", answer: "400 naming the field", run: func(t *testing.T) {
		for _, to := range []string{A, G} {
			refuses(t, trip{from: O, to: to, ask: withO(`"max_tokens":"100"`)}, "max_tokens")
			refuses(t, trip{from: O, to: to, ask: withO(`"temperature":"0.5"`)}, "temperature")
		}
	}},
	{number: 271, name: "parts that are none", run: func(t *testing.T) {
		for _, to := range []string{A, G} {
			refuses(t, trip{from: O, to: to, ask: talkO(`{"role":"user","content":["a","b"]}`)}, "messages[0].content[0]")
			refuses(t, trip{from: O, to: to, ask: partO(`{"type":"hologram","hologram":{}}`)}, "messages[0].content[1]")
		}
	}},
}}
