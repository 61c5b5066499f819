// Package temporal plays the cells of a study on the workers of a Temporal server.
//
// The server holds names alone: the folder of the study, its id, and the number of a cell. The output of a
// cell (journal, frames, result) is in the study's folder, which all machines share, and benchmarks/study
// says which of several results of a cell counts. So a server that forgets, a worker that dies, or two
// workers with one cell cost time, and never a result.
package temporal
