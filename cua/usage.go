package cua

// Usage is what a decision cost, summed over all requests that it took. A count that the vendor does not
// report is zero. A cost that is not known is nil, never zero.
type Usage struct {
	// InputTokens are all tokens that were sent, including those read from and written to a cache.
	InputTokens int `json:"input_tokens,omitzero"`
	// OutputTokens are all tokens that were returned, including reasoning tokens that are not shown.
	OutputTokens int `json:"output_tokens,omitzero"`
	// CachedTokens are those of InputTokens that were read from a cache.
	CachedTokens int `json:"cached_tokens,omitzero"`
	// CacheWriteTokens are those of InputTokens that were written to a cache. LongCacheTokens are those of
	// CacheWriteTokens that the cache keeps for an hour or more, where the vendor reports them separately.
	CacheWriteTokens int `json:"cache_write_tokens,omitzero"`
	LongCacheTokens  int `json:"long_cache_tokens,omitzero"`
	// ReasoningTokens are those of OutputTokens that were reasoning.
	ReasoningTokens int `json:"reasoning_tokens,omitzero"`
	// Attempts are the requests on the wire, including failed ones; 0 for a brain that sends none.
	Attempts int `json:"attempts,omitzero"`
	// USD is the cost in US dollars; nil is not known.
	USD *float64 `json:"cost_usd,omitzero"`
}

// Plus is the sum of both. The cost is known if it is known for each of the two that used tokens.
func (u Usage) Plus(v Usage) Usage {
	out := Usage{
		InputTokens:      u.InputTokens + v.InputTokens,
		OutputTokens:     u.OutputTokens + v.OutputTokens,
		CachedTokens:     u.CachedTokens + v.CachedTokens,
		CacheWriteTokens: u.CacheWriteTokens + v.CacheWriteTokens,
		LongCacheTokens:  u.LongCacheTokens + v.LongCacheTokens,
		ReasoningTokens:  u.ReasoningTokens + v.ReasoningTokens,
		Attempts:         u.Attempts + v.Attempts,
	}
	switch {
	case u.USD != nil && v.USD != nil:
		out.USD = new(*u.USD + *v.USD)
	case v.Tokens() == 0 && v.USD == nil:
		out.USD = u.USD
	case u.Tokens() == 0 && u.USD == nil:
		out.USD = v.USD
	}
	return out
}

// Tokens is the sum that the token cap counts.
func (u Usage) Tokens() int { return u.InputTokens + u.OutputTokens }

// Timing is how long each stage took, ms. Dispatch (the input alone), Settle and Observe are parts of Act
// that the environment reports; storing the frame and the checkpoint is the rest.
type Timing struct {
	Turn     float64 `json:"turn_ms,omitzero"`
	Decide   float64 `json:"decide_ms,omitzero"`
	Locate   float64 `json:"locate_ms,omitzero"`
	Review   float64 `json:"review_ms,omitzero"`
	Intent   float64 `json:"intent_ms,omitzero"`
	Act      float64 `json:"act_ms,omitzero"`
	Dispatch float64 `json:"dispatch_ms,omitzero"`
	Settle   float64 `json:"settle_ms,omitzero"`
	Observe  float64 `json:"observe_ms,omitzero"`
	Verify   float64 `json:"verify_ms,omitzero"`
	Record   float64 `json:"record_ms,omitzero"`
}

// Total is the time of all stages, ms.
func (t Timing) Total() float64 {
	return t.Turn + t.Decide + t.Locate + t.Review + t.Intent + t.Act + t.Verify + t.Record
}
