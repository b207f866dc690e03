package distill

import "sync"

const beschliessen = `nehmen|verwenden|nutzen|benutzen|bleiben|wechseln|umsteigen|einsetzen|setzen|behalten|streichen|weglassen`

func german() rules {
	return rules{
		opening:     all(`^(?:(?:und|aber|also|ja|nein|ok(?:ay)?|gut|danke|übrigens|hallo|hi|nur zur info|zur info|im übrigen|eigentlich|grundsätzlich|generell|da|weil|(?:bitte )?(?:merk dir|denk daran|vergiss nicht|beachte)(?: bitte)?(?:,? dass)?)[,:!]? +)+`),
		decision:    all(`\blass(?:t)? uns\b.*\b(?:` + beschliessen + `)\b|\bwir haben (?:uns )?.{0,80}\b(?:entschieden|beschlossen|geeinigt|festgelegt)\b|\bich habe mich .{0,80}\bentschieden\b|\bwir (?:nehmen|bleiben bei|bleiben beim|wechseln (?:zu|auf)|setzen (?:künftig )?auf|steigen .{1,40} um)\b|\bich (?:nehme|bleibe bei|wechsle (?:zu|auf)|entscheide mich für)\b|^(?:entscheidung|beschluss|beschlossen|entschieden) ?[:–-] |\bdann (?:nehmen|verwenden|nutzen|bleiben) wir\b`),
		noDecision:  all(`\b(?:nicht|nie|noch nicht|noch nichts) (?:entschieden|beschlossen|geeinigt|festgelegt)\b|\b(?:später|morgen|nächste woche)\b|\blasst? uns (?:das|es|den|die|ihn|sie)(?: \S+)? (?:` + beschliessen + `)|\bteil\b|\bnehme an\b|\bnehmen (?:wir )?an\b`),
		unsure:      all(`\b(?:wenn|falls|vielleicht|eventuell|sollen|sollten|könnten|könnte|würde|würden|ob|bevor|sobald|wahrscheinlich|oder|angenommen)\b`),
		instruction: all(`^(?:bitte )?(?:(?:immer|nie|niemals|grundsätzlich) \S|ab (?:jetzt|sofort|heute)\b|in zukunft\b|künftig\b|antworte(?: mir)?(?: bitte)?(?: immer| nur)? (?:auf|in) (?:deutsch|englisch|französisch|spanisch|italienisch|einfach\w*|kurz\w*)\b|(?:verwende|benutze|nutze|schreibe?|nimm) (?:bitte )?(?:immer|nie|niemals)\b)|^(?:duze|sieze) mich\b|^antworten sie\b.*\b(?:immer|nur|stets)\b|^(?:bitte )?(?:verwenden|schreiben|benutzen|nennen) sie (?:bitte )?(?:immer|nie|niemals|keine?n?)\b|^bitte keine?n? \S+ (?:mehr )?(?:verwenden|benutzen|nutzen)\b`),
		preference:  all(`^ich (?:\S+ )?(?:bevorzuge|hasse|liebe|mag|vermeide)\b|^ich (?:möchte|hätte|würde|will|trinke|esse|fahre|arbeite|nutze) (?:\S+ )?(?:lieber|immer|nie|niemals|am liebsten|kein|keine|keinen)\b|^am liebsten\b|^mein(?:e)? lieblings\w+`),
		fact: all(`^ich bin (?:eine?|der|die|allergisch|veganer\w*|vegetarier\w*|vegan|vegetarisch|verheiratet|aus|schwanger|rentner\w*|linkshänder\w*|diabetiker\w*|selbstständig|[\wäöüß]+(?:er|erin|in|ist|istin|ent|entin|arzt|ärztin|wirt|wart|wartin|mann|frau|chef)\b|\d+)` +
			`|^ich (?:wohne|lebe|arbeite|heiße|heisse|komme aus|spreche|studiere|leite|betreibe|nutze|benutze|verwende|fahre|spiele|programmiere|unterrichte)\b` +
			`|^ich habe (?:eine?n?|zwei|drei|vier|\d+) (?:\S+ )?(?:kind\S*|sohn|söhne|tochter|töchter|hund\S*|katze\S*|garten|haus|firma|diabetes|auto|geschwister)\b` +
			`|^mein(?:e|en|er|em)? (?:\S+ ){1,3}?(?:ist|sind|heißt|heisst|hat|wohnt|arbeitet|läuft)\b|^unser(?:e|en|er|em)? (?:\S+ ){1,3}?(?:ist|sind|läuft|nutzt|hat|haben|liegt|endet|kostet|beträgt)\b|^(?:das|der|die) [\pL-]+ (?:ist|findet|beginnt|endet) (?:am|um|im) |^wir (?:rechnen mit|nutzen|verwenden|benutzen|arbeiten|hosten|betreiben|haben (?:zwei|drei|vier|\d+))\b` +
			`|^(?:das budget|die deadline|der termin|die frist|das projekt|die datenbank|der server|der kunde) (?:ist|sind|läuft|endet|heißt|beträgt|liegt)\b`),
		noFact:     all(`\b(?:vielleicht|eventuell|wenn|falls|könnte|sollte|vermutlich|glaube|fehler|funktioniert nicht|geht nicht|kaputt|gerade|heute|abgestürzt|langsam|problem|frage|versuche|unsicher|nicht sicher|dankbar|froh|begeistert)\b|\b(?:nutze|benutze|verwende|fahre|spiele|mag|liebe) (?:das|es|dies\S*|den|ihn|sie)\b|^mein(?:e|en)? (?:code|frage|problem|fehler|test|idee|plan|meinung)\b|^ich bin (?:mir|der meinung|ein(?:e)? (?:bisschen|wenig)|hier|da\b|jetzt|\S*sicher|immer|wieder|in |im |am |bei |auf |mit )`),
		noRule:     all(`^(?:immer (?:noch|wieder|mehr)|nie (?:gehört|gesehen))`),
		open:       all(`^(?:todo|offen|offener punkt|offene frage|noch offen) ?[:–-] |\bnächste[rn]? schritte? (?:ist|sind|wäre)\b|^nächste[rn]? schritte? ?[:–-]|\b(?:ich muss|wir müssen|muss ich|müssen wir) noch\b|\bnoch (?:nicht|nichts) (?:entschieden|geklärt|festgelegt|fest)\b|\b(?:klären|machen|besprechen|entscheiden|regeln|erledigen) (?:wir|ich) (?:\S+ )?(?:später|morgen|nächste woche)\b|\b(?:später|morgen|nächste woche) (?:\S+ ){0,4}(?:klären|machen|besprechen|entscheiden|regeln|erledigen|schreibe|rufe|buche|frage)\b|\bwarte(?:n)? (?:noch )?auf\b`),
		noOpen:     all(`\b(?:erledigt|fertig|geklärt ist)\b`),
		reason:     all(`^(.+?),? (?:weil|da (?:wir|es|sie|das|die|der)\b|damit|denn|wegen) ?(.+)$`),
		nextReason: all(`^(?:weil|denn|grund:|begründung:|der grund) ?`),
		instead:    all(`\b(?:stattdessen|doch lieber|anders überlegt|statt|nicht mehr)\b`),
		accept:     all(`^(?:ja|okay|ok|gut|passt|einverstanden|klingt gut|machen wir(?: so)?|abgemacht|perfekt|genau|so machen wir(?: es|'s)?)\b`),
		but:        all(`\b(?:aber|allerdings|außer|nur wenn|nicht|moment)\b`),
		proposal:   all(`\bich (?:empfehle|schlage .{1,60} vor|würde .{1,60} (?:nehmen|empfehlen|verwenden))\b|\bmein vorschlag\b|\bmeine empfehlung\b|\blass(?:t)? uns\b.*\b(?:` + beschliessen + `)\b`),
		offer:      all(`\b(?:möchtest du|soll ich|möchten sie|willst du|kann ich|noch fragen|sonst noch|hilft (?:dir )?das)\b`),
		vague:      all(`^(?:das|es|dies(?:e|en|es)?|beide|(?:die|den|das) (?:erste|zweite|dritte|letzte|andere)n?(?: \S+)?|(?:option|variante|vorschlag|nummer) ?(?:[a-d]|\d))(?: nehmen| verwenden| nutzen)?[.!]*$`),
	}
}

// languages returns the supported languages. They are compiled on first use, as most
// commands distil nothing. Sentences of other languages yield no statements.
var languages = sync.OnceValue(func() [2]rules { return [2]rules{english(), german()} })
