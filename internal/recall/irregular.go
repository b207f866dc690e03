package recall

import "strings"

// irregular leads the forms of English words that no rule leads to their base
// form, to it.
var irregular = lemmas(`
arise arose arisen
awake awoke awoken
bear bore borne
beat beaten
become became
begin began begun
bend bent
bet bets
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
choose chose chosen choice
cling clung
come came
creep crept
deal dealt
dig dug
draw drew drawn
dream dreamt
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
flee fled
fly flew flown flight
forbid forbade forbidden
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
get got gotten
give gave given gift
go went gone goes
grow grew grown growth
hang hung
hear heard
hide hid hidden
hold held
keep kept
kneel knelt
know knew known knowledge
lead led
leap leapt
learn learnt
leave left
lend lent
lie lay lain lying
die dying
tie tying
light lit
lose lost loss
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
see saw seen sight
seek sought
sell sold sale
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
speak spoke spoken speech
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
write wrote written
child children
man men
woman women
person people
foot feet
tooth teeth
goose geese
mouse mice
life lives
wife wives
knife knives
wolf wolves
half halves
leaf leaves
shelf shelves
thief thieves
loaf loaves
self selves
hero heroes
potato potatoes
tomato tomatoes
analysis analyses
crisis crises
thesis theses
criterion criteria
phenomenon phenomena
good better best
bad worse worst
far farther further
`)

// lemmas reads lines of a base form and its other forms.
func lemmas(text string) map[string]string {
	m := make(map[string]string)
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 1 {
			for _, w := range words[1:] {
				m[w] = words[0]
			}
		}
	}
	return m
}
