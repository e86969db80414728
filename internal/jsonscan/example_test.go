package jsonscan_test

import (
	"fmt"

	"stele/internal/jsonscan"
)

// A request is looked at once, and passes through with two changes.
func Example() {
	body := []byte(`{"model": "fast", "thinking": true, "messages": [{"role": "user", "content": "hi"}]}`)
	marks := jsonscan.NewNeedles(`"file_0`) // a package has its needles once

	var edits jsonscan.Edits
	report, err := jsonscan.Scan{Allow: jsonscan.LoneSurrogates, Needles: marks}.Walk(body, func(key jsonscan.Key, v jsonscan.Value) {
		switch key.Name {
		case "model":
			edits.ReplaceText(v, "gpt-4.1")
		case "thinking":
			edits.Remove(key, v)
		}
	})
	if err != nil {
		fmt.Println("The request body is not valid JSON:", err)
		return
	}
	for _, message := range report.Root.Get("messages").Elements() {
		for key, v := range message.Members() {
			fmt.Println(key.Name, "is", v.View())
		}
	}
	edits.Append(report.Root, "stream_options", []byte(`{"include_usage":true}`))
	out, _ := edits.Apply(body)
	fmt.Println("files:", report.Found(0))
	fmt.Printf("%s\n", out)
	// Output:
	// role is user
	// content is hi
	// files: false
	// {"model": "gpt-4.1", "messages": [{"role": "user", "content": "hi"}],"stream_options":{"include_usage":true}}
}

func ExampleWriter() {
	var w jsonscan.Writer
	w.Open(jsonscan.Object)
	w.Key("role").Text("user")
	w.Key("content").Open(jsonscan.Array)
	w.Open(jsonscan.Object).Key("text").Text("a \"b\"").Close(jsonscan.Object)
	w.Int(1).Bool(true).Null()
	w.Close(jsonscan.Array)
	w.Close(jsonscan.Object)
	fmt.Printf("%s\n", w.Bytes())
	// Output: {"role":"user","content":[{"text":"a \"b\""},1,true,null]}
}
