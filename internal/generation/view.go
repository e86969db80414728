package generation

import (
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/media"
	"stele/internal/price"
	"stele/internal/wire"
)

// View is a task as clients see it, everywhere they see it.
type View struct {
	ID        string   `json:"id"`
	Status    string   `json:"status"`
	DryRun    bool     `json:"dry_run,omitzero"`
	Model     string   `json:"model,omitzero"`
	App       string   `json:"app,omitzero"`
	MediaType string   `json:"media_type,omitzero"`
	Mode      string   `json:"mode,omitzero"`
	Credits   int64    `json:"cost_credits"`
	USD       string   `json:"cost_usd"`
	Created   string   `json:"created_at"`
	Updated   string   `json:"updated_at"`
	Progress  float64  `json:"progress"`
	Position  int      `json:"queue_position,omitzero"` // 1 for the next, where the provider tells
	Expected  string   `json:"expected_at,omitzero"`    // as the last ones went
	CancelAt  string   `json:"cancel_at,omitzero"`      // where the client set a time
	Limits    []Left   `json:"limits,omitempty"`        // of a dry run
	Steps     []Step   `json:"steps,omitempty"`
	Result    *Result  `json:"result"`
	Error     *Problem `json:"error,omitzero"`
}

// Result is what was made.
type Result struct {
	Images []Image `json:"images"`
	Videos []Video `json:"videos"`
	Audios []Audio `json:"audios"`

	Texts []string       `json:"texts,omitempty"` // of apps
	Data  jsontext.Value `json:"data,omitempty"`  // of apps
}

// Output is a file that was made.
type Output struct {
	URL      string  `json:"-"`
	Kind     string  `json:"-"`
	Type     string  `json:"content_type"`
	Size     int64   `json:"size"`
	Width    int     `json:"width,omitzero"`
	Height   int     `json:"height,omitzero"`
	Duration float64 `json:"duration,omitzero"`
}

// Outputs lists the files that were made, of a view with a result, what was asked for first.
func (v *View) Outputs() []Output {
	var list []Output
	for _, i := range v.Result.Images {
		list = append(list, Output{URL: i.URL, Kind: "image", Type: i.Type, Size: i.Size, Width: i.Width, Height: i.Height})
	}
	for _, i := range v.Result.Videos {
		list = append(list, Output{i.URL, "video", i.Type, i.Size, i.Width, i.Height, i.Duration})
	}
	for _, i := range v.Result.Audios {
		list = append(list, Output{URL: i.URL, Kind: "audio", Type: i.Type, Size: i.Size, Duration: i.Duration})
	}
	asked := func(o Output) int {
		if o.Kind == v.MediaType {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(list, func(a, b Output) int { return asked(a) - asked(b) })
	return list
}

// Step is how far a step of an app's run is.
type Step = media.StepStatus

// Left is what an order would leave of a limit.
type Left struct {
	Name    string `json:"name"`
	Measure string `json:"measure"`
	Amount  string `json:"amount"` // of dollars in USD
	Left    string `json:"left"`
	Resets  string `json:"resets_at,omitzero"`
}

// Image is a picture that was made.
type Image struct {
	URL    string `json:"url"`
	Width  int    `json:"width,omitzero"`
	Height int    `json:"height,omitzero"`
	Type   string `json:"content_type"`
	Size   int64  `json:"size"`
}

// Video is a clip that was made.
type Video struct {
	URL       string  `json:"url"`
	Preview   string  `json:"preview_url,omitzero"`
	Thumbnail string  `json:"thumbnail_url,omitzero"`
	Duration  float64 `json:"duration,omitzero"`
	Width     int     `json:"width,omitzero"`
	Height    int     `json:"height,omitzero"`
	Type      string  `json:"content_type"`
	Size      int64   `json:"size"`
}

// Audio is a sound that was made.
type Audio struct {
	URL      string  `json:"url"`
	Image    string  `json:"image_url,omitzero"`
	Title    string  `json:"title,omitzero"`
	Duration float64 `json:"duration,omitzero"`
	Type     string  `json:"content_type"`
	Size     int64   `json:"size"`
}

// Problem is why there is no result.
type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// View shows a task, with addresses of its outputs that are good from now on.
func (s *Service) View(t *Task) View {
	v := View{
		ID: t.ID, Status: string(t.State), Model: t.Model, App: t.App, MediaType: t.MediaType, Mode: t.Mode,
		Credits: t.Credits, USD: price.Amount(t.Nano).String(), Created: wire.Time(t.Created),
		Updated: wire.Time(t.Updated), Progress: t.Progress, Steps: t.Steps,
	}
	for _, st := range t.preview {
		left := Left{Name: st.Limit.Name, Measure: string(st.Limit.Measure), Amount: st.Limit.Count(st.Limit.Amount), Left: st.Limit.Count(st.Left)}
		if st.Reset > 0 {
			left.Resets = wire.Time(s.Now().Add(st.Reset))
		}
		v.Limits = append(v.Limits, left)
	}
	if !t.State.Final() {
		v.Position = t.Position
		if !t.CancelAt.IsZero() {
			v.CancelAt = wire.Time(t.CancelAt)
		}
		if at := s.expectedEnd(t); !at.IsZero() {
			v.Expected = wire.Time(at)
		}
	}
	switch t.State {
	case media.Success:
		v.Result = s.result(t.Outputs)
	case media.Failed, media.Canceled:
		v.Error = &Problem{t.Code, t.Message}
	}
	return v
}

// Tag is the entity tag of a view of a task of the given version. It changes with the
// addresses of outputs as well: a client that is told that nothing has changed goes on
// with those it has, which must not have expired.
func (v *View) Tag(version int64) string {
	if v.Result == nil {
		return fmt.Sprintf(`"%d"`, version)
	}
	sum := crc32.NewIEEE()
	if err := json.MarshalWrite(sum, v.Result); err != nil {
		panic(err) // it is made of texts and numbers
	}
	return fmt.Sprintf(`"%d-%08x"`, version, sum.Sum32())
}

func (s *Service) result(outputs []Made) *Result {
	r := &Result{Images: []Image{}, Videos: []Video{}, Audios: []Audio{}}
	beside := func(place int, role string) string {
		for _, o := range outputs {
			if o.Role == role && o.Of == place {
				return s.Files.URL(o.File, o.Type)
			}
		}
		return ""
	}
	for place, o := range outputs {
		if o.Role != "" {
			continue
		}
		switch o.Kind {
		case "text":
			r.Texts = append(r.Texts, o.Text)
			continue
		case "data":
			r.Data = o.Data
			continue
		}
		url := s.Files.URL(o.File, o.Type)
		switch o.Kind {
		case "image":
			r.Images = append(r.Images, Image{url, o.Width, o.Height, o.Type, o.Size})
		case "video":
			r.Videos = append(r.Videos, Video{
				url, beside(place, media.Preview), beside(place, media.Thumbnail), o.Duration, o.Width, o.Height, o.Type, o.Size,
			})
		case "audio":
			r.Audios = append(r.Audios, Audio{url, beside(place, media.Cover), o.Title, o.Duration, o.Type, o.Size})
		}
	}
	return r
}

// message is what the client's own server is told.
func (s *Service) message(kind string, t *Task) []byte {
	body, err := json.Marshal(struct {
		Type string `json:"type"`
		At   string `json:"timestamp"`
		Data View   `json:"data"`
	}{kind, wire.Time(s.Now()), s.View(t)})
	if err != nil {
		panic(err) // it is made of texts and numbers
	}
	return body
}
