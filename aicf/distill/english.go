package distill

import "github.com/satchel-memory/satchel/text/pattern"

// rules are the patterns of a language. Patterns of facts, preferences and
// instructions begin at the start of a clause.
type rules struct {
	opening     *pattern.Pattern // words before a statement that do not belong to it
	decision    *pattern.Pattern
	noDecision  *pattern.Pattern
	unsure      *pattern.Pattern // before a decision: it is not one yet
	instruction *pattern.Pattern
	preference  *pattern.Pattern
	fact        *pattern.Pattern
	noFact      *pattern.Pattern // momentary or doubtful: not worth keeping
	noRule      *pattern.Pattern // looks like an instruction
	open        *pattern.Pattern
	noOpen      *pattern.Pattern
	reason      *pattern.Pattern // separates a decision from its reason
	nextReason  *pattern.Pattern // begins a sentence that is the reason of the one before
	instead     *pattern.Pattern // revokes an earlier decision
	accept      *pattern.Pattern // begins a turn that agrees
	but         *pattern.Pattern // agrees with a condition
	proposal    *pattern.Pattern // by an assistant
	offer       *pattern.Pattern // a question of an assistant that leaves nothing open
	vague       *pattern.Pattern // a choice that only the turn before explains
}

func all(expression string) *pattern.Pattern { return pattern.New(`(?i)` + expression) }

const decide = `use|go (?:with|for|ahead with)|stick (?:with|to)|keep|switch (?:to|from|over)|move (?:to|away|everything)|adopt|drop|pick|choose|take|stay (?:with|on)|ship|avoid|skip|standardi[sz]e on|settle on|migrate|host|deploy|name|call`

func english() rules {
	return rules{
		opening: all(`^(?:(?:and|but|also|so|well|ok(?:ay)?|yes|yeah|no|hi|hello|hey|btw|by the way|fyi|for (?:the record|context|reference|what it's worth)|just so you know|actually|basically|really|honestly|again|oh|ah|thanks|thank you|cool|great|perfect|good|in general|generally|personally|currently|since|as (?:i|we) (?:said|mentioned)(?: before| above| earlier)?|as|because|given that|note(?: that)?|please note(?: that)?|(?:please )?(?:remember|keep in mind|don't forget|bear in mind)(?: that)?)[,:!]? +)+`),
		decision: all(`\blet'?s (?:not )?(?:just )?(?:` + decide + `)\b` +
			`|\b(?:we|i)(?:'ve| have)? (?:now |finally |already |just |also |both )?(?:decided|agreed|settled|chosen|opted|chose|concluded) (?:\w+ ){0,3}?(?:to|on|that|for|against|not|in favou?r of)\b` +
			`|\b(?:we|i)(?:'ve| have)? (?:now |finally )?(?:chosen|chose|picked)\b` +
			`|\b(?:we|i)(?:'ll| will|'m going to| am going to|'re going to| are going to) (?:\w+ly |not |just )?(?:` + decide + `)\b` +
			`|\bwe(?:'ll| will|'re going to| are going to) (?:not |only |just )?(?:send|publish|do|hire|build|buy|start|launch|charge|offer|support|release|store|run)\b` +
			`|^(?:fine|ok(?:ay)?|alright|good|great|then)[,.]? (?:then )?(?:the|our) [^,;]{3,60} will (?:be|have|use)\b` +
			`|\b(?:we|i)(?:'re| are|'m| am) going (?:with|for)\b` +
			`|^(?:final )?decision(?: made)? ?[:–-] ` + `|^(?:agreed|settled|decided) ?[:–-] ` + `|\bthe decision is (?:to|that)\b` + `|^(?:go|going|sticking|stick) with\b`),
		noDecision: all(`(?:not|n't|never|yet to)(?: yet)? (?:decided?|agreed?|settled?|chosen)|keep (?:going|at it|you posted|trying|talking|in touch|(?:this|that|it) in mind)|take (?:a|another|one more) (?:look|break|step|breath)|(?:skip|drop|keep|take|pick|move) (?:it|this|that|them)\b|switch (?:topics?|gears|to another topic)|move to the next|pick (?:this|it|up)|take care|take (?:it|that) from|call (?:it a day|you|me|him|her|them|back)|later|tomorrow|next (?:week|month)|for now\?|use (?:this|your) (?:conversation|chat)`),
		unsure:     all(`\b(?:if|maybe|perhaps|should|could|would|might|what if|suppose|unless|whether|sure|think(?:ing)? (?:about|of)|wonder(?:ing)?|once|when|before|until|either|probably|either|say|said|says|told|want(?:s|ed)?|asked|they|he|she|used to)\b`),
		instruction: all(`^(?:please )?(?:(?:always|never) [a-z]|(?:don't|do not) ever\b|stop \w+ing\b|from now on\b|going forward\b|in (?:the )?future[, ]|(?:answer|reply|respond|write|talk|speak)(?: to me)?(?: only| always)? in (?:english|german|french|spanish|italian|portuguese|dutch|polish|japanese|chinese|plain|simple)\b|you (?:must|should) (?:always|never)\b|remember to [a-z])` +
			`|^(?:keep|make) (?:your|all|the) (?:answers|replies|responses|explanations|examples|summaries)\b`),
		preference: all(`^i (?:\w+ly |always |never |do |don't |do not |just |much |can't |cannot |would |'d )*(?:prefer|hate|dislike|love|like|enjoy|avoid|stand|favou?r|rather)\b|^i'd (?:much |really )?(?:prefer|rather)\b|^i (?:always|never|usually|only|rarely|mostly|exclusively) (?:use|eat|drink|drive|work|write|take|buy|read|listen|sleep|fly|cook|deploy|commit|travel|book|run|code)\b|^i (?:don't|do not) (?:eat|drink|drive|smoke|use|work (?:on|with))\b|^my favou?rite\b`),
		fact: all(`^i(?:'m| am) (?:an? |the |allergic|intolerant|lactose|vegan|vegetarian|based|living|located|married|divorced|left-handed|colou?r-?blind|diabetic|dyslexic|deaf|blind|pregnant|retired|responsible|in charge|fluent|originally|from|afraid of|scared of|\d+\b)` +
			`|^my (?:[\pL\d'-]+ ){1,4}?(?:is|are|has|have|lives?|works?|uses?|starts?|ends?|prefers?|wants?|needs?|handles?|likes?|hates?|loves?|plays?|studies|drives?|doesn't|don't|can't|will)\b` +
			`|^i (?:also |mostly |mainly |currently |usually |still |now |no longer )?(?:work|live|study|teach|speak|run|own|manage|maintain|lead|use|drive|play|code|program|commute|grew up|was born|moved to|joined|graduated|go by|write (?:in|for|about))\b` +
			`|^i have (?:two|three|four|five|six|\d+) \pL+s\b|^i have (?:an? |two |three |four |five |\d+ |type |no )?(?:\w+ )?(?:kids?|child(?:ren)?|sons?|daughters?|dogs?|cats?|pets?|brothers?|sisters?|siblings?|wife|husband|partner|diabetes|asthma|adhd|allerg\w+|degree|phd|years of|garden|company|startup|team of)\b` +
			`|^we (?:also |currently |mostly |already |still |now |only |no longer )?(?:live in|work (?:in|at|with)|own|use|run|deploy|host|ship|support|build|store|target|are on|are an?|have (?:\d+|two|three|four|five|about|no)|don't (?:use|have|support|allow)|must|may not|cannot)\b` +
			`|^our (?:[\pL\d'-]+ ){1,4}?(?:is|are|uses?|runs?|has|have|must|needs?|requires?|lives?|costs?|ends?|starts?|opens?|closes?|sells?|wants?|prefers?|works?|will be)\b` +
			`|^the (?:[\pL\d'-]+ )?(?:budget|deadline|due date|meeting|wedding|party|exam|event|conference|appointment|flight|interview|launch|release|client|customer|project|repo(?:sitory)?|team|company|office|database|server|backend|frontend|code ?base|service|domain) (?:is|are|uses?|runs?|must|has|lives?|will be|ends?|starts?)\b` +
			`|^(?:you can )?call me (?-i:[A-Z])`),
		noFact: all(`\b(?:not sure|i think|i believe|correct|maybe|perhaps|might|wonder(?:ing)?|if|unless|should|guess|suppose|error|errors|fail(?:s|ed|ing|ure)?|broken|crash\w*|stuck|not work(?:ing)?|doesn't work|exception|bug|issue|problem|trying|getting|seeing|confused|sorry|right now|today|tonight|this (?:morning|afternoon|evening)|at the moment|just (?:got|did|tried|ran)|bit|little|lot|slow|down|missing|questions|files|tests|options|ideas|things|functions|tables|columns|lists|minutes|hours|lines|rows|attempts|choices|suggestions|wrong|weird|strange)\b` +
			`|\b(?:would|'d) (?:like|love|enjoy)\b|\b(?:like|love|enjoy|prefer|hate|use|run|play|lead|own|manage|support|build|store|have) (?:it|this|that|these|those|them|your|the (?:idea|sound|way|above|following|first|second|third|last|other|former|latter|same|one)|how|where|what|both|to (?:know|see|understand|ask|get|hear|learn))\b|\blike (?:i|you|we|so)\b` +
			`|^my (?:\w+ )?(?:code|imports?|components?|variables?|loop|class|config|test|tests|build|question|questions|point|bad|guess|understanding|idea|concern|thought|mistake|screen|output|result|results|attempt|function|script|query|request|answer|apologies|turn|intention|hope) |\bthe (?:idea|same|one|only one|first|last|problem) (?:is|was|that)\b|^i(?:'m| am) (?:the one|an? (?:bit|little|idiot|fan of (?:it|that|this)))`),
		noRule:     all(`^(?:please )?(?:never mind|never (?:thought|knew|heard|seen|tried|been|again|would)|always (?:been|thought|wondered|a |the |good|nice|happy|wanted))`),
		open:       all(`^(?:todo|to-do|tbd|fixme|open (?:question|point|issue|item)s?)\b ?[:–-]? |\bnext steps?(?: (?:is|are|would be) | ?[:–-] )|\b(?:we|i)(?:'ll| will)? (?:still|also still) (?:need|have) to\b|\b(?:we|i) (?:need|have) to .{3,80} before\b|\bstill (?:to be|needs? to|has to|undecided|open)\b|\b(?:not|n't)(?: yet)? (?:settled|decided|clear yet)\b|\b(?:let's|(?:we|i)(?:'ll| will|'m going to| can| should)?) (?:ask|call|contact|send|book|talk to|come back to|revisit|return to|do|handle|look (?:at|into)|decide|discuss|talk about|figure out|tackle|deal with|postpone|finish|sort out|write|test|set up|check)\b.*\b(?:later|tomorrow|next (?:week|month|sprint|time)|another (?:day|time)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day)\b|\b(?:have|has)(?:n't| not) (?:yet )?(?:decided|figured out|chosen|settled|heard back)\b|\bwaiting (?:for|on) (?:the|a|an|my|our|legal|approval|feedback|[A-Z])|\bpark (?:this|that|it|the)\b.*\b(?:for|until)\b|\blet's (?:postpone|revisit|come back to)\b`),
		noOpen:     all(`\bwhat(?:'s| is| are)\b.*\bnext steps?\b|\b(?:done|finished|resolved)\b|\b(?:to|at|do|discuss|handle|finish|check|test|write|decide|set up|sort out) (?:it|that|this|them) (?:\w+ )?(?:later|tomorrow|next|another|on \w+day)|\blater (?:versions?|releases?)\b`),
		reason:     all(`^(.+?),? (?:because|since|so that|due to|in order to|as (?:it|we|they|our|the)\b|given(?: that)?) ?(.+)$`),
		nextReason: all(`^(?:because|that way|this way|the (?:main )?reason|reason:|rationale:)[,:]? `),
		instead:    all(`\b(?:instead|change(?:d)? (?:my|our) minds?|on second thought|scrap that|after all|rather than|not .{1,40} any ?more|no longer)\b`),
		accept:     all(`^(?:yes|yep|yeah|ok(?:ay)?|sure|agreed|sounds (?:good|great|perfect|right)|perfect|great|good (?:idea|plan|call)|do (?:it|that)|let's do (?:it|that|this)|go ahead|works for me|deal|fine(?: by me| with me)?|makes sense|love it)\b`),
		but:        all(`\b(?:but|however|except|though|not|unless|only if|wait|what about)\b`),
		proposal:   all(`\bi(?:'d| would)? (?:recommend|suggest|propose|go with)\b|\bmy (?:recommendation|suggestion|proposal) (?:is|would be)\b|\blet'?s (?:` + decide + `)\b|\b(?:shall|should) we (?:` + decide + `)\b|\bhow about (?:using|we use)\b`),
		offer:      all(`\b(?:would you like|do you want|shall i|should i|want me to|let me know|anything else|any (?:other )?questions|can i help|how can i|what would you like|does that (?:help|make sense)|sound good|ready|interested)\b`),
		vague:      all(`^(?:it|that|this|those|these|them|both|your (?:\w+ )?(?:suggestion|recommendation|approach|plan|idea|proposal)|(?:the )?(?:first|second|third|last|latter|former|other|1st|2nd|3rd)(?: (?:one|option|approach|variant|choice|idea|plan))?|(?:the )?(?:option|approach|variant|choice|plan|number|#) ?(?:[a-d]|\d)|[a-d]|\d)(?: then| please| for now| instead)?[.!]*$`),
	}
}
