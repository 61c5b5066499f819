// Package study runs the cells of a study. It admits as many episodes at once as the machine bears, retries
// infrastructure faults alone, scores each episode by its journal and by what judged it, and commits each
// result once. One process at a time runs a study. A study can be continued after any interruption.
package study
