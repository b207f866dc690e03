package recall

import (
	"math/bits"
	"strings"
	"sync"

	"github.com/satchel-memory/satchel/text/size"
)

// A question has more words that say nothing by themselves than a record: those that make it a
// question. They are left out of questions alone. A record keeps them, since its index entry
// does not depend on what anybody asks.

// askedStops are such words by language, in the order of [languages], beside those that are
// stop words everywhere.
var askedStops = [len(languages)]string{
	`whats whos wheres whens hows whys thats theres hasnt havent hadnt couldnt shouldnt wouldnt arent werent theyre theyve weve youll whichever please`,
	`wem wen wessen wohin woher wieso weshalb welchem welchen womit wofür wovon wodurch worüber worauf worin woran wobei wieviele etwas alle alles allen allem
jede jeder jedes jedem jeden diese dieser dieses diesem diesen darf darfst dürfen dürfte mag möchte möchten will wollen wollte sollen sollte könnte können
konnte kannst müssen musste würde hätte wäre wirst worden gewesen gehabt ihn ihm ihnen ihre ihren ihrem ihrer euer eure deinem deinen deiner unserem
unseren unserer seinen seinem seiner man ja doch mal etwa eigentlich gerade überhaupt genau so dann also jetzt momentan zurzeit eben bitte sag sage nochmal
wieder ob obwohl damit dazu davon dafür zwischen während wegen bis statt heißen heissen heisst nennt gab geben ging geht`,
	`lequel laquelle lesquels lesquelles auquel duquel dont puis peux peut pouvons peuvent pourrait dois doit devons doivent faut fallait fait fais faire font
étais étaient avais avez êtes fut sera serait soit ceci cela ça celui celle ceux celles lui eux déjà encore toujours bien alors donc car si ni or comme
vers depuis pendant avant après entre contre lors tout tous toute toutes autre autres rien quelque quelques actuellement maintenant appelle appellent
appelé appelée dis dit moi toi soi d'où est-il est-elle afin selon peu trop`,
	`cual cuales quien quienes cuanto cuanta cuantos cuantas adonde adónde porque porqué tengo tienes tiene tenemos tienen tenía puedo puede pueden podemos debo
debe deben deberíamos hacer hago hace hacen hizo hice estoy estamos estar ser fui fueron eres somos había sido haber hubo mía mío nuestra nuestro nuestras
nuestros suyo suya aquel aquella aquello estos estas esos esas eso ahí allí aquí ya aún todavía siempre tampoco sí si ni pues entonces donde cuando según
desde hasta hacia contra durante mediante cada todo toda todos todas otro otra otros algo alguien algún alguna nada nadie ahora actualmente llama llaman
llamo dime sino mismo misma tan tanto`,
	`qual qualche cos'è com'è dov'è cui abbiamo avete avevo aveva devo deve dobbiamo devono dovrei posso può possiamo possono potrei faccio fa fanno fare fatto
sto sta stiamo stanno stare essere stato stata stati ero eravamo siamo siete sia sarà essi suoi sue nostra nostri nostre vostro vostra questi queste quello
quella quelli quelle ciò qui qua lì là già ancora sempre mai pure se né oppure dunque quindi allora mentre durante prima dopo verso senza ogni tutto tutta
tutti tutte altro altra altri qualcosa qualcuno niente nessuno adesso ora attualmente chiama chiamano dimmi stesso stessa così perciò ne li`,
	`quê quanta quantas aonde tens temos têm tinha tive posso pode podem podemos devo deve devem faço faz fazem fazer fiz fez estou estamos estava ser sido fui
foram somos havia há lhe lhes nosso nossa nossos nossas seus suas dele dela deles delas você vocês aquele aquela aquilo estes estas esses essas aqui ali lá
já ainda sempre nunca nem então pois porque porquê desde até contra durante cada todo toda todos todas outro outra algo alguém algum alguma nada ninguém
agora atualmente chama chamam chamo diz mesmo mesma tão`,
	`wiens waarmee waarvan waarheen waarop waarin kunnen kon moeten moest mogen mag mocht wil willen zal zullen zou doe doet doen gaat gaan ga kom word geworden
geweest gehad hen uw u zich men iets iemand niets niemand alles alle elk elke ieder dus want omdat terwijl totdat tijdens tussen tot sinds per nu momenteel
eigenlijk precies weer altijd zo toch eens heet heten genaamd hebt`,
	`vems vart varifrån hurdan kunde måste borde skulle vill vilja får fick gör göra gjorde går blev blivit varit haft honom henne dem deras hans hennes vår
vårt våra er ert era denna detta dessa sådan någon något några ingen inget alla allt varje så då nu just igen redan ännu alltid mellan under utan mot hos
genom eftersom medan heter hette kallas många`,
	`hvis hvorfra hvorhen hvilke kunne måtte skulle vil ville må får fik gør gøre gjorde går blev blevet været haft ham hende dem deres hans hendes vores jer
jeres denne dette disse sådan nogen noget nogle ingen intet alle alt hver så da nu lige igen allerede endnu altid mellem under uden mod hos gennem fordi
mens hedder hed kaldes mange kender`,
	`hvilke hvorfra hvorhen kunne måtte skulle vil ville må får fikk gjør gjøre gjorde går ble blitt vært hatt ham henne dem deres hans hennes vår vårt våre
denne dette disse slik noen noe ingen alle alt hver så da nå akkurat igjen allerede ennå alltid mellom under uten mot hos gjennom fordi mens heter het
kalles mange`,
	`kenet ketkä ketä keneltä kenelle keitä mitkä minkä minne mille miltä millainen millä millaisia minkälainen kumpi monta voin voi voimme pitää täytyy saa
saan saako onko olenko olemme olette olla ollut mun meillä heillä sinulle minulle hänelle heidän tämän tuon sen siitä siinä tässä täällä siellä nyt juuri
taas aina kaikki kaikkia joka jotka jonka jotain joku mitään eikö entä sekä eli vaan vaikka ennen jälkeen kanssa ilman nimi nimeltään`,
	`kik kiket kié kivel kiről mik miket mibe mivel miről mire melyek melyiket hányan hánykor hányszor hányadik hova merre mikortól meddig mióta tudok tud tudsz
kell kellene szabad lehet szoktam szokott leszek voltam voltak vagyunk nincs nincsen ezek azok azt abban ebben most éppen megint mindig mind minden valami
valaki semmi senki pedig mert amikor aki ami amely akkor így úgy előtt után között nélkül szerint hívják nevű neve el meg be le fel`,
	`kimi kimler kimle kiminle neyi neye neyle neler nedir nerde nerden neresi nerelerde hangisi hangileri niye kaçta kaçıncı kaçı mıyım miyim mıyız miyiz mısın
misin musun müsün mıdır midir mudur müdür dır dir olan oldu olarak olur olmalı benden sizin bizde bizden onların bunu bunun şunu burada orada şimdi anda
hala hâlâ yine hep her hepsi biri şey hiç ya yani çünkü eğer ise önce sonra arasında olmadan adı ismi göre lazım gerek gerekiyor`,
	`cui căreia cărui ale câtă câți încotro dincotro pot poate putem trebuie vreau fac face fost fi fiind aveți avem avea sunteți suntem erau lui lor noastră
nostru noștri noastre voastră vostru acesta aceasta aceștia acestea acel acea acela aici acolo acum încă deja iar mereu tot toate toți fiecare ceva cineva
nimic nimeni ori deci dacă deoarece înainte după între până prin spre numește cheamă îl îi le își ne vă`,
	`czyj czyja czyje czym kim czego czemu skąd dokąd którym którego której których jakim jakiego jakiej jakich ilu iloma mogę może możemy muszę musi powinienem
powinna powinien trzeba wolno należy będę będzie byłem byłam byliśmy być mieć miał miała mamy masz jej jego ich nas nam nami was wasz nasz nasza nasze swój
swoja swoje tej tym tych tę te taki taka takie tutaj tu tam teraz obecnie znowu wciąż zawsze każdy każda wszystko wszystkie coś ktoś nic nikt czy bo więc
gdy jeśli niż zanim między bez około nazywa nazywają zwie sobie`,
	`čí kým čím čeho čemu odkud kam kterou kterého kterém kterých kteří jaké jakou jakého jakým kolika můžu mohu může můžeme musím musí máš máme mají měl měla
měli budu bude jsme jste být jeho jejich její nás nám vás váš naše náš svůj svoje tím toho tom těch tuto tato toto tady tam teď právě zase pořád vždy každý
každá všechno všechny něco někdo nic nikdo zda protože tedy když jestli než mezi bez kolem jmenuje jmenují říká sebe`,
	`thế nhỉ à ạ bao_giờ hả mấy lúc ngày_nào được bị phải cần nên muốn vẫn còn rồi nữa lại luôn mọi mỗi tất cả ấy đó đây vậy thì mà nếu vì hay theo sau trước
giữa về ra vào lên xuống tên`,
}

// askedScriptStops are such words of languages in other scripts than the Latin one.
var askedScriptStops = sync.OnceValue(func() map[string]struct{} {
	return set(fold(`
чем чём чему чего кого кому кем ком какую какого какому каком каким каких какими которую которого которой каков какова насколько сколькими чью чьего чьей
можно нужно надо должен должна должны могу может можем хочу буду будем будут являюсь является нашей нашего нашем нашу моем моём моими моею своей своего своём свою
этом этого этой эту этих том того той тех такой такая такое сейчас теперь опять снова всегда всё все весь вся каждый каждая что-то кто-то ничего никто если потому поэтому
тогда там тут здесь чтобы хотя после перед между через около него неё них ней нём ним ними тобой мной нами вами зовут называется называют звать
чим чому чого кого кому ким якого якої якому якою яку яких якими звідки скільки чию чиєї можна треба потрібно маю має маємо мати мушу можу може хочу моєї моєму моїх
наша наше нашої нашому своє своєї цього цьому цієї цих тепер зараз знову завжди все всі весь кожен щось хтось нічого ніхто якщо тому тоді там тут після перед між через
звати звуть називається
ποιον ποιαν ποιους ποιες ποιανού τίνος πόση πόσον πόσος όπου όπως μπορώ μπορεί πρέπει έχουμε έχουν ήμουν είσαι είμαστε εμείς εσείς αυτοί αυτά αυτόν αυτήν αυτού εδώ εκεί τώρα
πάλι πάντα κάθε όλα όλοι κάτι κάποιος τίποτα κανείς επειδή γιατί όμως λοιπόν πριν μετά μεταξύ χωρίς μέχρι ως προς κατά ούτε λέγεται λένε λέγονται ονομάζεται τους μου
لمن بمن ممن مم بم فيم أية كيف متى أين وأين بكم لديّ لدي لديك لديه عندي عندك يمكن يجب كنت كنا يكون تكون هؤلاء هنا هناك الآن دائما كل بعض شيء أحد إذا لأن حتى بين بعد قبل حول
بدون غير اسم اسمه اسمها يسمى تسمى يُدعى هما أنها أنه فيه فيها به بها منه منها عليه عليها
למי ממי מאיפה לאן באיזה באיזו לאיזה איזהו כמה מדוע כיצד מהו מהי מיהו מיהי אפשר צריך צריכה חייב חייבת יכול יכולה הייתי היינו שלהם שלהן אותו אותה אותי אותנו פה כאן שם עכשיו שוב תמיד כל הכל משהו
מישהו כלום אז אבל לכן כאשר לפני אחרי בין בלי עד אצל קוראים שמו שמה נקרא נקראת בו בה בהם ממנו ממנה
कौनसा कौनसी किसे किसको किसमें किससे किन कहां कितना क्यों कैसा कैसी कैसे मुझे मुझको हमें उसे उसका उसकी उसके उनका उनकी उनके इसका इसकी इसके अपना अपनी अपने यहाँ वहाँ अब अभी फिर हमेशा सब
कुछ कोई नही कब तक कभी वाला वाली वाले चाहिए सकता सकती सकते होता होती होते करता करती करते रहा रही रहे गया गई गए करना नाम`))
})

// askedWords maps words without diacritics, as many people type questions, to the languages
// that have them as stop words, as bits.
var askedWords = sync.OnceValue(func() map[string]uint32 {
	words := make(map[string]uint32)
	for i, l := range languages {
		for _, list := range [...]string{l.words, askedStops[i]} {
			for _, word := range strings.Fields(list) {
				words[lowered(word)] |= 1 << i
			}
		}
	}
	for word := range stopWords() {
		words[word] |= 1 << inEnglish
	}
	return words
})

// askedIn returns the language of a question in Latin script. A question is short, so that one
// word decides, unless another is a word of English: in "son school" and "Kim birthday" the first
// words are no French and no Turkish ones. A word that asks and is too long to be anything else
// counts twice, as in "welchen Sport".
func askedIn(text string) int {
	if language := languageOf(text); language != inEnglish {
		return language
	}
	const surelyAsks = 4 // letters
	var votes [len(languages)]int
	for word := range wordsOf(size.Cut(text, languageBytes)) {
		word = lowered(word)
		known := askedWords()[word]
		if known == 0 && isEnglish(word) {
			known = 1 << inEnglish
		}
		n := 1
		if len(word) >= surelyAsks && isQuestionWord(word) {
			n = 2
		}
		for ; known != 0; known &= known - 1 {
			votes[bits.TrailingZeros32(known)] += n
		}
	}
	best := inEnglish
	for i, n := range votes {
		if n > votes[best] {
			best = i
		}
	}
	return best
}

// isQuestionWord reports whether a word asks for something in some language.
func isQuestionWord(word string) bool {
	t := token{word: word}
	return askingWords()[word] != 0 || asksWhich(t) || t.in(moreWho()) || t.in(moreWhen()) || t.in(moreWhich()) || t.in(howMany()) || t.in(lateWords())
}

// isEnglish reports whether a table has an English word, or another form of it.
func isEnglish(word string) bool {
	term := stem(word)
	return common()[term] > 0 || (&queryTerm{term: term, word: word}).isTold()
}

// asked returns the tokens of a question, and the language of its words in Latin script.
func (s *stemmer) asked(text string) (tokens []token, language int) {
	text = plain(text)
	language = askedIn(text)
	tokens = s.tokensIn(text, language)
	markForming(tokens)
	scripts := askedScriptStops()
	for i, t := range tokens {
		if _, is := scripts[t.word]; is || askedWords()[t.word]>>language&1 == 1 {
			tokens[i].flags |= stop
		}
	}
	return tokens, language
}
