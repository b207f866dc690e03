package run

import (
	"fmt"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/run/policy"
	"github.com/satchel-memory/satchel/internal/run/tool"
)

// The bounds of pictures in results.
const (
	mostPictures = 4        // of a result
	mostPicture  = 2 << 20  // bytes of one
	mostKept     = 16 << 20 // bytes of all that a thread keeps
	mostShown    = 8        // that a model is shown at once, the newest
	shownBytes   = 8 << 20  // and their bytes
	mostTold     = 8        // of a result, of which the model is told one by one
	tokensOf     = 1600     // about how many tokens one takes
)

// unsearched is why the policy for personal data hides pictures.
const unsearched = "cannot be searched for personal data, and the agent's policy lets none pass"

// pictures returns the pictures of a result that the thread keeps for its model, and what the
// model is told of the others.
func (w *worker) pictures(m *Setup, images []tool.Image) (kept []model.Picture, left string) {
	total := 0
	for _, list := range w.at().pictures {
		for _, p := range list {
			total += len(p.Data)
		}
	}
	hidden, more := policy.NewPersonal(m.Definition, m.Over...).HidesPictures(), 0
	for i, image := range images {
		why, media := "", ""
		switch {
		case hidden:
			why = "it " + unsearched
		case len(kept) == mostPictures:
			why = fmt.Sprintf("a result shows %d at most", mostPictures)
		case len(image.Data) > mostPicture:
			why = fmt.Sprintf("it has more than %d MiB", mostPicture>>20)
		case total+len(image.Data) > mostKept:
			why = fmt.Sprintf("the run keeps %d MiB of pictures at most", mostKept>>20)
		default:
			if media = model.PictureMedia(image.Data); media == "" {
				why = fmt.Sprintf("it is none of PNG, JPEG, GIF and WebP, of %d pixels a side at most", model.MostSide)
			}
		}
		switch {
		case why == "":
			total += len(image.Data)
			kept = append(kept, model.Picture{Media: media, Data: image.Data})
		case i < mostTold:
			left += fmt.Sprintf("\n[picture %d is not shown: %s]", i+1, why)
		default:
			more++
		}
	}
	if more > 0 {
		left += fmt.Sprintf("\n[%d more pictures are not shown]", more)
	}
	return kept, left
}

// shown returns the pictures that a model is shown with a conversation, the newest, and the
// conversation with a word about the others.
func (w *worker) shown(m *Setup, said []aaif.Message) (map[string][]model.Picture, []aaif.Message) {
	t := w.at()
	if len(t.pictures) == 0 {
		return nil, said
	}
	said = slices.Clone(said)
	pictures := map[string][]model.Picture{}
	hidden := policy.NewPersonal(m.Definition, m.Over...).HidesPictures() // another agent may have taken them in
	count, size := 0, 0
	for i := len(said) - 1; i >= 0; i-- {
		list := t.pictures[said[i].CallID]
		if said[i].Role != "tool" || len(list) == 0 {
			continue
		}
		for _, p := range list {
			count, size = count+1, size+len(p.Data)
		}
		switch {
		case hidden:
			said[i].Content += "\n[its pictures are not shown: they " + unsearched + "]"
		case count > mostShown || size > shownBytes:
			said[i].Content += "\n[its pictures are not shown again: newer ones are]"
		default:
			pictures[said[i].CallID] = list
		}
	}
	return pictures, said
}
