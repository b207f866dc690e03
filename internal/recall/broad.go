package recall

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/satchel-memory/satchel/memory"
)

// Broad reports whether a question asks for everything known, such as "what do you know
// about me?", "who am I" or "*". Without the words of such questions, in one language,
// nothing to search for remains. A single word is broad if it says nothing or means
// everything: "memory" may be about a computer. Quoted words are searched for.
func Broad(text string) bool {
	words := bareWords(text)
	switch {
	case len(words) == 0:
		return !strings.ContainsFunc(text, isEmoji)
	case strings.Contains(text, `"`):
		return false
	case len(words) == 1 && !unspaced(words[0]):
		_, everything := alone()[words[0]]
		return everything || isStop(words[0])
	}
	return slices.ContainsFunc(asking(), func(language map[string]struct{}) bool {
		return !slices.ContainsFunc(words, func(word string) bool { return !isAsking(word, language) })
	})
}

// Period returns the span of time [from, to) of a question that asks for everything known
// about that time, such as "today" or "what happened last week?". It knows English
// questions.
func Period(text string, now time.Time) (from, to time.Time, ok bool) {
	if strings.Contains(text, `"`) {
		return from, to, false
	}
	english, when := asking()[0], periodWords()
	for _, word := range bareWords(text) {
		_, asks := english[word]
		_, names := when[word]
		if !asks && !names { // as nearly always
			return from, to, false
		}
	}
	span := dateHinted(new(stemmer).tokens(text), now)
	return span.from, span.to, !span.isZero()
}

// bareWords returns the words of a text, folded and in small letters.
func bareWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(fold(text)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

// periodWords are the words of English questions about a span of time, besides the words of
// every broad question.
var periodWords = sync.OnceValue(func() map[string]struct{} {
	return set(`today tonight yesterday last past previous this day week weekend month year happen happened happens
happening new news changed changes added`)
})

// asksWho reports whether a broad question asks who somebody is.
func asksWho(text string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(fold(text)), func(r rune) bool { return !unicode.IsLetter(r) }), func(word string) bool {
		return slices.Contains([]string{"who", "wer", "qui", "quien", "chi", "quem", "кто"}, word) || strings.ContainsAny(word, "谁誰")
	})
}

// unspaced reports whether a word is written in a script without spaces.
func unspaced(word string) bool { return strings.ContainsFunc(word, isUnspaced) }

// isAsking reports whether a language has the word in broad questions. In a script without
// spaces each character is checked.
func isAsking(word string, language map[string]struct{}) bool {
	if !unspaced(word) {
		_, ok := language[word]
		return ok
	}
	return !strings.ContainsFunc(word, func(r rune) bool {
		_, ok := language[string(r)]
		return !ok
	})
}

// alone are single words that are a broad question.
var alone = sync.OnceValue(func() map[string]struct{} {
	return set(fold(`everything anything user owner remember alles tout todo tutto tudo все 全部`))
})

// asking holds for each language the words of broad questions: pronouns, question words,
// and words for knowing and remembering.
var asking = sync.OnceValue(func() []map[string]struct{} {
	english := set(`know knows knew known remember remembers remembered recall recalled tell say show list give get
memory memories everything anything something nothing fact facts thing things info information stored saved
learned learnt kept keep brief briefing summarize summarise summary overview user users owner person human profile
please let lets far yet already s d m re ve ll t don doesn`)
	for word := range stopWords() {
		english[word] = struct{}{}
	}
	languages := []map[string]struct{}{english}
	for _, words := range []string{
		`was wer wie weißt weisst weiß weiss kennst wissen du sie ihr ich mich mir mein meine meiner uns über von an dich dir
sich alles etwas noch so bin bist ist sind hast habe haben hat gemerkt gespeichert gelernt merken erinnerst erinnern
erinnerung erinnerungen woran sag sage sagen erzähl erzähle zeig zeige nenn nenne bitte denn eigentlich den dem der die das
nutzer benutzer person fakten information informationen zusammenfassung gedächtnis in im und`,
		`que qu quoi qui sais sait savez connais connaissez tu vous te t je j m me moi mon ma mes nous sur de d des du à a au
ai as avez es est suis sommes ce c se s l le la les tout tous toutes toute ton ta tes votre dis dites raconte montre
rappelles rappelle souviens souvenez souvenir souvenirs mémoire mémorisé retenu enregistré appris utilisateur personne
faits informations résumé il en y plaît stp`,
		`qué que quién quien sabes sabe saben conoces recuerdas recuerda recuerdos recordar tú tu te usted yo mí mi mis me
nosotros sobre de del acerca lo la el los las un una todo toda todos eres es soy has he guardado aprendido dime di
cuéntame muestra muéstrame memoria memorias usuario persona hechos información resumen por favor en a y`,
		`che cosa chi sai sa sapete conosci ricordi ricorda ricordo tu ti io me mi mio mia noi su di del dei della il lo la i
gli le tutto tutti quello ciò sei è e sono hai ho salvato memorizzato imparato dimmi raccontami mostrami memoria memorie
utente persona fatti informazioni riassunto per favore a`,
		`o que quem sabe sabes conhece lembra lembras recorda você voce tu te eu mim me meu minha nós sobre de do da a os as
tudo todos isso é e sou és tem tens guardou salvou aprendeu diga diz conta mostra mostre memória memórias usuário
utilizador pessoa fatos informações resumo por favor se`,
		`wat wie weet weten ken kent je jij u jouw ik mij me mijn ons over van aan alles iets nog ben bent is heb hebt heeft
onthouden onthoud herinner herinnert herinneringen opgeslagen geleerd vertel zeg toon laat zien geheugen gebruiker
persoon feiten informatie samenvatting alsjeblieft de het dat`,
		`что кто ты вы знаешь знаете помнишь помните обо о об про меня мне мной я мой моя мои нас нам себе все всё еще ещё
расскажи скажи покажи вспомни запомнил запомнила узнал известно память память пользователь пользователе факты информация
пожалуйста какие какая есть у тебя`,
		`我 你 您 们 們 的 了 吗 嗎 呢 吧 是 谁 誰 什 么 麼 些 都 还 還 所 有 一 切 全 部 关 關 于 於 对 對 知 道 记 記 得 住 忆 憶
告 诉 訴 说 說 请 請 给 給 哪 解 情 事 信 息 用 户 戶 和 在 把 请 列 出`,
		`私 僕 俺 君 何 誰 事 全 部 知 覚 憶 記 教 言 話 見 関 情 報 下 の は が を に へ と で も か や よ ね な い う る れ り ら ん だ
た て つ っ こ そ あ え お ま み す せ し さ き く け べ ち ど ょ め 、`,
	} {
		languages = append(languages, set(fold(words)))
	}
	return languages
})

// The weights of topics for a broad question: the first record of each topic comes before
// the tenth of another.
const (
	overviewStep  = 8  // after this many more records a topic's weight is halved
	overviewOther = .4 // for records without a topic
	overviewWho   = .3 // the share of all topics but identity, if the question asks who somebody is
)

func worthOf(t Topic) float64 {
	switch t {
	case WhoTheOwnerIs:
		return 1
	case StandingRules:
		return .9
	case ThisProject:
		return .85
	case Lately:
		return .7
	}
	return overviewOther
}

// Overview answers a broad question, see [Broad], from the given documents: first the
// records that a brief would have, then all others, by salience and recency. Equal texts
// appear once. Similarity says how early a record belongs; every score is at least
// [memory.Certain], since any record answers such a question. The other arguments, the order,
// the failures, and the calls of allow and opt are those of [Search].
func Overview(ctx context.Context, idx Index, docs []Doc, query memory.Query, opt Options, allow func(memory.Record) bool) ([]memory.Hit, error) {
	s := newSearch(idx, query, opt, allow)
	s.whole = true
	if err := s.fetch(ctx, docs); err != nil {
		return nil, err
	}
	spared := make(map[memory.ID]bool)
	for _, r := range s.readings {
		spared[r.seen.ID] = r.Protected
	}
	slices.SortStableFunc(s.readings, func(a, b *reading) int { return byWeight(*a.seen, *b.seen, opt.Now, spared) })
	prefer := newPreference(query.Prefer)
	told, places := make(map[string]bool), make(map[Topic]int)
	who := asksWho(query.Text)
	var hits []rankedReading
	for _, r := range s.readings {
		text := strings.Join(strings.Fields(r.seen.Body.Text), " ")
		if told[text] {
			continue
		}
		told[text] = true
		topic := topicOf(*r.seen, query.Scope, opt.Now, r.Protected)
		like := likeness{with: worthOf(topic) / (1 + float64(places[topic])/overviewStep)}
		if who && topic != WhoTheOwnerIs {
			like.with *= overviewWho
		}
		places[topic]++
		signals := s.signals(r, like)
		hits = append(hits, rankedReading{r, like, signals, prefer.score(signals, r)})
	}
	slices.SortFunc(hits, better)
	chosen, err := s.choose(ctx, hits)
	var answer []memory.Hit
	for _, h := range chosen {
		why := append([]string{"you ask for whatever is known"}, s.why(h)...)
		answer = append(answer, memory.Hit{Record: *h.Record, Signals: h.signals, Score: memory.Certain + (1-memory.Certain)*min(1, h.score), Why: why})
	}
	return answer, err
}
