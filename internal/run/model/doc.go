// Package model asks models (SC-006, version 3.4, section 4.2): one question, one endpoint,
// one answer. Which endpoint is asked, and what a failure means for a run, is decided by
// package route.
package model
