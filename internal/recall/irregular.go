package recall

import (
	"strings"
	"sync"
)

// irregular maps irregular forms of English words to their base form: to all base forms if
// several words share a form, as live and life share lives, commonest first. A form that is
// also a base form of another word stays a word of its own: found, of find, is founded too.
var irregular = sync.OnceValue(func() map[string][]string { return lemmas(verbs + nouns + ownWords) })

// lemmas reads lines of a base form and its other forms.
func lemmas(text string) map[string][]string {
	m := make(map[string][]string, 512)
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 1 {
			for _, w := range words[1:] {
				m[w] = append(m[w], words[0])
			}
		}
	}
	return m
}

const verbs = `
arise arose arisen
awake awoke awoken
bear bore borne
beat beaten
become became
begin began begun
bend bent
bind bound
bite bit bitten
bleed bled
blow blew blown
break broke broken
breed bred
bring brought
build built
burn burnt
buy bought
catch caught
choose chose chosen choice choices
cling clung
come came
creep crept
deal dealt
dig dug
draw drew drawn
dream dreamt
drink drank drunk
dive dove
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
flee fled
fly flew flown flight flights
forbid forbade forbidden
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
get got gotten
give gave given gift gifts
go went gone goes
grind ground
grow grew grown growth
halve halves
hang hung
hear heard
hide hid hidden
hold held
keep kept
kneel knelt
know knew known knowledge
lay laid
lead led
leap leapt
learn learnt
leave left leaves
lend lent
lie lay lain lying
live lives
die dying
tie tying
light lit
lose lost loss losses
make made
mean meant
meet met
mistake mistook mistaken
pay paid
prove proven
ride rode ridden
ring rang rung
rise rose risen
run ran
say said
see saw seen sight sights
seek sought
sell sold sale sales
send sent
sew sewn
shake shook shaken
shine shone
shoot shot
show shown
shrink shrank shrunk
sing sang sung
sink sank sunk
sit sat
sleep slept
slide slid
shelve shelves
speak spoke spoken speech speeches
spend spent
spin spun
spring sprang sprung
stand stood
steal stole stolen
stick stuck
sting stung
strike struck stricken
strive strove striven
swear swore sworn
sweep swept
swim swam swum
swing swung
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
understand understood
wake woke woken
wear wore worn
weave wove woven
weep wept
win won
wind wound
withdraw withdrew withdrawn
write wrote written`

const nouns = `
child children
man men
woman women
person people peoples
foot feet
tooth teeth
goose geese
mouse mice
life lives
wife wives
knife knives
wolf wolves
half halves
calf calves
calve calves
leaf leaves
shelf shelves
thief thieves
loaf loaves
self selves
hero heroes
potato potatoes
tomato tomatoes
analysis analyses
analyse analyses
axis axes
axe axes
basis bases
base bases
diagnosis diagnoses
diagnose diagnoses
crisis crises
thesis theses
criterion criteria
phenomenon phenomena
good better best
bad worse worst
far farther further
index indices
matrix matrices
vertex vertices
`

// ownWords are forms of a verb that are base forms of another, regular word, and nouns so
// far from their verb that both are searched for.
const ownWords = `
bit bit
bore bore
bound bound
choice choice choices
dove dove
fell fell
felt felt
flight flight flights
found found
gift gift gifts
ground ground
growth growth
lay lay
led led
left left
lent lent
loss loss losses
rose rose
sale sale sales
saw saw
shot shot
sight sight sights
speech speech speeches
spoke spoke
stole stole
thought thought
wound wound
`
