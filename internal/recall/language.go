package recall

import (
	"iter"
	"math"
	"math/bits"
	"strings"
	"sync"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"

	"github.com/satchel-memory/satchel/text/size"
)

// language is a language whose words the stemmer knows, besides English.
type language struct {
	stem      func(*snowballstem.Env) bool // nil: none exists
	compounds bool                         // it joins words into longer ones
	letters   string                       // that few other languages have
	words     string                       // frequent words that say nothing by themselves
}

const (
	inEnglish = iota // the language of a text that shows no other
	inGerman         // nouns have capitals
)

// languages are the languages of the Latin script, and a text is in the one whose words it
// has most. Words of other scripts show their language themselves.
var languages = [...]language{
	inEnglish: {},
	inGerman: {german.Stem, true, "äöüß", `der die das den dem des ein eine einen einem einer eines und oder aber nicht kein keine ich du er sie es wir ihr
mich mir dich dir uns euch sich mein meine meinen meinem meiner dein deine sein seine unser unsere ist sind war waren bin bist hat habe haben hatte wird werden wurde
kann muss soll zu zum zur von vom mit für auf aus bei beim nach über unter vor seit durch gegen ohne um am im ins als wie was wer wo wann warum welche welcher
welches wieviel viele heißt gibt auch noch nur schon sehr hier dort dass wenn weil denn`},
	{french.Stem, false, "éèêàçœ", `le la les un une des du de et ou mais ne pas je tu il elle nous vous ils elles on me te se mon ma mes ton ta tes son sa ses notre nos votre
vos leur leurs est sont suis es sommes était a ai as avons ont avait au aux à en dans sur sous avec sans pour par chez que qui quoi quel quelle quels quelles où quand
comment pourquoi combien ce cet cette ces y plus très aussi est-ce`},
	{spanish.Stem, false, "ñ¿¡", `el la los las un una unos unas de del y o pero no yo tú él ella nosotros ellos me te se nos mi mis tu tus su sus es son soy está están era fue ha
he han hay a al en con sin por para sobre entre que qué quién cuál cuáles dónde cuándo cómo cuánto cuánta cuántos cuántas este esta esto ese esa como más muy también lo le les`},
	{italian.Stem, false, "àèìòù", `il lo la i gli le un uno una di del dello della dei degli delle e o ma non io tu lui lei noi voi loro mi ti si ci vi mio mia miei mie tuo tua suo
sua nostro è sono sei ha ho hai hanno era a al allo alla ai alle da dal dalla in nel nella con su sul sulla per tra fra che chi cosa quale quali dove quando come quanto
quanta quanti perché questo questa anche più molto`},
	{portuguese.Stem, false, "ãõç", `o a os as um uma uns umas de do da dos das e ou mas não eu tu ele ela nós eles elas me te se meu minha meus minhas teu tua seu sua é são sou está
estão era foi tem tenho ao à em no na nos nas com sem por pelo pela para sobre que quem qual quais onde quando como quanto quantos este esta isto esse essa isso mais
muito também`},
	{dutch.Stem, true, "ĳ", `de het een en of maar niet geen ik jij je hij zij ze wij we jullie mij me jou hem haar ons mijn jouw zijn onze hun is ben bent was waren heeft heb hebben had
wordt worden kan moet te van met voor op uit bij naar over onder door tegen zonder om aan in als dan dat die dit deze wat wie waar wanneer hoe hoeveel waarom welke welk er
ook nog al heel hier daar`},
	{swedish.Stem, true, "åäö", `en ett den det de och eller men inte jag du han hon vi ni mig dig sig oss min mitt mina din ditt dina sin sitt sina är var har hade blir kan ska till från
med för på av om i att som vad vem var när hur varför vilken vilket vilka mycket också här där`},
	{danish.Stem, true, "æøå", `en et den det de og eller men ikke jeg du han hun vi mig dig sig os min mit mine din dit dine sin sit sine er var har havde bliver kan skal til fra med for på
af om i at som hvad hvem hvor hvornår hvordan hvorfor hvilken hvilket meget også her der`},
	{norwegian.Stem, true, "æøå", `en ei et den det de og eller men ikke jeg du han hun vi dere meg deg seg oss min mitt mine din ditt dine sin sitt sine er var har hadde blir kan skal til fra
med for på av om i å at som hva hvem hvor når hvordan hvorfor hvilken hvilket mye også her der`},
	{finnish.Stem, true, "äö", `ja tai mutta ei en et minä sinä hän me te he minun sinun hänen meidän minulla sinulla hänellä on ovat olen olet oli olivat ole mikä mitä missä mistä mihin kuka
kenen kenellä milloin koska miten miksi kuinka paljonko montako että kun jos kuin tämä se ne tuo myös vielä jo hyvin`},
	{hungarian.Stem, true, "őűöüáéíóú", `a az egy és vagy de nem én te ő mi ti ők engem téged neki nekem neked van vannak volt vagyok vagy lesz hogy ha mint mi mit ki kit kinek hol hová honnan
mikor hogyan miért mennyi hány melyik milyen ez ezt is még már csak nagyon itt ott`},
	{turkish.Stem, false, "ğışç", `ve veya ama değil ben sen o biz siz onlar beni bana bende benim senin onun bizim bir bu şu var yok mi mı mu mü ne kim kimin kime nerede nereye nereden
hangi zaman nasıl neden niçin kaç kadar ile için gibi daha çok en de da ki`},
	{romanian.Stem, false, "ășțâî", `un o și sau dar nu eu tu el ea noi voi ei ele mă te se îmi îți meu mea mei mele tău ta său sa este sunt ești era are am ai au la în din pe cu fără pentru de
că ce cine care unde când cum cât câte acest această mai foarte`},
	{nil, false, "łąęśżźćń", `i a ale lub nie ja ty on ona my wy oni mnie mi cię ci się mój moja moje mojego mojej twój jest są jestem był była było ma mam mają na w we z ze do od dla po
przez pod nad przy o u że co kto kogo komu gdzie kiedy jak ile dlaczego który która które jaki jaka jakie to ten ta tego bardzo też już jeszcze`},
	{nil, false, "ěščřžýůťď", `a ale nebo ne já ty on ona my vy oni mě mi se si můj moje tvůj je jsou jsem byl byla bylo má mám na v ve z ze do od pro po přes pod nad při o u že co kdo koho
komu kde kdy jak kolik proč který která které jaký to ten ta velmi také už ještě`},
	{nil, false, "ơưđạảấầếềệ", `và hoặc nhưng không tôi bạn anh chị em nó chúng là có đã đang sẽ của với cho ở tại trong trên từ đến gì ai nào đâu khi bao nhiêu sao này kia rất cũng một các
những`},
}

// languageWords maps words to the languages that have them, as bits.
var languageWords = sync.OnceValue(func() map[string]uint32 {
	words := make(map[string]uint32)
	for i, l := range languages {
		for _, word := range strings.Fields(l.words) {
			words[word] |= 1 << i
		}
	}
	for word := range stopWords() {
		words[word] |= 1 << inEnglish
	}
	return words
})

// scriptStops are words that say nothing by themselves, of languages in other scripts. Such a
// word shows its language itself.
var scriptStops = sync.OnceValue(func() map[string]struct{} {
	return set(fold(`
и в во не на я ты он она оно мы вы они что кто где куда откуда когда как какой какая какое какие который которая которые сколько почему зачем чей чья чьё чьи мой моя
моё мои моего моей моих твой твоя наш наша ваш ваша свой его её их мне меня мной тебе тебя нам нас вам вас ему ей им с со у к ко от до по за из о об для при без под
над это этот эта эти тот та те был была было были есть будет быть ли же а но или то так тоже ещё уже очень бы
і й він вона воно ми ви вони що хто де куди коли як який яка яке які скільки чому чий моє мої мій твій наш його її їх мені тобі з із зі від про під це цей ця ці був
була було були є буде чи але або також ще вже дуже
ο η το οι τα του της των τον την τους τις ένας μια μία ένα και ή να με σε για από στο στη στην στον στα στις στους που πού πότε τι ποιος ποια ποιο ποιοι πώς πως πόσο
πόσα πόσοι πόσες γιατί μου σου μας σας εγώ εσύ αυτός αυτή αυτό δεν μη μην είναι είμαι ήταν έχω έχει είχε θα ότι όταν αν αλλά πολύ
في من على إلى عن مع هو هي هم أنا أنت نحن ما ماذا متى أين كيف لماذا كم أي هل هذا هذه ذلك تلك التي الذي لا لم لن ليس كان كانت يكون قد و أو ثم أن إن عند له لها لي لك
של את על אל עם מן הוא היא הם הן אני אתה אנחנו מה מי מתי איפה היכן איך למה כמה איזה איזו האם זה זו זאת אלה לא אין יש היה הייתה היו כי אם או גם רק לי לך לו לה לנו שלי
שלך שלו שלה שלנו
है हैं था थी थे हूँ हो का की के को में से पर ने और या नहीं मैं मेरा मेरी मेरे हम हमारा हमारी हमारे आप आपका आपकी तुम वह वे यह ये इस उस क्या कब कहाँ कहां कौन कैसे क्यों कितना
कितने कितनी किस किसका किसकी किसके किसने कि जो तो भी ही एक लिए साथ सा सी`))
})

// selves are words of somebody who speaks of themselves, by language: I, my, we. They leave out
// what mostly means something else, and words of a language that joins them to verbs.
var selves = sync.OnceValue(func() map[string]uint32 {
	words := make(map[string]uint32)
	for i, l := range []string{
		`i im ive me my we our`,
		`ich mich mir mein meine meinen meinem meiner wir unser unsere`,
		`je jai moi mon ma mes nous notre nos`,
		`yo mi mis me nosotros nosotras nuestro nuestra nos`,
		`io mio mia miei mie mi noi nostro nostra`,
		`eu meu minha meus minhas me nós nosso nossa`,
		`ik mij mijn me wij we ons onze`,
		`jag mig min mitt mina vi vår`,
		`jeg mig min mit mine vi vores`,
		`jeg meg min mitt mine vi vår`,
		`minä minun minua minulla minulle me meidän`,
		`én engem nekem mi minket`,
		`ben beni bana bende benim biz bizim`,
		`eu mă îmi meu mea mei mele noi nostru noastră`,
		`ja mnie mi mój moja moje mojego mojej my nas nasz`,
		`já mě mi můj moje my nás náš`,
		`tôi mình`,
	} {
		for _, word := range strings.Fields(l) {
			words[word] |= 1 << i
		}
	}
	for _, word := range strings.Fields(`я меня мне мной мой моя моё моего моей мои мы нас нам наш наша мене мені мій моє моєї ми εγώ εγω μου μας أنا أني نحن
אני שלי אנחנו שלנו मैं मेरा मेरी मेरे हम हमारा हमारी 我 私 僕 俺 나 저`) {
		words[word] = math.MaxUint32 // it shows its language itself
	}
	return words
})

// isSelf reports whether a lower-case word is of somebody who speaks of themselves.
func isSelf(word string, language int) bool { return selves()[word]>>language&1 == 1 }

// languageOf returns the language of a text in Latin script. Each frequent word and each
// letter votes for the languages that have it. Without a majority for a language, one of
// whose words the text has, the text is English.
func languageOf(text string) int {
	text = strings.ToLower(size.Cut(text, languageBytes))
	var votes [len(languages)]int
	words, said := languageWords(), uint32(0)
	for word := range wordsOf(text) {
		known := words[word]
		said |= known
		for ; known != 0; known &= known - 1 {
			votes[bits.TrailingZeros32(known)]++
		}
	}
	if said>>1 == 0 {
		return inEnglish
	}
	for _, r := range text {
		if r < 0x80 {
			continue
		}
		for i, l := range languages {
			if strings.ContainsRune(l.letters, r) {
				votes[i]++
			}
		}
	}
	best := inEnglish
	for i, n := range votes {
		if said>>i&1 == 1 && n > max(1, votes[best]) {
			best = i
		}
	}
	return best
}

// wordsOf yields the words of a text as they are spelled.
func wordsOf(text string) iter.Seq[string] {
	return strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
}

// languageBytes is how much of a text shows its language.
const languageBytes = 512

// readings returns other terms of a word in lower case that is no English one: its stem, or
// itself without the articles and prepositions that some scripts join to it.
func readings(word string, language int) []string {
	for _, r := range word {
		switch {
		case r < 0x80:
			continue
		case unicode.Is(unicode.Cyrillic, r):
			return stemmedBy(russian.Stem, word)
		case unicode.Is(unicode.Arabic, r):
			return stemmedBy(arabic.Stem, word)
		case unicode.Is(unicode.Hebrew, r):
			return withoutProclitics(word)
		}
		break
	}
	if stem := languages[language].stem; stem != nil {
		return stemmedBy(stem, word)
	}
	return nil
}

func stemmedBy(stem func(*snowballstem.Env) bool, word string) []string {
	env := snowballstem.NewEnv(word)
	stem(env)
	if s := unaccented(env.Current()); len(s) > 1 && s != word {
		return []string{s}
	}
	return nil
}

// withoutProclitics returns a Hebrew word without its first letter, and without its first
// two, where these may be words of their own: and, the, in, to, from, that, as.
func withoutProclitics(word string) []string {
	letters := []rune(word)
	var rest []string
	for i := range 2 {
		if len(letters)-i < 4 || !strings.ContainsRune("הובלמשכ", letters[i]) {
			break
		}
		rest = append(rest, string(letters[i+1:]))
	}
	return rest
}
