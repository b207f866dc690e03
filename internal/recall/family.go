package recall

import "strings"

// Words of one family say nearly the same, so that a question is also answered
// by a record that says it in other words, at a lesser weight: this part of the
// weight of the commoner of the two.
const familyWeight = .4

// families leads from a stem to the stems of its relatives.
var families = relatives(`
child kid son daughter toddler baby
parent mother father mom mum dad mama papa
mother mom mum mama
father dad papa
grandmother grandma granny
grandfather grandpa granddad
sibling brother sister
spouse husband wife partner
girlfriend partner
boyfriend partner
friend buddy pal mate
relative family cousin aunt uncle niece nephew
marry wed marriage husband wife spouse engaged
divorce separate
birth born
birthday born
die death dead funeral loss
pet dog cat puppy kitten
dog puppy
cat kitten
job work career profession occupation employ
colleague coworker teammate
boss manager supervisor
company firm business employer startup
hire recruit employ
fire layoff dismiss quit resign
earn salary wage income pay
money cash fund budget finance
buy purchase shop order bought
sell sale
cost price expensive cheap
gift present
donate donation charity fundraise
belong possess
home house apartment flat
live reside home
move relocate
city town
country nation abroad
travel trip visit journey vacation holiday tour
vacation holiday trip getaway
visit go see trip
flight fly plane airport
car vehicle drive
bicycle bike cycle
train railway
hotel hostel stay
hike trail trek walk
camp campfire tent
beach sea ocean coast shore
mountain peak summit
forest woods
lake river
study learn course class degree
school college university
teach teacher lesson tutor mentor
student pupil
exam test
graduate degree diploma
read book novel
book novel author read
write author poem journal
story tale novel
movie film cinema watch
show series television tv
music song band concert
song sing music
concert gig show festival
dance dancer choreography
instrument guitar piano violin drum
paint painting painter art artist canvas
draw drawing sketch
art artist painting sculpture
photo picture photograph photography image
game play
video clip
sport soccer football basketball tennis baseball
exercise workout gym fitness train
run jog marathon race
swim pool
yoga meditate meditation
compete competition contest tournament
win victory champion prize award trophy
lose defeat
team club
hobby pastime interest
enjoy love like
like love enjoy prefer favorite fond
favorite favourite fav prefer best
prefer favorite rather
hate dislike
want wish hope
plan intend going upcoming
goal aim objective dream
decide decision choose choice
reason because
cause reason because
begin start launch
finish complete end
open launch
create make build
build construct
make create craft
repair fix mend
change switch
improve better progress
grow growth
help support assist aid
support encourage back
volunteer charity community
advice suggest suggestion recommend tip
recommend suggest recommendation
teach learn
meet met introduce
talk speak chat discuss conversation
discuss talk conversation
say tell mention
tell say share
describe say call
ask question
call phone
phone mobile smartphone
email mail message
message text
post share upload
feel feeling emotion
happy glad joy excited thrilled
sad upset unhappy
angry mad furious
afraid scared fear worried
worry anxious anxiety stress nervous
stress pressure anxiety overwhelmed
proud pride accomplishment
surprise shock
difficult hard tough challenge challenging
challenge difficulty struggle obstacle
problem issue trouble
easy simple
important matter significant meaningful
beautiful pretty gorgeous lovely
strange weird odd
old age
birthday age
young youth
ill sick illness disease
doctor physician
hospital clinic
medicine medication drug pill
hurt injure injury pain
therapy therapist counseling counselor
healthy health
diet food eat
food meal dish cuisine
eat meal food
cook recipe bake
bake cake bread
recipe ingredient cook
restaurant cafe diner
drink beverage
allergy allergic
vegetarian vegan
clothes clothing outfit wear
jewelry necklace ring bracelet
color colour
garden plant flower
plant grow
weather rain snow storm
picture painting
party celebrate celebration
event gathering
celebrate celebration party
religion church faith
volunteer help
politics election campaign
war military army veteran
win award
fire burn
accident crash
fear phobia
type kind sort
kind type
name call
nickname name call
many several
often frequently usually
recently lately
lately recently
frequency often
new latest
activity hobby
inspire inspiration motivate motivation
motivate inspire
symbol symbolize represent stand
represent symbolize mean
mean represent
remind memory
memory remember
remember recall
forget forgot
learn teach
discover find
find discover
search look
attend join
join attend member
participate join attend
organize host arrange
host organize
receive get
give gift
lend borrow
hire rent
adopt adoption
bug error defect crash
repository repo
directory folder
function method
test spec
database db
deploy release ship
configure configuration config setting
documentation docs
dependency package library
password credential secret
laptop computer pc
app application
`)

// relatives reads families, one on a line.
func relatives(text string) map[string][]string {
	m := make(map[string][]string)
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		for _, a := range words {
			for _, b := range words {
				if a, b := stem(base(a)), stem(base(b)); a != b {
					m[a] = append(m[a], b)
				}
			}
		}
	}
	return m
}
