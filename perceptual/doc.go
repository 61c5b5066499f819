// Package perceptual says what a frame shows, and what changed from one frame to
// the next. Whether something changed is answered by equality first and by tiles
// second; global hashes only say how alike two frames are (spec: perceptual).
//
// The package is pure: it decodes bytes that it is given and keeps nothing. A
// caller that looks at one frame twice keeps the Frame.
//
// Frames come from hostile pages only as pixels, but their encoding is read with
// caps on bytes and pixels all the same.
package perceptual
