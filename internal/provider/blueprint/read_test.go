package blueprint

import (
	"strings"
	"testing"
)

const rightOperation = `operation: acme/task
kind: acme
auth: {header: Authorization, value: "Bearer {key}"}
hosts: [api.acme.com, "*.acme.net"]
submit: {post: "/v1/{upstream}", encode: json, id: id}
poll: {get: "/v1/tasks/{id}", first: 1s, step: 2s, max: 10s}
state: {path: status, map: {queued: pending, done: success, broken: failed}}
outputs: [{path: "result[*].url", kind: image}]
`

func TestOperationFilesAreReadStrictly(t *testing.T) {
	t.Parallel()
	if _, err := readOperation("acme.yaml", []byte(rightOperation)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, mended, want string }{
		{"operation: acme/task", "operation: task", "acme.yaml:1:12: operation: is called after its kind"},
		{"kind: acme\n", "", "kind: names the kind of account"},
		{"kind: acme\n", "kind: acme\nkinds: 3\n", `acme.yaml:3:1: unknown field "kinds"`},
		{"Bearer {key}", "Bearer", "acme.yaml:3:38: auth.value: has no {key} in it"},
		{"*.acme.net", "https://acme.net", "acme.yaml:4:23: hosts[1]: is no host"},
		{"/v1/{upstream}", "/v1/{model}", "acme.yaml:5:16: submit.post: {model} is not known here"},
		{"/v1/{upstream}", "v1/{upstream}", "must begin with a slash"},
		{"encode: json", "encode: xml", `submit.encode: "xml" is not one of [json multipart]`},
		{", id: id", "", "submit.id: is missing"},
		{"id: id}", "id: a..b}", `submit.id: "a..b" is no path`},
		{"max: 10s", "max: 1s", "poll: first, step and max are needed"},
		{"/v1/tasks/{id}", "/v1/tasks/{item.x}", "{item.x} is not known here"},
		{"done: success", "done: succes", `acme.yaml:7:52: state.map.done: "succes" is not one of`},
		{"kind: image", "kind: picture", `outputs[0].kind: "picture" is not one of [image video audio]`},
		{"kind: image", "form: base32", `outputs[0].form: "base32" is not one of`},
		{`path: "result[*].url", `, "", "outputs[0]: needs either a path or body: true"},
		{"outputs:", "cancel: [{path: /x, method: GET}]\noutputs:", `cancel[0].method: "GET" is not one of`},
		{"outputs:", "classify: [{class: rate}]\noutputs:", "classify[0]: holds of everything"},
		{"outputs:", "classify: [{http: [429], class: slow}]\noutputs:", `classify[0].class: "slow" is not one of`},
		{"outputs:", "find: {settled: 1s}\noutputs:", "submit.marked: is missing"},
		{"outputs:", "upload: {post: /files}\noutputs:", "upload.part: is missing"},
		{"poll:", "poll: {}\n#", "poll.get: is missing"},
	} {
		text := strings.Replace(rightOperation, c.old, c.mended, 1)
		_, err := readOperation("acme.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.mended, err, c.want)
		}
	}
}

const rightModel = `model: acme/picture
media_type: image
kind: replicate
upstream: acme/picture
call:
  operation: replicate/prediction
  body:
    - {to: version, value: $upstream}
    - {copy: {input.prompt: prompt}}
operations:
  - mode: text_to_image
    input: {required: [prompt]}
  - mode: image_to_image
    input: {required: [prompt, image_urls]}
    limits: {image_urls: {forms: [url, file]}}
    body: [{to: input.image, value: "$image_urls[0]"}]
`

func TestModelFilesAreHeldAgainstTheirOperation(t *testing.T) {
	t.Parallel()
	if err := Check("picture.yaml", []byte(rightModel), nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, mended, want string }{
		{"replicate/prediction", "replicate/predicton", `picture.yaml:6:14: call.operation: there is no operation "replicate/predicton"; did you mean "replicate/prediction"?`},
		{"kind: replicate", "kind: fal", "call.operation: replicate/prediction is done with accounts of kind replicate"},
		{"operation: replicate/prediction", "operation: fal/queue", "limits.image_urls.forms[1]: fal/queue takes no files"},
		{"operation: replicate/prediction", "operation: openai/images", "call.path_by_mode: has no piece of the address for text_to_image"},
		{"upstream: acme/picture\ncall:\n  operation: replicate/prediction", "call:\n  operation: fal/queue", "upstream: is missing: it is part of the address"},
		{"forms: [url, file]}}\n    body: [{to: input.image, value: \"$image_urls[0]\"", "forms: [url]}}\n    body: [{to: input.image, value: \"$image_urls[0].rot\"", "operations[1].body: rule 1: \"rot\" is not one of"},
	} {
		text := strings.Replace(rightModel, c.old, c.mended, 1)
		if text == rightModel {
			t.Fatalf("%q is not in the file", c.old)
		}
		err := Check("picture.yaml", []byte(text), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.mended, err, c.want)
		}
	}
}
