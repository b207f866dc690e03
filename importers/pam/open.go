package pam

import (
	"cmp"
	"errors"
	"io"
	"io/fs"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/conversation"
)

// open opens a memory store, a conversation, or the folder of an export.
func open(src codec.Source, opt codec.Options) (codec.Reader, error) {
	opt.Strict, opt.Mend = false, true
	if src.Tree != nil {
		return openTree(src, opt)
	}
	if alone(src) {
		return conversations().Open(src, opt)
	}
	return openStore(src, opt)
}

// conversations is the format of the conversations beside the store.
func conversations() codec.Format { return conversation.Format(shape, codec.Format{}) }

// alone reports whether a source is one conversation.
func alone(src codec.Source) bool {
	head, ok := src.ObjectHead()
	return ok && isConversation(head)
}

func openStore(src codec.Source, opt codec.Options) (codec.Reader, error) {
	s, err := newStore(src, opt)
	if err != nil {
		return nil, err
	}
	return codec.WalkReader(s.Salvaged(s.walk), s.Losses), nil
}

// folder reads the store of an export, then its conversations.
type folder struct {
	readers []codec.Reader
	close   []func() error
	losses  []codec.Loss
	at      int
}

var _ codec.Reader = (*folder)(nil)

func openTree(src codec.Source, opt codec.Options) (codec.Reader, error) {
	inner, done, err := inTree(src, opt)
	if err != nil {
		return nil, err
	}
	f := &folder{close: []func() error{done}}
	for _, open := range []func() (codec.Reader, error){
		func() (codec.Reader, error) { return openStore(inner, opt) },
		func() (codec.Reader, error) {
			if beside, ok := besides(src); ok {
				return conversations().Open(beside, opt)
			}
			return &codec.ListReader{}, nil
		},
	} {
		r, err := open()
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		f.readers = append(f.readers, r)
	}
	f.losses = others(src)
	return f, nil
}

// besides returns the folder of conversations of an export, if there are any.
func besides(src codec.Source) (codec.Source, bool) {
	names, err := fs.Glob(src.Tree, "conversations/*.json")
	if err != nil || len(names) == 0 {
		return codec.Source{}, false
	}
	tree, err := fs.Sub(src.Tree, "conversations")
	return codec.Source{Name: "conversations", Tree: tree, Modified: src.Modified}, err == nil
}

// others returns the losses of files that are not read.
func others(src codec.Source) (losses []codec.Loss) {
	entries, err := fs.ReadDir(src.Tree, ".")
	if err != nil {
		return nil // the store is read all the same
	}
	for _, entry := range entries {
		switch name := entry.Name(); name {
		case storeName, "conversations":
		case "embeddings.json":
			losses = append(losses, codec.Loss{Pointer: name, Reason: lossEmbeddings})
		default:
			losses = append(losses, codec.Loss{Pointer: name, Reason: lossFile})
		}
	}
	return losses
}

// Next implements [codec.Reader].
func (f *folder) Next() (memory.Record, error) {
	for ; f.at < len(f.readers); f.at++ {
		r, err := f.readers[f.at].Next()
		if err != io.EOF {
			return r, err
		}
	}
	return memory.Record{}, io.EOF
}

// Losses implements [codec.Reader].
func (f *folder) Losses() (losses []codec.Loss) {
	for _, r := range f.readers {
		losses = append(losses, r.Losses()...)
	}
	return append(losses, f.losses...)
}

// Close implements [codec.Reader].
func (f *folder) Close() error {
	var errs []error
	for _, r := range f.readers {
		errs = append(errs, r.Close())
	}
	for _, done := range f.close {
		errs = append(errs, done())
	}
	return errors.Join(errs...)
}

// validate reports every violation.
func validate(src codec.Source, opt codec.Options, report func(*codec.ParseError)) error {
	opt.Owner = cmp.Or(opt.Owner, "nobody")
	if src.Tree == nil && alone(src) {
		return conversations().Validate(src, opt, report)
	}
	if src.Tree == nil {
		return validateStore(src, opt, report)
	}
	inner, done, err := inTree(src, opt)
	if err != nil {
		return codec.ValidateWalk(nil, err, report)
	}
	err = errors.Join(validateStore(inner, opt, report), done())
	if beside, ok := besides(src); ok && err == nil {
		err = conversations().Validate(beside, opt, report)
	}
	return err
}

// validateStore is validate for a memory store. With Strict it warns of an invalid
// signature.
func validateStore(src codec.Source, opt codec.Options, report func(*codec.ParseError)) error {
	s, err := newStore(src, opt)
	if err == nil && opt.Strict && !s.proven {
		warning := rules.Violation(ruleSignature, "/signature", errors.New(lossSignature))
		warning.Warning = true
		report(warning)
	}
	return codec.ValidateWalk(s.walk, err, report)
}
