package recall

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/text/size"
)

// wantFocus notes the terms for what is asked for: the word behind a question word, as in
// "which airline", "what is the title of" and "who is the landlord of"; what somebody has, as in
// "Anna's birthday"; and the word before a question word in languages that ask at the end. A
// question for a unit of time, "on which day", asks for a date instead.
func (q *question) wantFocus(tokens []token, text string, s *stemmer) {
	for i, t := range tokens {
		switch {
		case t.is(beside):
			continue
		case asksWhich(t) || t.in(howMany()) || t.in(moreWhich()):
			q.focusOn(tokens[i+1:], false)
		case q.language != inEnglish && t.in(lateWords()):
			q.focusBefore(tokens[:i])
		case t.word == "who", q.language != inEnglish && (t.in(namingWords()) || t.asksFor(asksPerson, moreWho())):
			q.focusOn(tokens[i+1:], true)
		default:
			continue
		}
		break
	}
	q.focusUnspaced()
	before, owned, found := strings.Cut(fold(text), "'s ")
	for ; found; before, owned, found = strings.Cut(owned, "'s ") {
		last := before[strings.LastIndexByte(before, ' ')+1:]
		if first := s.tokens(size.Cut(owned, maxTerm)); len(first) > 0 && !first[0].is(stop) && !slices.ContainsFunc(s.tokens(size.Cut(last, maxTerm)), func(t token) bool { return t.is(stop) }) {
			q.focus = append(q.focus, []string{first[0].term})
		}
	}
	if i := slices.IndexFunc(tokens, func(t token) bool { return t.asksFor(asksTime, moreWhen()) }); i >= 0 && i < earlyWords && (q.language != inEnglish || i == 0) {
		q.dated = true
	}
}

// earlyWords is how many words of a question are at its beginning: "when" further on is mostly
// no question word.
const earlyWords = 3

// asksFor reports whether a word of a question asks for one kind of answer, or is one of more that
// do.
func (t token) asksFor(kind answerKind, more map[string]struct{}) bool {
	return askingWords()[t.word].is(kind) && !t.is(beside) || t.in(more)
}

// focusOn notes the first word of what follows a question word. With led, another word must lead
// to it: "who is the dentist" asks for a dentist, and "who repairs" for somebody.
func (q *question) focusOn(rest []token, led bool) {
	leading := !led
	for _, t := range rest {
		switch {
		case t.is(beside):
		case t.in(timeUnits()):
			q.dated = true
			return
		case leads(t.word, q.language):
			leading = true
		case t.is(ends | stop), !leading:
			return
		case t.is(number), isCount(t.word):
		case t.isName() && q.language != inEnglish && q.language != inGerman:
		default:
			q.focus = append(q.focus, []string{t.term})
			return
		}
	}
}

// focusBefore notes the last word before a question word, behind another one.
func (q *question) focusBefore(before []token) {
	said := slices.DeleteFunc(slices.Clone(before), func(t token) bool { return t.is(beside | stop) })
	if n := len(said); n > 1 && !said[n-1].isName() {
		if said[n-1].in(timeUnits()) {
			q.dated = true
			return
		}
		q.focus = append(q.focus, []string{said[n-1].term})
	}
}

// focusUnspaced notes the pairs of characters for what somebody or something has, where a
// question asks what that is: 田中さんの電話番号は.
func (q *question) focusUnspaced() {
	const longest = 6
	from := strings.LastIndexAny(q.text, "の的")
	if from < 0 {
		return
	}
	_, n := utf8.DecodeRuneInString(q.text[from:])
	owned := []rune(q.text[from+n:])
	if end := slices.IndexFunc(owned, func(r rune) bool { return strings.ContainsRune("はが叫是有在", r) || !isUnspaced(r) }); end >= 0 {
		owned = owned[:end]
	}
	if len(owned) > longest {
		return
	}
	var pairs []string
	for i := range owned {
		term := string(owned[i:min(i+2, len(owned))])
		if at, ok := q.index[term]; ok && !q.terms[at].stop {
			pairs = append(pairs, term)
		}
	}
	if pairs != nil {
		q.focus = append(q.focus, pairs)
	}
}

// asksCount reports whether a question asks how many, or how old.
func asksCount(tokens []token, language int) bool {
	return slices.ContainsFunc(tokens, func(t token) bool {
		if language == inEnglish && t.is(stop) || t.word == "much" || t.word == "many" { // see measureWords
			return false
		}
		return t.word == "age" || t.in(howMany()) || language != inEnglish && t.in(ageWords())
	})
}

// isCount reports whether a word is a number.
func isCount(word string) bool {
	_, english := numberWords()[word]
	_, other := countWords()[word]
	return english || other
}

// leads reports whether a word may stand between a question word and what is asked for.
func leads(word string, language int) bool {
	words := leadWords()
	if language != inEnglish {
		words = otherLeadWords()
	}
	_, ok := words[word]
	return ok
}

// timeTerms are the terms for days of the week, months and seasons in all languages.
var timeTerms = sync.OnceValue(func() map[string]bool {
	terms := make(map[string]bool)
	for _, word := range strings.Fields(`monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
october november december spring summer autumn winter`) {
		for _, term := range inOtherTongues(stem(word), inEnglish) {
			terms[term] = true
		}
	}
	return terms
})

// countTerms are the terms for numbers in words.
var countTerms = sync.OnceValue(func() map[string]bool {
	terms := make(map[string]bool)
	for word := range countWords() {
		terms[stem(lowered(word))] = true
	}
	return terms
})

// tells reports whether a record has a word for a time, and whether it has a number in words.
// Its index entry says the same as its text.
func (s *search) tells(r *reading) (time, amount bool) {
	note := func(term string) {
		time, amount = time || timeTerms()[term], amount || countTerms()[term]
	}
	if r.Entry != nil {
		for term := range r.Entry.Terms {
			note(string(term))
		}
		return time, amount
	}
	for token := range s.stem.unconfined().recordText(*r.seen).informative {
		note(token.term)
	}
	return time, amount
}

var (
	leadWords = sync.OnceValue(func() map[string]struct{} {
		return set(`is was are were of the a an my our his her their kind kinds sort type`)
	})
	otherLeadWords = sync.OnceValue(func() map[string]struct{} {
		return set(fold(`ist war sind waren heißt heißen der die das den dem des ein eine einen einem einer mein meine meinen meiner meinem unser unsere unserer unserem dein
deine ihr ihre sein seine est était sont le la les l un une de du des mon ma mes notre nos ton ta tes son sa ses leur leurs s appelle appellent es era son el los
las una del mi mis nuestro nuestra su sus se llama llaman è sono i il lo gli uno di della dello dei degli delle mio mia miei mie nostro nostra suo sua si chiama
chiamano é são o a os as um uma do da dos das meu minha meus minhas nosso nossa seu sua chamam zijn het een mijn onze ons haar heet heten är var en ett det min mitt
mina vår vårt våra hans hennes deras heter er et mit mine vores hendes hedder den vårt våre on oli ovat minun meidän hänen sinun nimi a az este sunt al ale meu mea
mei mele său jest są był była to mój moja moje nasz nasza jej jego nazywa się je jsou byl byla můj naše její jeho jmenuje là của các những это был была мой моя моё
мои наш наша его её их зовут це мій моє мої його її звати είναι ήταν ο η οι τα του της των μου μας λέγεται λένε هو هي هم הוא היא הם של है हैं था थी मेरा मेरी मेरे हमारा हमारी
sorte type genre tipo tipi soort slags sort art`))
	})
	// moreWho and moreWhen are not among askingWords, since index entries keep what records ask.
	moreWho = sync.OnceValue(func() map[string]struct{} {
		return set(fold(`quiénes wie vem hvem kuka ki kim cine kto kdo хто ποιος ποια من מי ai`))
	})
	moreWhen = sync.OnceValue(func() map[string]struct{} {
		return set(fold(`wanneer när hvornår når milloin mikor când kiedy kdy коли πότε متى מתי कब`))
	})
	// namingWords are words that ask what something is called, or what it is, where they do not
	// stand before it in other meanings.
	namingWords = sync.OnceValue(func() map[string]struct{} {
		return set(fold(`wie comment cómo come como hoe hvad vad hva wat was cosa que co hur как як jak jmenuje nazywa зовут звать πως πώς τι ما מה`))
	})
	// lateWords are question words behind what they ask for.
	lateWords = sync.OnceValue(func() map[string]struct{} {
		return set(fold(`kim kimdir ne nedir neydi kaç क्या कौन`))
	})
	timeUnits = sync.OnceValue(func() map[string]struct{} {
		return set(fold(`day days date dates month months year years weekday weekdays time times week tag tage tagen datum monat jahr wochentag wochentagen uhrzeit jour jours mois année
heure día días fecha mes año hora giorno giorni mese anno ora dia dias mês ano horas dag dagen maand jaar tijd dagar månad år dage dato måned tid päivä päivänä päivinä
kuukausi vuonna nap napon napokon hónap évben gün günü günler günlerde tarih saat zi zile lună oră dzień dniu dni miesiąc roku den dny měsíc ngày день дни число месяц
году время дні місяць році час μέρα ημέρα ημερομηνία μήνα χρονιά ώρα يوم تاريخ شهر ساعة יום תאריך חודש שעה दिन तारीख महीना समय`))
	})
	// ageWords ask for a number of years.
	ageWords = sync.OnceValue(func() map[string]struct{} {
		return set(fold(`alt âge edad anni idade oud gammal gammel vanha éves évesen yaşında yaş lat let лет років χρονών ετών عمر umur उम्र`))
	})
	// countWords are numbers of other languages than English, in words.
	countWords = sync.OnceValue(func() map[string]struct{} {
		return set(fold(`zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert tausend deux trois quatre cinq
sept huit neuf dix onze douze treize quatorze quinze seize vingt trente quarante cinquante soixante cent mille dos tres cuatro cinco seis siete ocho nueve diez once
doce quince veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien ciento mil due tre quattro cinque sei sette otto nove dieci undici dodici venti trenta
quaranta cinquanta sessanta settanta ottanta novanta cento dois duas três quatro sete oito dez doze vinte trinta quarenta sessenta oitenta cem twee drie vijf zes zeven
negen tien twaalf twintig dertig veertig vijftig zestig zeventig tachtig negentig honderd duizend två tre fyra fem sex sju åtta nio tio tolv tjugo trettio femtio hundra
fire seks syv otte åtte ni ti tyve tjue halvtreds hundrede hundre kaksi kolme neljä viisi kuusi seitsemän kahdeksan yhdeksän kymmenen kaksikymmentä sata két kettő három négy öt hat hét
nyolc kilenc tíz húsz harminc negyven ötven száz iki üç dört beş altı yedi sekiz dokuz on yirmi otuz kırk elli yüz bin doi trei patru șase șapte opt nouă zece douăzeci sută
dwa dwie trzy cztery pięć sześć siedem osiem dziewięć dziesięć dwadzieścia sto tysiąc dva dvě tři čtyři pět šest sedm osm devět deset dvacet sto tisíc hai ba bốn năm sáu bảy tám chín mười
trăm nghìn два две три четыре пять шесть семь восемь девять десять двадцать тридцать сорок сто тысяча дві чотири п'ять шість сім вісім дев'ять десять двадцять δύο τρεις τρία
τέσσερα πέντε έξι επτά οκτώ εννέα δέκα είκοσι εκατό اثنان ثلاثة أربعة خمسة ستة سبعة ثمانية تسعة عشرة مئة שניים שני שתי שלוש שלושה ארבע ארבעה חמש חמישה שש שבע שמונה תשע עשר מאה
दो तीन चार पाँच पांच छह सात आठ नौ दस बीस सौ हज़ार 一 二 三 四 五 六 七 八 九 十 百 千 万 萬 两 兩 半`))
	})
)
