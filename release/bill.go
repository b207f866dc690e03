package main

import (
	"bytes"
	"debug/buildinfo"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
)

// bills writes a software bill of materials in CycloneDX for each platform, since each is built from
// other modules. It lists what the program itself says it is built from (go version -m), Go's standard
// library, and what licences.txt lists beside the modules: WordNet and the scripts of the pages.
func (r *release) bills() error {
	terms, err := readTerms(r.text("licences.txt"))
	if err != nil {
		return err
	}
	for _, p := range platforms {
		data, err := r.bill(p, terms)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		if err := r.put(r.asset(p, ".cdx.json"), data); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) bill(p platform, terms map[string]term) ([]byte, error) {
	built, err := buildinfo.Read(bytes.NewReader(r.programs[p]))
	if err != nil {
		return nil, err
	}
	var parts []cyclonedx.Component
	var wrong []error
	add := func(path, version, purl string) {
		t, ok := terms[path]
		if !ok {
			wrong = append(wrong, fmt.Errorf("licences.txt says nothing of %s", path))
		}
		parts = append(parts, cyclonedx.Component{BOMRef: purl, Type: cyclonedx.ComponentTypeLibrary, Name: path, Version: version,
			PackageURL: purl, Licenses: &cyclonedx.Licenses{{Expression: t.licence}}})
	}
	add("Go", strings.TrimPrefix(built.GoVersion, "go"), "pkg:golang/std@"+strings.TrimPrefix(built.GoVersion, "go"))
	for _, m := range built.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		add(m.Path, m.Version, "pkg:golang/"+m.Path+"@"+m.Version)
	}
	for path, t := range terms {
		if name, ok := strings.CutPrefix(path, "npm/"); ok {
			add(path, t.version, "pkg:npm/"+strings.Replace(name, "@", "%40", 1)+"@"+t.version)
		} else if path == "WordNet" {
			add(path, t.version, "pkg:generic/wordnet@"+t.version)
		}
	}
	slices.SortFunc(parts, func(a, b cyclonedx.Component) int { return strings.Compare(a.BOMRef, b.BOMRef) })
	return r.writeBill(p, parts, errors.Join(wrong...))
}

// writeBill writes the bill of a program with these parts. It has no serial number: the same release
// has the same bill.
func (r *release) writeBill(p platform, parts []cyclonedx.Component, wrong error) ([]byte, error) {
	if wrong != nil {
		return nil, wrong
	}
	program := "pkg:golang/" + module + "@v" + r.version
	below := make([]string, len(parts))
	for i, part := range parts {
		below[i] = part.BOMRef
	}
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{
		Timestamp: r.at.Format("2006-01-02T15:04:05Z"),
		Component: &cyclonedx.Component{BOMRef: program, Type: cyclonedx.ComponentTypeApplication, Name: programName, Version: r.version, PackageURL: program,
			Hashes:     &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: sumOfBytes(r.programs[p])}},
			Licenses:   &cyclonedx.Licenses{{Expression: r.licence}},
			Properties: &[]cyclonedx.Property{{Name: "cdx:go:build:env:GOOS", Value: p.os}, {Name: "cdx:go:build:env:GOARCH", Value: p.arch}}},
	}
	bom.Components = &parts
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: program, Dependencies: &below}}
	var out bytes.Buffer
	err := cyclonedx.NewBOMEncoder(&out, cyclonedx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cyclonedx.SpecVersion1_6)
	return out.Bytes(), err
}

// term is what licences.txt says of a part.
type term struct{ version, licence string }

// heading matches the line above the terms of a part: its path, version and the file of its terms.
var heading = regexp.MustCompile(`^(\S+) (\S+), `)

// readTerms reads licences.txt and names the licences. A part may stand there twice, with several
// files; those that only name authors or patents add nothing.
func readTerms(text []byte) (map[string]term, error) {
	all := map[string]term{}
	unknown := map[string]bool{}
	for _, section := range strings.Split(string(text), strings.Repeat("=", 80)+"\n")[1:] {
		m := heading.FindStringSubmatch(section)
		if m == nil {
			return nil, errors.New("licences.txt has a section without a heading")
		}
		id, err := spdx([]byte(section))
		if err != nil {
			unknown[m[1]] = true
			continue
		}
		if old, ok := all[m[1]]; ok && !strings.Contains(" AND "+old.licence+" AND ", " AND "+id+" AND ") {
			id = old.licence + " AND " + id
		} else if ok {
			id = old.licence
		}
		all[m[1]] = term{m[2], id}
	}
	for path := range unknown {
		if _, ok := all[path]; !ok {
			return nil, fmt.Errorf("licences.txt: the licence of %s is not known", path)
		}
	}
	return all, nil
}
