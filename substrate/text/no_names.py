"""Words that begin with a capital for a reason other than being a name: our own lists, for `extract`.

None of them is complete, and none needs to be: a word that is missing here costs one wrong entity at the beginning of
a sentence. All are in small letters.
"""

# ruff: noqa: RUF001, SIM905 - lists of words, of several scripts

from __future__ import annotations

from typing import Final

__all__ = [
    "ABBREVIATIONS",
    "ADDRESSED",
    "ADJECTIVES",
    "AUXILIARIES",
    "CALENDAR",
    "COMMON",
    "COMMON_ELSEWHERE",
    "DETERMINERS",
    "ENGLISH",
    "FUNCTION",
    "FUNCTION_ELSEWHERE",
    "GERMAN",
    "GERMAN_NOUNS",
    "GERMAN_PREPOSITIONS",
    "INSTITUTIONS",
    "JOINING",
    "LABELS",
    "NOT_GERMAN",
    "NO_ACRONYMS",
    "PARTICLES",
    "PAST",
    "ROMANCE",
    "ROMANCE_AUXILIARIES",
    "SMALL_IN_TITLES",
    "SYNTAX",
    "TITLES",
    "UNCOUNTED",
    "VERBS_OF_ONE",
]

_ENGLISH: Final = """
a about above according across actually after afterwards again against ago all almost along already also although
always am among an and another any anybody anyone anything anyway apparently are aren't around as ask asked at away
back basically be because been before behind being below besides best better between beyond both but by bye can can't
cannot certainly clearly could couldn't currently dear definitely despite did didn't do does doesn't don't done down
due during each earlier early easily either else enough especially even eventually ever every everybody everyone
everything everywhere except exactly fewer finally first firstly following for former formerly fortunately four from
frankly further furthermore generally give given good great had half hardly has hasn't have haven't having he he'd
he'll he's hello hence her here here's hers herself hey hi him himself his honestly hopefully how how's however i i'd
i'll i'm i've if immediately in indeed initially inside instead interesting into is isn't it it'd it'll it's its itself
just kind largely last lastly late lately later least less lest let let's like likewise look lots made mainly make many
may maybe me meanwhile might mine more moreover most mostly much must mustn't my myself namely near nearly need neither
never nevertheless new next nice no nobody none nonetheless nope nor normally not nothing notice now nowadays nowhere
obviously of off often oh ok okay old on once one ones only onto or originally other others otherwise our ours
ourselves out outside over overall own particularly per perhaps personally please plus possibly presumably previously
probably quickly quite rarely rather real really recently regarding regardless right same second secondly see seems
seen seldom several shall she she'd she'll she's should shouldn't similarly simply since six slowly so some somebody
somehow someone something sometimes somewhere soon sorry specifically still strangely such suddenly sure surely ten
thank thanks that that'd that'll that's the their theirs them themselves then there there's therefore these they they'd
they'll they're they've things third this those though thousands three through throughout thus till to today
together tomorrow tonight too toward towards twice two typically ultimately under unfortunately unless unlike until up
upon us using usually various very via was wasn't we we'd we'll we're we've well were weren't what what's whatever when
whenever where whereas wherever whether which whichever while who who's whoever whole whom whose why wide will with
within without won't would wouldn't wow yeah yep yes yesterday yet you you'd you'll you're you've your yours yourself
"""
_VERBS: Final = """
accept add adjust agree allow answer apply approve archive ask assign assume attach attend avoid backup begin block
book boot break bring browse build bump buy call cancel catch change check choose clean clear click clone close collect
combine come commit compare compile compute configure confirm connect consider contact continue convert cook copy
correct count create cut debug decide define delete deny deploy describe design destroy detect determine develop
disable discard discuss do document don't download drag draw drink drive drop edit email embed enable encrypt end
enforce ensure enter evaluate examine execute expand expect explain export extend extract fetch fill filter find fix
flush fold follow forget format forward freeze generate get give go grab grant group grow guess handle hand help hide
hold identify ignore implement import improve include increase index inform ingest insert inspect install integrate
investigate invite issue join jump keep kill know launch learn leave limit link list listen load lock log look love
lower mail make map mark match measure meet mention merge message migrate mind mix modify monitor mount move name
navigate need note notify observe offer omit open optimise optimize order pack parse pass paste pause pay perform pick
pin ping plan play plot plug pop port post prefer prepare press prevent print process promote propose protect prove
provide publish pull push put query quit raise reach read rebase reboot rebuild recall receive recommend record reduce
refactor refer refresh refuse register reject release reload remember remind remove rename render renew repeat replace
reply report request require reset resolve respond restart restore resume retry return reuse revert review revoke
rewrite roll rotate round route run save say scale scan schedule scroll search seed select sell send separate serve
set share shift ship show shut sign simulate sit skip sleep sort speak specify split spread squash stage stand start
state stay stir stop store stream study submit subscribe suggest summarise summarize support suppose suspect swap
switch sync tag take talk teach tell test think throw tie toggle touch track train transfer translate treat trigger
trim trust try tune turn type uninstall unlock unplug unzip update upgrade upload use validate verify view visit wait
wake walk want warn wash watch wear welcome win wipe wish wonder work worry wrap write
"""
_LABELS: Final = """
action actions agenda answer appendix assumption attendees author background bug caution caveat changelog chapter
conclusion conclusions context cost costs danger date deadline decided decision decisions default details disclaimer
done draft due edit error errors example examples exercise fact fail failed feature figure fixed goal goals greetings
hint hints idea ideas important info input instructions introduction issue items lesson lessons milestone minutes
motivation msg notes notice objective open option options outcome output overview owner participants part plan
postscript preface pro prerequisites priority problem problems progress proposal purpose question questions quote
rationale reason recipe regards reminder requirements resolved result results risk risks rule rules scope section
sincerely solution solved source sources specs spec start state status step steps subject subtotal summary table target
task tasks team theorem thought thoughts timeline tip tips title todo todos topic topics total troubleshooting urgent
usage version versions warning warnings wip
"""
_OTHER_LANGUAGES: Final = """
aber alle allerdings als also am an auch auf aus außerdem bei beim bis bitte da dabei dafür damit danach dann daran
darauf darum das dass davon dazu dein dem den denn der des deshalb die dies diese dieser dieses doch dort du durch ein
eine einem einen einer eines er es etwas euch euer falls für gegen gestern guten hallo hat haben hast heute hier hinter
ich ihm ihn ihnen ihr ihre im in ins ist ja jede jeder jedes jetzt kann kannst kein keine können könnte letzte man mehr
mein meine mich mir mit morgen muss nach nachdem nächste nein nicht nichts noch nun nur ob oder ohne schon seit sein
seine sich sie sind so sogar soll sollte sondern trotzdem über um und uns unser unsere unter vielleicht vom von vor
wann war waren warum was weil welche wenn wer werden wie wieder wir wird wo wurde wurden zu zuerst zum zur zwei zwischen
à après au aujourd'hui aujourd’hui aussi autre aux avant avec ce ceci cela celle celui ces cet cette chaque chez ça
comme comment dans de demain depuis des deux donc du elle elles en encore est et eux hier il ils j je jamais la le les
leur leurs lors lorsque lui mais malgré merci mes moi mon même ne nos notre nous on ou où par parce pas pendant peut
plus pour pourquoi près puis quand que quel quelle quelles quels qui quoi sa sans se selon ses si soit son sont sous
sur ta tandis te tes toi ton tous tout toute toutes très trop tu un une vers voici voilà vos votre vous
a ahora al algo algunos allí anoche antes aquel aquella aquí así aunque ayer cada casi como cómo con contra creo cual
cuál cuando cuándo cuánto de del desde después donde dónde durante e el él ella ellas ellos en entonces entre era es
esa ese eso esta está estaba estamos están estas este esto estos estoy fue gracias ha hace hacia hasta hay hola hoy la
las le les lo los luego mañana más me mi mis mucho muchos muy nada nadie ni no nos nosotros nuestra nuestro nunca o
otra otro para pero poco por porque pues qué que quien quién se según ser si sí siempre sin sobre solo sólo son su sus
también tampoco tan tanto te tiene tienen toda todas todo todos tres tu tus un una unas uno unos usted ustedes vamos
ya yo
agora ainda além amanhã antes ao aos apenas aqui as às até bem boa bom cada com como da das de depois do dos e é ela
elas ele eles em embora enquanto então era essa esse esta estamos está este eu foi hoje isso isto já lá lhe mais mas
mesmo meu minha muito na nas não nem no nos nós nossa nosso num numa o obrigado ontem onde os ou para pela pelo por
porque pois quais qual quando que quem se seja sem sempre seu sim só sua são também te tem temos ter toda todo todos
três tudo um uma você vocês
a ad agli ai al alla alle allo anche ancora bene buongiorno c'è che chi ci ciao col come con così cosa cui da dagli dai
dal dalla dalle degli dei del della delle dello di domani dopo dove due e è ed ecco era essi fa fino fra gli grazie ha
hanno i ieri il in io la le lei li lo loro lui ma mentre mi mia mio molti molto ne negli nei nel nella nelle nessuno
niente no noi non nostra nostro o ogni oggi ora per perché però più poi prima qua quale quando quanto quasi quella
quelle quelli quello questa queste questi questo qui sarà se sei sempre senza si siamo solo sono sopra sotto su sua sul
sulla suo tra tu tutta tutte tutti tutto un una uno vi voi
aan al alle als altijd bij daar dan dat de deze die dit doen door dus een eens en er geen goed graag heb hebben heeft
het hier hij hoe hun ik in is ja je jij jullie kan kun maar me meer men met mijn morgen naar net niet niets nog nu of om
omdat onder ons onze ook op over sinds te tegen ten toen tot u uit uw van vandaag veel voor waar waarom wanneer want
was wat we wel welke werd wie wij wil worden ze zich zij zijn zo zonder
ale albo bardzo bez by był była było być co czy dla dlaczego do dziś dzisiaj gdy gdzie go i ich ja jak jako jest jego
jej jeszcze jestem jeśli już każdy kiedy kto która które który ma mam mamy mi mnie może można my na nad nas nasz nie
niż o od on ona oni oraz po pod ponieważ potem proszę przed przez przy się są ta tak także tam te tego ten teraz to tu
tylko ty u w wczoraj we wszystko wtedy z za ze że żeby
ama ancak artık bana bazı belki ben bir biraz biz bu bugün bunu çok çünkü da daha de değil diye dün en eğer gibi hem
hep her hiç için ile ise kadar ki kim lütfen mi nasıl ne neden nerede o olarak onlar sadece sen siz sonra şey şimdi şu
tüm ve veya ya yani yarın yok
att av de den denna det du efter eller en ett för från han har hon hur i idag igår imorgon inte jag kan man med men
mig min mycket när nu och oss på som så till tack under upp ut vad var varför vem vi vid är över
a be den der det du efter eller en er et for fra han har hun hvad hvor hvorfor i ikke jeg kan man med men min mit nu og
om på så som til ud var ved vi
а без благодаря более будет бы был была были было быть в вам вас ваш вдруг ведь весь вместо во вот вообще все всегда
всего всё вчера вы где да давайте даже два для до его ее её если есть ещё еще же за завтра зачем здесь и из или им их к
каждый как какая какие какой когда конечно кто куда ли либо лучше мне много может можно мой моя мы на над надо нам нас
наш наша наши не него нельзя нет ни никогда никто ничего но нужно о об однако он она они оно от ответ очень перед по
под пожалуйста пока после потом потому почему почти при про просто пусть раз с сегодня сейчас сколько скоро со спасибо
так также там твой те тебе тебя тем теперь то тогда того тоже только том тот три ты у уже хорошо хотя чего чей чем
через что чтобы эта эти это этот я
або але без був була було бути в вже вони вона він все для до з за зараз й його коли ми на не нам наш ні про сьогодні
так там те ти тільки то у хто це ці чи чому що як який
αλλά αν από αυτή αυτό αυτός αύριο για δεν εγώ είμαι είναι εδώ εμείς ένα ένας εκεί επίσης έχει η ή θα κάθε και κατά με
μετά μια μας μου να ο οι όλα όμως όπου όπως όταν ότι πάντα παρά ποιος πολύ που πού πριν προς πώς σας σε σήμερα στα στη
στην στις στο στον στους τα τη την της τι τις το τον του τους των τώρα χθες χωρίς ως
"""

FUNCTION: Final = frozenset(_ENGLISH.split()) - {"will", "may", "dear"}
"""No names, wherever they stand in an English text."""
FUNCTION_ELSEWHERE: Final = FUNCTION | frozenset(_OTHER_LANGUAGES.split()) - {"kim", "ben", "dan", "al", "per"}
"""No names, wherever they stand in a text of which nothing says that it is English."""
LABELS: Final = frozenset(_LABELS.split())
"""What stands before a colon or a number."""
COMMON: Final = FUNCTION | LABELS | frozenset(f"{_VERBS} will may dear guys folks gentlemen ladies".split())
"""What begins an English sentence and is no name."""
COMMON_ELSEWHERE: Final = COMMON | FUNCTION_ELSEWHERE
"""The same of other texts."""

JOINING: Final = frozenset(
    "of de del della di du des do dos das der den la le el al της του των van von da bin ibn ter ten zu".split()
)
"""What stands in small letters inside a name."""
PARTICLES: Final = frozenset("van von da bin ibn ter ten zu".split())
"""Those of them that only people have."""
ADJECTIVES: Final = frozenset({"new", "great", "real", "mount", "port"})
"""They begin many names, though a sentence may begin with them too."""
SMALL_IN_TITLES: Final = frozenset(
    "a an and as at by for from in into is of on or the to via vs with de des du la le und y e".split()
)
"""What has no capital in a heading whose other words have."""

CALENDAR: Final = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays
    sundays january february march april may june july august september october november december mon tue tues wed thu
    thur thurs fri sat sun jan feb mar apr jun jul aug sep sept oct nov dec
    montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag januar jänner februar märz mai juni juli
    oktober dezember δευτέρα τρίτη τετάρτη πέμπτη παρασκευή σάββατο κυριακή
    """.split()
)
"""Days and months, where they are written with capitals."""

TITLES: Final = frozenset(
    """
    mr mrs ms miss mx dr prof professor sir prime president chancellor minister senator governor mayor captain uncle
    aunt herr frau monsieur madame mme señor señora sr sra don doña signor signora dott
    """.split()
)
"""What stands before a person's name and is not part of it."""

ABBREVIATIONS: Final = frozenset("mr mrs ms mx dr prof st jr sr vs gen sen gov rep capt lt col sgt mt ft fig".split())
"""A dot behind one of these ends no sentence."""

NO_ACRONYMS: Final = frozenset(
    """
    AM AND ANY ARE ASAP AT BE BTW BUT BY CAN CEO CFO COO CTO CPO CV DIY DM DO ETA ETC EOD EOF FAQ FIXME FOR FROM FYI
    GO HAS HAVE HR HTH ID IDK IF IIRC IIUC IMHO IMO IN INFO IS IT ITS LGTM LOL MAYBE MUST NB NEVER NO NOT NOTE NOW NP
    OF OFF OK OMG ON ONE ONLY OR OUR OUT PLEASE PM PR PS QA READ RSVP RTFM SHALL SHOULD SO STOP TBA TBC TBD THAT THE
    THEN THERE THIS TLDR TO TODO TOP TWO UP USE VERY VP VS WARNING WAS WE WHAT WHEN WHY WILL WIP WITH WTF XXX YES YOU
    YOUR CET CEST EDT EST GMT PDT PST UTC BC AD CE BCE KB MB GB TB PB KIB MIB GIB TIB HZ KHZ MHZ GHZ KW KWH MW FPS RPM
    DPI Q1 Q2 Q3 Q4 H1 H2 I II III IV VI VII VIII IX XI XII
    """.split()
)
"""Small words shouted, chat, job titles, time zones, units and numerals."""

DETERMINERS: Final = frozenset(
    """
    the a an its his her their our my your this that these those everything all no it them us him me how why whether
    every each some any only more too
    """.split()
)
"""What follows a verb rather than a noun."""
ADDRESSED: Final = frozenset(
    "can could would will please you what when where why how did do are your who which whose the a an".split()
)
"""What follows the comma behind a name at the beginning of a sentence."""
ENGLISH: Final = frozenset(
    """
    the and with that have you from this are his our your their they she what who when about would its it's been were
    """.split()
)
"""One of these, and a text is English."""
NOT_GERMAN: Final = ENGLISH | frozenset("of is to".split())
AUXILIARIES: Final = frozenset(
    """
    is isn't was wasn't has hasn't had hadn't does doesn't did didn't will won't would wouldn't can can't could couldn't
    should shouldn't may might must
    """.split()
)
PAST: Final = frozenset(
    """
    ate beat became began bought cut hit hurt broke brought built came caught chose did drew drove fell felt flew
    forgot fought found gave got grew heard held kept knew laid led left lent lost made meant met paid put ran read
    rose said sang sat saw sent set shot slept sold spent spoke spread stood stole swam taught thought threw told took
    understood went woke won wore wrote froze shut split hid sank stuck swept tore bent bit blew burst dealt fed fled
    hung lit rode rang shook shrank slid spun struck swore withdrew rebuilt overtook
    """.split()
)
"""Verbs of the past that do not end in -ed."""

VERBS_OF_ONE: Final = frozenset(
    """
    says thinks wants needs likes loves hates prefers lives keeps knows means makes takes gives goes comes gets seems
    feels becomes provides owns believes remains lets brings tells sits belongs depends requires contains allows
    speaks leads joins lacks suggests insists refuses denies wins loses agrees understands remembers forgets
    """.split()
)
"""Verbs that are no plurals of nouns."""

UNCOUNTED: Final = frozenset(
    """
    access advice air art baby beer blood bread breakfast business butter cake caching capacity cash cheese chicken
    chocolate class client clothing code coffee compaction compression concurrency context control cooking coverage
    cpu customer data debt deployment disk dinner documentation dust email energy equipment evidence exercise fish fog
    food fuel fun furniture gas glass gold golf grass hair happiness hardware health heat history homework hope
    indexing input internet jealousy justice kindness knowledge language laughter law leather life light logging love
    luck lunch luggage machinery mail management meat medicine memory milk mom dad mum money mother father mud music
    nature network news noise oil output oxygen paper parking party peace people pizza poetry police power pressure
    production progress queue rain recall research rice root rubbish salt sand schema school scrolling search security
    server shopping silence sleep smoke snow soap society software soup space speed staff storage stuff sugar sunshine
    tea technology tennis testing thunder time tourism trade traffic training transport travel trouble user areas
    cameras demos formulas ideas lambdas logos macros memos photos pizzas quotas replicas repos schemas typos videos
    vocabulary war water wealth weather wine winter summer spring autumn wood work world writing
    """.split()
)
"""Nouns that begin an English sentence without an article."""

INSTITUTIONS: Final = frozenset(
    """
    academy bank battle bay board bureau cape center centre central church city college council county court department
    duke faculty federation game gardens government gulf hall house institute institution isle isles journal kingdom
    knights league library lord ministry museum national office order parliament port prince princess republic school
    society state states statue supreme tower united university
    """.split()
)
"""What a name with `of` begins with, also at the beginning of a sentence."""

GERMAN: Final = frozenset(
    """
    aber als auch auf bei beim bin bist das dass dem den der des die dies diese dieser dieses durch ein eine einem
    einen einer eines er es für gegen gestern habe haben hat heute ich ihr im in ist kann kein keine können man mehr
    mit morgen muss nach nicht noch nur oder ohne schon sehr sein seine sich sie sind über um und uns unsere vom von
    vor war waren weil wenn werden wie wieder wir wird wurde wurden zu zum zur zwischen
    """.split()
)
GERMAN_PREPOSITIONS: Final = frozenset("in nach aus bei von für mit an auf bis gegen ab durch zwischen über".split())
GERMAN_NOUNS: Final = frozenset(
    """
    abend absicht anfang angst arbeit art auto bahn beispiel bett bezug büro ende erfolg eile essen fall farbe ferien
    fahrt fleisch form frage freude frieden gefahr geld gold haft hand hause heft hilfe hinsicht holz hunger idee kauf
    kontakt kopf kraft kurs leben liebe luft lust mitte mittag musik mut nacht not ordnung ort panik papier pause platz
    rat recht regen ruhe schnee schule schutz seite seiten sicht sinn sommer sonne spaß stein stunden tag tagen teil tod
    urlaub versehen vertrauen wahrheit wasser weise welt wein wetter winter wochen wut zeit zukunft zweifel
    """.split()
)
"""Nouns that follow a preposition without an article."""

ROMANCE: Final = frozenset(
    """
    au aux avec ce cette ces dans des du elle en est et il je la le les leur mais ne nous ont par pas pour que qui sa se
    ses son sont sur un une vous al como con cuando del el él ella es eso esta este fue ha hay las lo los más me mi muy
    no nos para pero por que se si su sus también una unos y ao aos com da das de do dos e ela ele em foi isso já mais
    mas na nas não no o os ou para pela pelo por que se seu sua são também tem um uma alla anche che ci con dal dalla
    degli dei del della delle di è gli ha hanno i il la le lo ma nel nella non per più questo sono sul un una uno
    """.split()
) - {"me", "no", "do", "die", "in", "as", "i", "a", "mi", "son", "per", "e", "se", "si", "de", "com", "ha", "con"}
ROMANCE_AUXILIARIES: Final = frozenset(
    """
    a ont est sont était dit va fait vient travaille habite fue es era está ha han dijo dice tiene vive trabaja será va
    foi é tem disse mora trabalha vai è sono ha aveva disse vive lavora
    """.split()
)

SYNTAX: Final = frozenset(
    """
    a an and any as at by can cannot catch def do elif else false finally for from if in instanceof is it nil no none
    not null of on or return self so than that the then this throw to true typeof undefined until var void where while
    with yes yield
    """.split()
)
"""Words of sentences and of programming languages that name nothing, also where they are set as code."""
