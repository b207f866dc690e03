package aicf

import (
	"strconv"
	"strings"
)

func (k *checking) embedding(e *Embedding) {
	k.identified(e.Entity, "AICF-EMB-1")
	k.required(e.Model != "", e.Extra, "model", "AICF-EMB-2")
	k.required(e.Dimension > 0, e.Extra, "dimension", "AICF-EMB-3")
	k.required(e.Vector != "", e.Extra, "vector", "AICF-EMB-4")
	k.vector(e)
	k.threshold(e.SimilarityThreshold)
}

// vector looks at the numbers, unless they were elided.
func (k *checking) vector(e *Embedding) {
	switch {
	case e.Vector == "":
		return
	case e.Elided:
		k.find("vector", Warning, codeElided, "AICF-EMB-6", "elided vector: it ends in ..., and nothing can be found by it")
		return
	}
	n := int64(0)
	for text := range strings.SplitSeq(e.Vector, ",") {
		if n++; !decimal(strings.TrimSpace(text)) {
			k.find("vector", Broken, codeValue, "AICF-EMB-4", "vector: expected decimal numbers between commas; number %d is none", n)
			return
		}
	}
	if e.Dimension > 0 && n != e.Dimension {
		k.find("vector", Broken, codeDimension, "AICF-EMB-5", "vector: expected %d numbers as dimension says, found %d", e.Dimension, n)
	}
}

func (k *checking) threshold(text string) {
	if text == "" {
		return
	}
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || !decimal(text):
		k.find("similarity_threshold", Broken, codeValue, "AICF-EMB-8", "similarity_threshold: expected a decimal number")
	case n < 0 || n > 1:
		k.find("similarity_threshold", Warning, codeRange, "AICF-EMB-8", "similarity_threshold: expected a number from 0 to 1")
	}
}
