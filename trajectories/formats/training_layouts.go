package formats

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// chatMessage is one message of either layout.
type chatMessage struct {
	Role    string `json:"role"`
	Content any    `json:"content"` // a text, or parts
}

type chatPart struct {
	Type  string     `json:"type"`
	Text  string     `json:"text,omitzero"`
	Image *chatImage `json:"image_url,omitzero"`
}

type chatImage struct {
	URL string `json:"url"`
}

// openAISample is a line of fine-tuning data; openAIPair is one of preference data.
type openAISample struct {
	Messages []chatMessage `json:"messages"`
	Meta     sampleMeta    `json:"meta"`
}

type openAIPair struct {
	Input struct {
		Messages []chatMessage `json:"messages"`
	} `json:"input"`
	Preferred    []chatMessage `json:"preferred_output"`
	NonPreferred []chatMessage `json:"non_preferred_output"`
	Meta         sampleMeta    `json:"meta"`
}

// writeOpenAI writes a sample a line, with images as data URLs.
func writeOpenAI(w io.Writer, samples []sample, o ExportOptions) error {
	if o.Training.Layout == LayoutLLaMAFactory {
		return errors.New("trajectories: exporting: the layout llamafactory needs a folder to write to")
	}
	enc := encodeLines(w)
	for i := range samples {
		s := &samples[i]
		messages, err := s.openAI()
		if err != nil {
			return err
		}
		var line any = openAISample{append(messages, said(s.chosen)), s.meta()}
		if s.rejected != nil {
			pair := openAIPair{Preferred: []chatMessage{said(s.chosen)},
				NonPreferred: []chatMessage{said(*s.rejected)}, Meta: s.meta()}
			pair.Input.Messages = messages
			line = pair
		}
		if err := enc.Encode(line); err != nil {
			return fmt.Errorf("trajectories: exporting training data: %w", err)
		}
	}
	return nil
}

func said(a cua.Action) chatMessage {
	a.Into = "" // only our own gates set it
	return chatMessage{"assistant", call(a)}
}

// openAI is what the model is given.
func (s *sample) openAI() ([]chatMessage, error) {
	var parts []chatPart
	for _, sha := range s.images {
		data, err := s.t.Blob(sha)
		if err != nil {
			return nil, err
		}
		parts = append(parts, chatPart{Type: "image_url", Image: &chatImage{"data:" +
			http.DetectContentType(data) + ";base64," + base64.StdEncoding.EncodeToString(data)}})
	}
	parts = append(parts, chatPart{Type: "text", Text: s.prompt})
	return []chatMessage{{"system", trainingSystem + toolNames()}, {"user", parts}}, nil
}

// factorySample is an entry in LLaMA-Factory's "sharegpt" format with the names of OpenAI's roles. Each image
// has one mark in the messages.
type factorySample struct {
	Messages []chatMessage `json:"messages"`
	Images   []string      `json:"images"`
	Chosen   *chatMessage  `json:"chosen,omitzero"`
	Rejected *chatMessage  `json:"rejected,omitzero"`
	Meta     sampleMeta    `json:"meta"`
}

// writeLLaMAFactory writes name.json, the images, and dataset_info.json.
func writeLLaMAFactory(f *outFolder, samples []sample, name string) error {
	out := []factorySample{}
	for i := range samples {
		s := &samples[i]
		entry := factorySample{Images: []string{}, Meta: s.meta()}
		for _, sha := range s.images {
			path, _, err := f.image(s.t, sha)
			if err != nil {
				return err
			}
			entry.Images = append(entry.Images, path)
		}
		entry.Messages = []chatMessage{{"system", trainingSystem + toolNames()},
			{"user", strings.Repeat(imageMark, len(s.images)) + s.prompt}}
		if s.rejected == nil {
			entry.Messages = append(entry.Messages, said(s.chosen))
		} else {
			entry.Chosen, entry.Rejected = new(said(s.chosen)), new(said(*s.rejected))
		}
		out = append(out, entry)
	}
	return errors.Join(f.json(name+".json", out), f.json("dataset_info.json", factoryInfo(name)))
}

// factoryInfo is the entry by which LLaMA-Factory finds the data.
func factoryInfo(name string) map[string]any {
	columns := map[string]string{"messages": "messages", "images": "images"}
	info := map[string]any{"file_name": name + ".json", "formatting": "sharegpt", "columns": columns,
		"tags": map[string]string{"role_tag": "role", "content_tag": "content", "user_tag": "user",
			"assistant_tag": "assistant", "system_tag": "system"}}
	if strings.HasSuffix(name, "dpo") {
		info["ranking"] = true
		columns["chosen"], columns["rejected"] = "chosen", "rejected"
	}
	return map[string]any{name: info}
}

// json writes v as an indented document.
func (f *outFolder) json(name string, v any) error {
	return f.file(name, func(w io.Writer) error {
		enc := encoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	})
}
