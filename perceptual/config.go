package perceptual

import (
	"fmt"

	"github.com/cua-runner/cua-runner/cua"
)

// Config configures decoding and comparison. Start from DefaultConfig; the zero Config rejects every frame.
type Config struct {
	// MaxBytes is the largest encoded frame that is decoded.
	MaxBytes int `json:"max_bytes" range:"1024 1073741824"`
	// MaxPixels is the largest frame that is decoded, width × height.
	MaxPixels int `json:"max_pixels" range:"1024 268435456"`
	// TolPixel is the largest difference of one color channel, 0 to 255, that counts as noise.
	TolPixel int `json:"tol_pixel" range:"0 254"`
	// RegionPx is the edge of the square around the point that the verifier checks, CSS px, clamped to the
	// frame.
	RegionPx int `json:"region_px" range:"1 16384"`
	// RingPx is how far a focus ring or the shadow of a hovered element extends beyond its box, CSS px. Rings
	// are commonly 3 to 4 px wide at an offset of 2 to 4, shadows 6 to 12.
	RingPx int `json:"ring_px" range:"0 64"`
}

// DefaultConfig has these values: a difference of 8 or less is noise, the region is 200×200 px. A
// 4K frame has 8.3 million pixels; the limits allow twice that.
func DefaultConfig() Config {
	return Config{MaxBytes: 32 << 20, MaxPixels: 17 << 20, TolPixel: 8, RegionPx: 200, RingPx: 12}
}

// Validate reports a value that is out of range.
func (c Config) Validate() error {
	if err := cua.CheckRanges(c); err != nil {
		return fmt.Errorf("perceptual: %w", err)
	}
	return nil
}
