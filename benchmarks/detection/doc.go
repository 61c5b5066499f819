// Package detection scores the detectors on recorded trajectories, also those of other agents: it compares
// their alarms with labels of loops and of success.
package detection
