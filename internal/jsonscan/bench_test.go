package jsonscan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"

	"stele/internal/jsonscan"
)

var (
	chatBody = func() []byte {
		var b strings.Builder
		b.WriteString(`{"model":"gpt-4.1","stream":true,"temperature":0.7,"max_tokens":1024,"messages":[{"role":"system","content":"You are a helpful assistant.\nAnswer briefly."}`)
		for i := range 6 {
			fmt.Fprintf(&b, `,{"role":"user","content":[{"type":"text","text":"Question %d: what does \"strict\" mean here, and why is it so? Grüße."}]},{"role":"assistant","content":"It means that every member is required,\nand none may be added."}`, i)
		}
		b.WriteString(`],"tools":[{"type":"function","function":{"name":"weather","description":"Tells the weather.","parameters":{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer","minimum":1}},"required":["city"]}}}]}`)
		return []byte(b.String())
	}()
	pictureBody = []byte(`{"model":"gpt-4.1","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` +
		strings.Repeat("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9Q/", 1<<20/69) + `"}},{"type":"text","text":"What is this?"}]}]}`)
	turnsBody = []byte(`{"model":"m","messages":[{"role":"user","content":"` +
		strings.Repeat(`"},{"role":"user","content":"`+strings.Repeat(`Some words that were said, \"quoted\", on\nmore than one line. `, 16), 1000) + `"}]}`)
	codeBody     = []byte(`{"model":"m","messages":[{"role":"user","content":"` + strings.Repeat(`\tif next_row := read_row(from_place); next_row != nil {\n\t\treturn \"a_name\", nil\n\t}\n`, 1<<20/88) + `"}]}`)
	cyrillicBody = []byte(`{"model":"m","messages":[{"role":"user","content":"` + strings.Repeat("Съешь ещё этих мягких французских булок, да выпей чаю. ", 40) + `"}]}`)
	frame        = []byte(`{"id":"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT","object":"chat.completion.chunk","created":1741569952,"model":"gpt-4.1-2025-04-14",` +
		`"service_tier":"default","system_fingerprint":"fp_44709d6fcb","choices":[{"index":0,"delta":{"content":"Hello, "},"logprobs":null,"finish_reason":null}],"usage":null}`)
)

// needles are like those of requests that pass through.
var needles = jsonscan.NewNeedles(`"c3RlbGUtcHJvb2Y6`, `"reasoning_content"`, `"reasoning_details"`, `"extra_content"`, `"file_0`, `/file_0`)

func BenchmarkWalk(b *testing.B) {
	for name, doc := range map[string][]byte{"chat": chatBody, "picture": pictureBody, "turns": turnsBody, "code": codeBody, "cyrillic": cyrillicBody, "frame": frame} {
		run := func(by string, do func() bool) {
			b.Run(name+"/"+by, func(b *testing.B) {
				b.SetBytes(int64(len(doc)))
				b.ReportAllocs()
				for b.Loop() {
					if !do() {
						b.Fatal("refused")
					}
				}
			})
		}
		run("valid", func() bool { return jsonscan.Valid(doc, jsonscan.Strict) })
		run("everything", func() bool {
			var model jsonscan.Value
			_, err := jsonscan.Scan{Needles: needles}.Walk(doc, func(k jsonscan.Key, v jsonscan.Value) {
				if k.Name == "model" {
					model = v
				}
			})
			return err == nil && model.Exists()
		})
		run("jsontext", func() bool { return jsontext.Value(doc).IsValid() })
		run("gjson", func() bool { return gjson.ValidBytes(doc) }) // without UTF-8 and duplicates
	}
}

// BenchmarkFrame reads what a stream's decoder needs of a frame.
func BenchmarkFrame(b *testing.B) {
	b.Run("leaps", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if len(readFrame(frame)) != 7 {
				b.Fatal("misread")
			}
		}
	})
	b.Run("walk and leaps", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if !jsonscan.Valid(frame, jsonscan.Lenient) || len(readFrame(frame)) != 7 {
				b.Fatal("misread")
			}
		}
	})
	b.Run("gjson", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if len(readFrameGJSON(string(frame))) != 7 {
				b.Fatal("misread")
			}
		}
	})
}

func readFrame(frame []byte) (content string) {
	for key, v := range jsonscan.At(frame, 0).Members() {
		switch key.Name {
		case "usage":
			if !v.Absent() {
				return ""
			}
		case "choices":
			for _, choice := range v.Elements() {
				for key, v := range choice.Members() {
					switch key.Name {
					case "delta":
						for key, v := range v.Members() {
							if key.Name == "content" {
								content = v.View()
							}
						}
					case "finish_reason":
						if !v.Absent() {
							return ""
						}
					}
				}
			}
		}
	}
	return content
}

func readFrameGJSON(frame string) (content string) {
	gjson.Parse(frame).ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "usage":
			return v.Type == gjson.Null
		case "choices":
			v.ForEach(func(_, choice gjson.Result) bool {
				choice.ForEach(func(key, v gjson.Result) bool {
					switch key.Str {
					case "delta":
						v.ForEach(func(key, v gjson.Result) bool {
							if key.Str == "content" {
								content = v.Str
							}
							return true
						})
					case "finish_reason":
						return v.Type == gjson.Null
					}
					return true
				})
				return true
			})
		}
		return true
	})
	return content
}

func BenchmarkLeaps(b *testing.B) {
	b.SetBytes(int64(len(pictureBody)))
	b.ReportAllocs()
	for b.Loop() {
		if jsonscan.At(pictureBody, 0).Get("messages").Index(0).Get("content").Index(1).Get("text").View() == "" {
			b.Fatal("not found")
		}
	}
}

func BenchmarkText(b *testing.B) {
	const said = "It means that every member is required,\nand none may be added: \"strict\" is strict. Grüße."
	dst := make([]byte, 0, 4096)
	b.Run("write", func(b *testing.B) {
		for b.Loop() {
			dst = jsonscan.AppendText(dst[:0], said)
		}
	})
	b.Run("write/jsontext", func(b *testing.B) {
		for b.Loop() {
			dst, _ = jsontext.AppendQuote(dst[:0], said)
		}
	})
	quoted := jsonscan.AppendText(nil, said)
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			jsonscan.At(quoted, 0).Text()
		}
	})
	b.Run("read/jsontext", func(b *testing.B) {
		for b.Loop() {
			dst, _ = jsontext.AppendUnquote(dst[:0], quoted)
			_ = string(dst)
		}
	})
}
