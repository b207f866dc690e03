package meaning

import (
	"fmt"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
)

// [vault.MeaningPlaceSpace] says up to which change all records were considered. Its keys
// are the number of the settings and the sequence number of the change; the last key of the
// settings in force counts. A new place is added and the former ones stay for a while,
// because removing an attachment makes the store clear its files.

// mostPlaces is how many places stay.
const mostPlaces = 64

// placeIn returns the sequence number of the last considered change, and whether there is
// one.
func placeIn(r store.Reader, c current) (sequence int64, known bool, err error) {
	all, err := r.Attachments(store.AttachmentFilter{Space: vault.MeaningPlaceSpace}, 0, 2*mostPlaces)
	for _, a := range all {
		var number, at int64
		if n, _ := fmt.Sscanf(a.Key, "%d %d", &number, &at); n == 2 && number == c.number && (!known || at > sequence) {
			sequence, known = at, true
		}
	}
	return sequence, known, err
}

// setPlace adds a place.
func setPlace(w store.Writer, c current, sequence int64) error {
	all, err := w.Attachments(store.AttachmentFilter{Space: vault.MeaningPlaceSpace}, 0, 2*mostPlaces)
	if err != nil {
		return err
	}
	key := fmt.Sprintf("%d %d", c.number, sequence)
	for _, a := range all {
		if a.Key == key {
			return nil
		}
		if len(all) >= mostPlaces {
			if err := w.Detach(vault.MeaningPlaceSpace, a.Key); err != nil {
				return err
			}
		}
	}
	_, err = store.Attach(w, store.Attachment{Space: vault.MeaningPlaceSpace, Key: key})
	return err
}
