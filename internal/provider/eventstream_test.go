package provider

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"stele/internal/dialect"
)

// frame writes a message as Amazon does.
func frame(payload []byte, headers ...string) []byte {
	var head []byte
	for i := 0; i < len(headers); i += 2 {
		head = append(head, byte(len(headers[i])))
		head = append(head, headers[i]...)
		head = append(head, textHeader)
		head = binary.BigEndian.AppendUint16(head, uint16(len(headers[i+1])))
		head = append(head, headers[i+1]...)
	}
	return framed(payload, head)
}

func framed(payload, head []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(preludeSize+len(head)+len(payload)+trailerSize))
	out = binary.BigEndian.AppendUint32(out, uint32(len(head)))
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out))
	out = append(append(out, head...), payload...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out))
}

// chunk writes an event of the dialect as Bedrock does.
func chunk(event string) []byte {
	payload := `{"bytes":"` + base64.StdEncoding.EncodeToString([]byte(event)) + `","p":"abcdefgh"}`
	return frame([]byte(payload), ":event-type", "chunk", ":content-type", "application/json", ":message-type", "event")
}

func exception(kind, message string) []byte {
	payload := append(dialect.AppendText([]byte(`{"message":`), message), '}')
	return frame(payload, ":exception-type", kind, ":content-type", "application/json", ":message-type", "exception")
}

func readBedrock(r io.Reader) (string, error) {
	text, err := io.ReadAll(&bedrockStream{frames: eventStream{r: r, most: 1 << 20}})
	return string(text), err
}

func TestReadsTheEventsInsideTheFrames(t *testing.T) {
	t.Parallel()
	stream := bytes.Join([][]byte{
		chunk(`{"type":"message_start"}`),
		frame([]byte(`{}`), ":event-type", "somethingNew", ":message-type", "event"),
		chunk("{\n \"type\": \"ping\"\r\n}"),
		chunk(`{"type":"message_stop","amazon-bedrock-invocationMetrics":{"inputTokenCount":1}}`),
	}, nil)
	want := "event: message_start\ndata: {\"type\":\"message_start\"}\n\n" +
		"event: ping\ndata: {\"type\":\"ping\"}\n\n" +
		"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
	for name, r := range map[string]io.Reader{
		"at once": bytes.NewReader(stream), "byte by byte": iotest.OneByteReader(bytes.NewReader(stream)), "with the end": iotest.DataErrReader(bytes.NewReader(stream)),
	} {
		if got, err := readBedrock(r); err != nil || got != want {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
}

func TestReadsHeadersOfEveryType(t *testing.T) {
	t.Parallel()
	var head []byte
	for kind, size := range sizes {
		head = append(head, 1, 'a'+byte(kind), byte(kind))
		if size < 0 {
			head = append(head, 0, 3)
			size = 3
		}
		head = append(head, bytes.Repeat([]byte{'x'}, size)...)
	}
	m, err := (&eventStream{r: bytes.NewReader(framed([]byte("p"), head)), most: 1 << 10}).next()
	if err != nil || len(m.headers) != 1 || m.headers["h"] != "xxx" || string(m.payload) != "p" {
		t.Errorf("%v %v %q", err, m.headers, m.payload)
	}
}

func TestADamagedByteIsAlwaysNoticed(t *testing.T) {
	t.Parallel()
	whole := chunk(`{"type":"ping"}`)
	for i := range whole {
		damaged := bytes.Clone(whole)
		damaged[i] ^= 0x10
		if got, err := readBedrock(bytes.NewReader(damaged)); !errors.Is(err, errFrame) || got != "" {
			t.Errorf("byte %d: %v %q", i, err, got)
		}
	}
}

func TestACutIsAlwaysNoticed(t *testing.T) {
	t.Parallel()
	first, second := chunk(`{"type":"ping"}`), chunk(`{"type":"message_stop"}`)
	want, _ := readBedrock(bytes.NewReader(first))
	for n := 1; n < len(second); n++ {
		got, err := readBedrock(io.MultiReader(bytes.NewReader(first), bytes.NewReader(second[:n])))
		if !errors.Is(err, io.ErrUnexpectedEOF) || got != want {
			t.Errorf("%d bytes: %v %q", n, err, got)
		}
	}
}

func TestRefusesFramesThatCannotBe(t *testing.T) {
	t.Parallel()
	lengths := func(size, headers uint32) []byte {
		out := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, size), headers)
		return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out))
	}
	for name, stream := range map[string][]byte{
		"shorter than its own lengths": lengths(15, 0),
		"headers beyond its end":       lengths(20, 9),
		"endless headers":              lengths(1<<19, 1<<18),
		"a header cut off":             framed(nil, []byte{200, 'a'}),
		"a header of no type":          framed(nil, []byte{1, 'a', 99}),
		"a header's text cut off":      framed(nil, []byte{1, 'a', 7, 0, 9, 'x'}),
		"a header's length cut off":    framed(nil, []byte{1, 'a', 7, 0}),
		"no type of message":           frame([]byte(`{}`)),
		"no base64":                    frame([]byte(`{"bytes":"***"}`), ":event-type", "chunk", ":message-type", "event"),
		"no JSON":                      chunk("hello"),
	} {
		if got, err := readBedrock(bytes.NewReader(stream)); !errors.Is(err, errFrame) || got != "" {
			t.Errorf("%s: %v %q", name, err, got)
		}
	}
	if _, err := readBedrock(bytes.NewReader(lengths(1<<30, 0))); err == nil || !strings.Contains(err.Error(), "more than can be taken") {
		t.Error(err)
	}
}

func TestAnExceptionIsTheDialectsOwnError(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]string{
		"throttlingException": "rate_limit_error", "modelStreamErrorException": "api_error", "modelTimeoutException": "timeout_error",
		"validationException": "invalid_request_error", "internalServerException": "api_error", "serviceUnavailableException": "overloaded_error", "": "api_error",
	} {
		got, err := readBedrock(bytes.NewReader(exception(name, `say "no"`)))
		want := `event: error` + "\n" + `data: {"type":"error","error":{"type":"` + kind + `","message":"say \"no\""}}` + "\n\n"
		if err != nil || got != want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", name, err, got, want)
		}
	}
	got, err := readBedrock(bytes.NewReader(frame(nil, ":message-type", "error", ":error-code", "ThrottlingException", ":error-message", "slower")))
	if err != nil || !strings.Contains(got, `"type":"rate_limit_error","message":"slower"`) {
		t.Errorf("%v %s", err, got)
	}
}

func FuzzEventStream(f *testing.F) {
	f.Add(chunk(`{"type":"ping"}`))
	f.Add(append(chunk(`{"type":"ping"}`), exception("throttlingException", "x")...))
	f.Add([]byte{0, 0, 0, 16})
	f.Fuzz(func(t *testing.T, stream []byte) {
		text, err := readBedrock(bytes.NewReader(stream))
		if err == nil && text != "" && !strings.HasSuffix(text, "\n\n") {
			t.Errorf("%q", text)
		}
	})
}
