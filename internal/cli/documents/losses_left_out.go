package documents

import "github.com/satchel-memory/satchel/codec"

// mostLeftOut is how many parts that could not be read tellLosses reports one by one.
const mostLeftOut = 20

// fewLeftOut returns losses with only the first mostLeftOut of the parts that could not be
// read, and the number of the others.
func fewLeftOut(list []LossOut) (few []LossOut, beyond int) {
	told := 0
	for _, l := range list {
		if codec.IsLeftOut(l.Loss) {
			if told++; told > mostLeftOut {
				beyond += codec.LeftOutParts([]codec.Loss{l.Loss})
				continue
			}
		}
		few = append(few, l)
	}
	return few, beyond
}
