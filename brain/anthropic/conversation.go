package anthropic

import (
	"encoding/base64"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/cua-runner/cua-runner/brain/model"
)

// Pruning of pictures (reference: the vendor's advice). Removing a picture changes the prompt from there
// on, so pictures are removed in groups: the cached prefix of the prompt stays valid in between.
const (
	keepShots  = 3
	pruneEvery = 25
)

// Limits of one request: the wire accepts 32 MB and, with 200K models, 100 pictures. Well below these
// limits, the conversation restarts from the state of the runner.
const (
	maxShots = 90
	maxBytes = 20 << 20
	// maxTokens is the size at which the vendor's own compaction begins, if it is requested.
	maxTokens = 150_000
)

// omitted replaces a removed picture.
const omitted = "[Image Omitted]"

// conversation is the list of messages in the form in which they are sent.
type conversation struct {
	messages []sdk.MessageParam
	ids      map[string]bool // ids of all calls; none may occur twice
	dropped  int             // number of removed pictures
	last     string          // digest of the last frame that was sent
	tokens   int             // size of the prompt of the newest reply
}

// picture is one image of a conversation with its position.
type picture struct {
	image *sdk.ImageBlockParam
	drop  func()
}

// user appends a message of ours.
func (c *conversation) user(blocks []sdk.ContentBlockParamUnion) {
	c.messages = append(c.messages, sdk.NewUserMessage(blocks...))
}

// assistant appends a message of the model, unchanged except for empty texts, which the wire does not
// accept. A reply without text and calls cannot be sent back and is discarded.
func (c *conversation) assistant(m *sdk.Message) {
	p := m.ToParam()
	said := false
	kept := p.Content[:0]
	for _, b := range p.Content {
		if b.OfText != nil && b.OfText.Text == "" {
			continue
		}
		said = said || b.OfThinking == nil && b.OfRedactedThinking == nil
		if b.OfToolUse != nil {
			if c.ids == nil {
				c.ids = map[string]bool{}
			}
			c.ids[b.OfToolUse.ID] = true
		}
		kept = append(kept, b)
	}
	if p.Content = kept; said {
		c.messages = append(c.messages, p)
	}
}

// pictures lists all images, oldest first.
func (c *conversation) pictures() []picture {
	var out []picture
	for i := range c.messages {
		content := c.messages[i].Content
		for j := range content {
			switch b := &content[j]; {
			case b.OfImage != nil:
				out = append(out, picture{b.OfImage, func() { *b = sdk.NewTextBlock(omitted) }})
			case b.OfToolResult != nil:
				for k := range b.OfToolResult.Content {
					if r := &b.OfToolResult.Content[k]; r.OfImage != nil {
						out = append(out, picture{r.OfImage, func() {
							*r = sdk.ToolResultBlockParamContentUnion{OfText: &sdk.TextBlockParam{
								Text: omitted}}
						}})
					}
				}
			}
		}
	}
	return out
}

// prune removes the oldest pictures, a whole group at a time.
func (c *conversation) prune() {
	all := c.pictures()
	from := model.Images{Keep: keepShots, Every: pruneEvery}.From(c.dropped + len(all))
	for _, p := range all[:from-c.dropped] {
		p.drop()
	}
	c.dropped = from
}

// tooLong reports whether the conversation exceeds the limits of one request.
func (c *conversation) tooLong() bool {
	all, size := c.pictures(), 0
	for _, p := range all {
		if src := p.image.Source.OfBase64; src != nil {
			size += len(src.Data)
		}
	}
	return len(all) > maxShots || size > maxBytes || c.tokens > maxTokens
}

// maxMarks is the number of our cache breakpoints in the conversation. With the one after tools and system
// there are four, the wire's limit.
const maxMarks = 3

// mark sets the cache breakpoints on the last block of each of our newest messages.
func (c *conversation) mark() {
	left := maxMarks
	for i := len(c.messages) - 1; i >= 0; i-- {
		if c.messages[i].Role != sdk.MessageParamRoleUser {
			continue
		}
		at := markable(c.messages[i].Content)
		for j := range c.messages[i].Content {
			var m sdk.CacheControlEphemeralParam
			if j == at && left > 0 {
				m = sdk.NewCacheControlEphemeralParam()
				left--
			}
			setMark(&c.messages[i].Content[j], m)
		}
	}
}

// markable is the index of the block for a message's breakpoint: its last tool_result, or its last block.
func markable(blocks []sdk.ContentBlockParamUnion) int {
	for i := len(blocks) - 1; i >= 0; i-- {
		if blocks[i].OfToolResult != nil {
			return i
		}
	}
	return len(blocks) - 1
}

func setMark(b *sdk.ContentBlockParamUnion, m sdk.CacheControlEphemeralParam) {
	switch {
	case b.OfToolResult != nil:
		b.OfToolResult.CacheControl = m
	case b.OfText != nil:
		b.OfText.CacheControl = m
	case b.OfImage != nil:
		b.OfImage.CacheControl = m
	}
}

// imageOf is a picture in the format of the wire.
func imageOf(mime string, data []byte) *sdk.ImageBlockParam {
	return &sdk.ImageBlockParam{Source: sdk.ImageBlockParamSourceUnion{OfBase64: &sdk.Base64ImageSourceParam{
		Data: base64.StdEncoding.EncodeToString(data), MediaType: sdk.Base64ImageSourceMediaType(mime)}}}
}
