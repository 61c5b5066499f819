// Package miniwob plays MiniWoB++, a benchmark of small pages that a user brings along as a folder: nothing
// of it is part of this program.
//
// The folder is served read-only on loopback. An episode is begun as the pages want it (seed, limit, start,
// ready, goal) and asked after each action whether it has ended and what it earned. Tasks, their order, their
// seeds and the two profiles are those of BrowserGym and of the Farama Foundation, so that scores can be
// compared with published ones.
package miniwob
