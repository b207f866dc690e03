package cli

// ReadEdition returns the edition that the memory speaks.
func (a *App) ReadEdition() (spoken string, err error) {
	err = a.With(Reading, func(o *Opened) error {
		spoken, err = o.Edition(a.Ctx, o.Owner)
		return err
	})
	return spoken, err
}
