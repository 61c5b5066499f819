package runner

// Switched is what an Assembly has on besides its detectors, advisors and gates: verifier, repeat guard,
// lessons, ledger.
func (a Assembly) Switched() []bool {
	return []bool{a.verifier != nil, a.repeats != nil, a.lessons.on, a.ledger}
}
