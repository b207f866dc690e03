package conform

import (
	"time"
)

// patience is how long --patient waits: longer than a stream may be silent.
const patience = 20 * time.Second
