// Package perceptual compares screenshots: what changed from one frame to the next, and how similar two
// frames look. Use it to find out whether a click had a visible effect, or to group frames that look alike.
//
// Compare answers the first question by tiles; equal bytes (SHA) need no comparison. Fingerprint and SameView
// answer the second. A similar fingerprint never shows that nothing changed.
//
// The package is pure: it decodes the bytes that it is given and keeps nothing. A caller that needs a frame
// twice should keep the Frame.
//
// Frames are untrusted input, so decoding limits bytes and pixels.
package perceptual
