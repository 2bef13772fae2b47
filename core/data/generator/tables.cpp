#include "core/data/generator/tables.h"

namespace strata::generator {

// gender (m f n; * = weak declension), singular, plural ("-" = none), English singular[/plural],
// class. Classes: P person, A animal, T thing, F food, L place, V vehicle, D document, C clothing.
const char* const kNounTable = R"(
m Mann Männer man/men P
f Frau Frauen woman/women P
n Kind Kinder child/children P
m* Junge Jungen boy P
n Mädchen Mädchen girl P
m Vater Väter father P
f Mutter Mütter mother P
m Bruder Brüder brother P
f Schwester Schwestern sister P
m Sohn Söhne son P
f Tochter Töchter daughter P
m Onkel Onkel uncle P
f Tante Tanten aunt P
m* Neffe Neffen nephew P
f Nichte Nichten niece P
m Lehrer Lehrer teacher P
f Ärztin Ärztinnen doctor P
m Richter Richter judge P
f Anwältin Anwältinnen lawyer P
m Bäcker Bäcker baker P
m Gärtner Gärtner gardener P
f Malerin Malerinnen painter P
m Koch Köche cook P
f Kellnerin Kellnerinnen waitress P
m Händler Händler merchant P
f Königin Königinnen queen P
m König Könige king P
m* Prinz Prinzen prince P
m* Student Studenten student P
f Schülerin Schülerinnen pupil P
m* Soldat Soldaten soldier P
m* Polizist Polizisten policeman/policemen P
f Sängerin Sängerinnen singer P
m* Musikant Musikanten musician P
m Dichter Dichter poet P
f Forscherin Forscherinnen researcher P
m Bauer Bauern farmer P
f Nachbarin Nachbarinnen neighbour P
m Gast Gäste guest P
m Freund Freunde friend P
f Freundin Freundinnen companion P
m Feind Feinde enemy P
m Dieb Diebe thief/thieves P
m* Kunde Kunden customer P
f Verkäuferin Verkäuferinnen saleswoman/saleswomen P
m Fahrer Fahrer driver P
f Pilotin Pilotinnen pilot P
m Matrose Matrosen sailor P
m Jäger Jäger hunter P
f Schneiderin Schneiderinnen tailor P
m Tischler Tischler carpenter P
m Schmied Schmiede smith P
f Tänzerin Tänzerinnen dancer P
m* Journalist Journalisten journalist P
f Ministerin Ministerinnen minister P
m Bürgermeister Bürgermeister mayor P
m Trainer Trainer coach P
f Krankenschwester Krankenschwestern nurse P
m Ritter Ritter knight P
m* Zeuge Zeugen witness P
f Enkelin Enkelinnen granddaughter P
m Großvater Großväter grandfather P
f Großmutter Großmütter grandmother P
m* Philosoph Philosophen philosopher P
m Ingenieur Ingenieure engineer P
f Gräfin Gräfinnen countess P
m* Elefant Elefanten elephant A
m Hund Hunde dog A
f Katze Katzen cat A
n Pferd Pferde horse A
f Kuh Kühe cow A
n Schaf Schafe sheep/sheep A
m Vogel Vögel bird A
f Maus Mäuse mouse/mice A
m* Bär Bären bear A
m* Löwe Löwen lion A
m* Affe Affen monkey A
m* Hase Hasen hare A
m Wolf Wölfe wolf/wolves A
m Fuchs Füchse fox A
f Ziege Ziegen goat A
n Huhn Hühner hen A
f Ente Enten duck A
f Gans Gänse goose/geese A
m Esel Esel donkey A
n Schwein Schweine pig A
f Schlange Schlangen snake A
m Frosch Frösche frog A
f Eule Eulen owl A
m Adler Adler eagle A
f Biene Bienen bee A
f Spinne Spinnen spider A
n Kamel Kamele camel A
m Igel Igel hedgehog A
n Eichhörnchen Eichhörnchen squirrel A
m Hirsch Hirsche stag A
m Schwan Schwäne swan A
f Taube Tauben pigeon A
m* Rabe Raben raven A
m Tiger Tiger tiger A
f Giraffe Giraffen giraffe A
m Tisch Tische table T
m Stuhl Stühle chair T
f Lampe Lampen lamp T
m Schlüssel Schlüssel key T
f Tür Türen door T
n Fenster Fenster window T
m Spiegel Spiegel mirror T
f Uhr Uhren clock T
n Messer Messer knife/knives T
f Gabel Gabeln fork T
m Löffel Löffel spoon T
m Teller Teller plate T
f Tasse Tassen cup T
n Glas Gläser glass T
f Flasche Flaschen bottle T
m Korb Körbe basket T
m Schrank Schränke cupboard T
n Bett Betten bed T
n Kissen Kissen pillow T
f Decke Decken blanket T
m Teppich Teppiche carpet T
m Vorhang Vorhänge curtain T
f Kerze Kerzen candle T
m Eimer Eimer bucket T
m Hammer Hämmer hammer T
f Säge Sägen saw T
m Nagel Nägel nail T
f Leiter Leitern ladder T
n Seil Seile rope T
f Kette Ketten chain T
m Ring Ringe ring T
f Krone Kronen crown T
n Schwert Schwerter sword T
m Schild Schilde shield T
f Trommel Trommeln drum T
f Geige Geigen violin T
n Klavier Klaviere piano T
f Flöte Flöten flute T
f Glocke Glocken bell T
m Ball Bälle ball T
f Puppe Puppen doll T
n Spielzeug Spielzeuge toy T
m Koffer Koffer suitcase T
f Tasche Taschen bag T
m Rucksack Rucksäcke backpack T
f Kiste Kisten box T
f Schachtel Schachteln carton T
n Paket Pakete parcel T
f Münze Münzen coin T
m Stein Steine stone T
m Ast Äste branch T
f Blume Blumen flower T
f Rose Rosen rose T
m Baum Bäume tree T
n Blatt Blätter leaf/leaves T
m Computer Computer computer T
n Telefon Telefone telephone T
f Kamera Kameras camera T
n Radio Radios radio T
m Bildschirm Bildschirme screen T
f Maschine Maschinen machine T
n Rad Räder wheel T
m Motor Motoren engine T
f Batterie Batterien battery T
m Drucker Drucker printer T
n Bild Bilder picture T
n Gemälde Gemälde painting T
f Statue Statuen statue T
f Fahne Fahnen flag T
m Besen Besen broom T
f Bürste Bürsten brush T
m Kamm Kämme comb T
f Trompete Trompeten trumpet T
n Netz Netze net T
m Pinsel Pinsel paintbrush T
f Schaufel Schaufeln shovel T
m Ofen Öfen oven T
m Topf Töpfe pot T
f Pfanne Pfannen pan T
n Handtuch Handtücher towel T
f Seife Seifen soap T
m Apfel Äpfel apple F
f Birne Birnen pear F
f Kirsche Kirschen cherry/cherries F
f Pflaume Pflaumen plum F
f Zitrone Zitronen lemon F
f Orange Orangen orange F
f Traube Trauben grape F
f Nuss Nüsse nut F
n Brot Brote loaf/loaves F
m Kuchen Kuchen cake F
f Torte Torten pie F
n Ei Eier egg F
m Käse Käse cheese F
f Wurst Würste sausage F
f Suppe Suppen soup F
m Salat Salate salad F
f Kartoffel Kartoffeln potato/potatoes F
f Tomate Tomaten tomato/tomatoes F
f Gurke Gurken cucumber F
f Zwiebel Zwiebeln onion F
f Karotte Karotten carrot F
m Pilz Pilze mushroom F
f Bohne Bohnen bean F
m Pfannkuchen Pfannkuchen pancake F
m Keks Kekse biscuit F
m Fisch Fische fish/fish F
f Melone Melonen melon F
f Erdbeere Erdbeeren strawberry/strawberries F
n Brötchen Brötchen roll F
n Haus Häuser house L
f Schule Schulen school L
f Kirche Kirchen church L
n Schloss Schlösser castle L
m Garten Gärten garden L
m Park Parks park L
m Wald Wälder forest L
m See Seen lake L
m Fluss Flüsse river L
m Berg Berge mountain L
n Tal Täler valley L
f Insel Inseln island L
n Dorf Dörfer village L
f Stadt Städte town L
f Straße Straßen street L
f Brücke Brücken bridge L
m Markt Märkte market L
m Laden Läden shop L
n Büro Büros office L
f Fabrik Fabriken factory/factories L
n Museum Museen museum L
n Theater Theater theatre L
n Kino Kinos cinema L
f Bibliothek Bibliotheken library/libraries L
n Krankenhaus Krankenhäuser hospital L
m Bahnhof Bahnhöfe station L
m Flughafen Flughäfen airport L
m Hafen Häfen harbour L
n Hotel Hotels hotel L
n Restaurant Restaurants restaurant L
f Küche Küchen kitchen L
m Keller Keller cellar L
n Zimmer Zimmer room L
m Saal Säle hall L
m Turm Türme tower L
f Mauer Mauern wall L
n Feld Felder field L
f Wiese Wiesen meadow L
m Hof Höfe yard L
n Lager Lager camp L
f Höhle Höhlen cave L
f Mühle Mühlen mill L
n Gefängnis Gefängnisse prison L
f Wohnung Wohnungen flat L
m Platz Plätze square L
m Strand Strände beach L
f Wüste Wüsten desert L
f Küste Küsten coast L
m Palast Paläste palace L
n Kloster Klöster monastery/monasteries L
n Auto Autos car V
m Zug Züge train V
m Bus Busse bus V
n Fahrrad Fahrräder bicycle V
n Schiff Schiffe ship V
n Boot Boote boat V
n Flugzeug Flugzeuge plane V
m Wagen Wagen cart V
f Kutsche Kutschen carriage V
m Lastwagen Lastwagen lorry/lorries V
m Schlitten Schlitten sledge V
n Motorrad Motorräder motorcycle V
f Fähre Fähren ferry/ferries V
m Traktor Traktoren tractor V
f Rakete Raketen rocket V
m Brief Briefe letter D
n Buch Bücher book D
f Zeitung Zeitungen newspaper D
f Karte Karten map D
n Heft Hefte notebook D
m Roman Romane novel D
n Gedicht Gedichte poem D
n Lied Lieder song D
f Geschichte Geschichten story/stories D
m Bericht Berichte report D
m Vertrag Verträge contract D
n Gesetz Gesetze law D
f Rechnung Rechnungen bill D
m Plan Pläne plan D
f Liste Listen list D
n Rezept Rezepte recipe D
m Artikel Artikel article D
f Rede Reden speech/speeches D
n Protokoll Protokolle protocol D
f Nachricht Nachrichten message D
n Tagebuch Tagebücher diary/diaries D
f Urkunde Urkunden certificate D
n Foto Fotos photo D
n Märchen Märchen tale D
m Aufsatz Aufsätze essay D
m Mantel Mäntel coat C
f Jacke Jacken jacket C
n Hemd Hemden shirt C
n Kleid Kleider dress/dresses C
m Rock Röcke skirt C
m Hut Hüte hat C
f Mütze Mützen cap C
m Schal Schals scarf/scarves C
m Schuh Schuhe shoe C
m Stiefel Stiefel boot C
m Handschuh Handschuhe glove C
f Socke Socken sock C
m Gürtel Gürtel belt C
m Pullover Pullover pullover C
f Bluse Blusen blouse C
m Anzug Anzüge suit C
f Krawatte Krawatten tie C
m Umhang Umhänge cloak C
f Schürze Schürzen apron C
)";

// infinitive[+particle], third person singular, participle, auxiliary (h haben, s sein), English
// base/third/past, frame, classes of the subject, classes of the object. Frames: T accusative
// object, H dative object, D dative and accusative object, I none, M motion (takes a direction), C
// a clause. The particle is written apart from finite forms in main clauses.
const char* const kVerbTable = R"(
sehen sieht gesehen h see/sees/saw T PA PATFLVDC
hören hört gehört h hear/hears/heard T PA PA
suchen sucht gesucht h seek/seeks/sought T PA PATFLVDC
finden findet gefunden h find/finds/found T PA PATFLVDC
kaufen kauft gekauft h buy/buys/bought T P ATFLVDC
verkaufen verkauft verkauft h sell/sells/sold T P ATFLVDC
malen malt gemalt h paint/paints/painted T P PATL
zeichnen zeichnet gezeichnet h draw/draws/drew T P PATLV
bauen baut gebaut h build/builds/built T P LVT
reparieren repariert repariert h repair/repairs/repaired T P TVC
putzen putzt geputzt h clean/cleans/cleaned T P TLV
waschen wäscht gewaschen h wash/washes/washed T P ATVC
tragen trägt getragen h carry/carries/carried T P TFDC
ziehen zieht gezogen h pull/pulls/pulled T PA TV
werfen wirft geworfen h throw/throws/threw T P TF
fangen fängt gefangen h catch/catches/caught T PA PA
jagen jagt gejagt h chase/chases/chased T PA A
füttern füttert gefüttert h feed/feeds/fed T P A
essen isst gegessen h eat/eats/ate T P F
fressen frisst gefressen h devour/devours/devoured T A FA
kochen kocht gekocht h boil/boils/boiled T P F
backen backt gebacken h bake/bakes/baked T P F
schneiden schneidet geschnitten h cut/cuts/cut T P FT
schälen schält geschält h peel/peels/peeled T P F
probieren probiert probiert h taste/tastes/tasted T PA F
lesen liest gelesen h read/reads/read T P D
schreiben schreibt geschrieben h write/writes/wrote T P D
drucken druckt gedruckt h print/prints/printed T P D
übersetzen übersetzt übersetzt h translate/translates/translated T P D
verstehen versteht verstanden h understand/understands/understood T P PD
vergessen vergisst vergessen h forget/forgets/forgot T P PTDC
kennen kennt gekannt h know/knows/knew T PA PLD
lieben liebt geliebt h love/loves/loved T PA PAFLD
hassen hasst gehasst h hate/hates/hated T PA PAFLD
loben lobt gelobt h praise/praises/praised T P PAD
tadeln tadelt getadelt h blame/blames/blamed T P P
grüßen grüßt gegrüßt h greet/greets/greeted T P P
besuchen besucht besucht h visit/visits/visited T P PL
treffen trifft getroffen h meet/meets/met T P P
fragen fragt gefragt h ask/asks/asked T P P
warnen warnt gewarnt h warn/warns/warned T PA PA
retten rettet gerettet h rescue/rescues/rescued T PA PATD
schützen schützt geschützt h protect/protects/protected T PA PAL
verfolgen verfolgt verfolgt h pursue/pursues/pursued T PA PAV
beobachten beobachtet beobachtet h watch/watches/watched T PA PAVL
bewundern bewundert bewundert h admire/admires/admired T P PALVD
verstecken versteckt versteckt h hide/hides/hid T PA TFDC
öffnen öffnet geöffnet h open/opens/opened T P TD
zerstören zerstört zerstört h destroy/destroys/destroyed T PA TLVD
brauchen braucht gebraucht h need/needs/needed T P PTFVDC
holen holt geholt h fetch/fetches/fetched T PA TFDC
bringen bringt gebracht h bring/brings/brought D P TFDC
wählen wählt gewählt h choose/chooses/chose T P TFDC
messen misst gemessen h measure/measures/measured T P TLC
wiegen wiegt gewogen h weigh/weighs/weighed T P TFA
bestellen bestellt bestellt h order/orders/ordered T P TFDC
bezahlen bezahlt bezahlt h pay/pays/paid T P P
verlieren verliert verloren h lose/loses/lost T P TDC
stehlen stiehlt gestohlen h steal/steals/stole T PA TFDVC
sammeln sammelt gesammelt h collect/collects/collected T P TFD
vermissen vermisst vermisst h miss/misses/missed T PA PA
küssen küsst geküsst h kiss/kisses/kissed T P P
heiraten heiratet geheiratet h marry/marries/married T P P
entdecken entdeckt entdeckt h discover/discovers/discovered T PA ATLD
beschreiben beschreibt beschrieben h describe/describes/described T P PALVD
erfinden erfindet erfunden h invent/invents/invented T P TVD
steuern steuert gesteuert h steer/steers/steered T P V
mieten mietet gemietet h rent/rents/rented T P LV
anrufen+an ruft angerufen h call/calls/called T P P
einladen+ein lädt eingeladen h invite/invites/invited T P P
abholen+ab holt abgeholt h collect/collects/collected T P PT
aufmachen+auf macht aufgemacht h unlock/unlocks/unlocked T P T
zumachen+zu macht zugemacht h shut/shuts/shut T P T
mitnehmen+mit nimmt mitgenommen h take/takes/took T P PATFDC
wegwerfen+weg wirft weggeworfen h discard/discards/discarded T P TFDC
aufheben+auf hebt aufgehoben h lift/lifts/lifted T P TFDC
anziehen+an zieht angezogen h wear/wears/wore T P C
ausziehen+aus zieht ausgezogen h remove/removes/removed T P C
vorlesen+vor liest vorgelesen h recite/recites/recited T P D
abschreiben+ab schreibt abgeschrieben h copy/copies/copied T P D
ablehnen+ab lehnt abgelehnt h reject/rejects/rejected T P DP
annehmen+an nimmt angenommen h accept/accepts/accepted T P DT
anschauen+an schaut angeschaut h inspect/inspects/inspected T P PATLVD
aufräumen+auf räumt aufgeräumt h tidy/tidies/tidied T P L
ausleihen+aus leiht ausgeliehen h borrow/borrows/borrowed T P TVDC
umarmen umarmt umarmt h hug/hugs/hugged T P PA
austrinken+aus trinkt ausgetrunken h empty/empties/emptied T P T
vorbereiten+vor bereitet vorbereitet h prepare/prepares/prepared T P FD
zurückbringen+zurück bringt zurückgebracht h return/returns/returned T P TDVC
einpacken+ein packt eingepackt h wrap/wraps/wrapped T P TFC
auspacken+aus packt ausgepackt h unwrap/unwraps/unwrapped T P TFC
anzünden+an zündet angezündet h light/lights/lit T P T
abreißen+ab reißt abgerissen h demolish/demolishes/demolished T P L
einschalten+ein schaltet eingeschaltet h activate/activates/activated T P T
helfen hilft geholfen h help/helps/helped H PA PA
danken dankt gedankt h thank/thanks/thanked H P P
folgen folgt gefolgt s follow/follows/followed H PA PAV
vertrauen vertraut vertraut h trust/trusts/trusted H P PA
gehorchen gehorcht gehorcht h obey/obeys/obeyed H PA P
glauben glaubt geglaubt h believe/believes/believed H P P
zuhören+zu hört zugehört h heed/heeds/heeded H P P
zustimmen+zu stimmt zugestimmt h support/supports/supported H P P
geben gibt gegeben h give/gives/gave D P TFDC
zeigen zeigt gezeigt h show/shows/showed D P TLVDC
schenken schenkt geschenkt h donate/donates/donated D P ATFVDC
schicken schickt geschickt h send/sends/sent D P TFD
leihen leiht geliehen h lend/lends/lent D P TVDC
erklären erklärt erklärt h explain/explains/explained D P D
empfehlen empfiehlt empfohlen h recommend/recommends/recommended D P FLD
zurückgeben+zurück gibt zurückgegeben h surrender/surrenders/surrendered D P TDVC
vorstellen+vor stellt vorgestellt h introduce/introduces/introduced D P P
anbieten+an bietet angeboten h offer/offers/offered D P TFDC
schlafen schläft geschlafen h sleep/sleeps/slept I PA -
lachen lacht gelacht h laugh/laughs/laughed I P -
weinen weint geweint h cry/cries/cried I P -
singen singt gesungen h sing/sings/sang I PA -
tanzen tanzt getanzt h dance/dances/danced I PA -
arbeiten arbeitet gearbeitet h work/works/worked I P -
warten wartet gewartet h wait/waits/waited I PA -
spielen spielt gespielt h play/plays/played I PA -
träumen träumt geträumt h dream/dreams/dreamt I PA -
schweigen schweigt geschwiegen h pause/pauses/paused I P -
zittern zittert gezittert h tremble/trembles/trembled I PA -
aufstehen+auf steht aufgestanden s rise/rises/rose I PA -
einschlafen+ein schläft eingeschlafen s doze/dozes/dozed I PA -
aufwachen+auf wacht aufgewacht s wake/wakes/woke I PA -
ausruhen+aus ruht ausgeruht h rest/rests/rested I PA -
aufgeben+auf gibt aufgegeben h yield/yields/yielded I P -
gehen geht gegangen s go/goes/went M PA -
laufen läuft gelaufen s run/runs/ran M PA -
fahren fährt gefahren s travel/travels/travelled M P -
fliehen flieht geflohen s flee/flees/fled M PA -
kommen kommt gekommen s come/comes/came M PA -
reisen reist gereist s journey/journeys/journeyed M P -
wandern wandert gewandert s wander/wanders/wandered M PA -
zurückkehren+zurück kehrt zurückgekehrt s retreat/retreats/retreated M PA -
sagen sagt gesagt h say/says/said C P -
wissen weiß gewusst h know/knows/knew C P -
hoffen hofft gehofft h hope/hopes/hoped C P -
denken denkt gedacht h think/thinks/thought C P -
behaupten behauptet behauptet h claim/claims/claimed C P -
erzählen erzählt erzählt h tell/tells/told C P -
versprechen verspricht versprochen h promise/promises/promised C P -
hineingehen+hinein geht hineingegangen s enter/enters/entered I PA -
)";

// German stem (as before an ending), English, class: a said of persons and animals, i of things, b
// of both.
const char* const kAdjectiveTable = R"(
alt old b
neu new i
klein small b
groß big b
schön beautiful b
hässlich ugly b
schwer heavy b
leicht light i
schnell fast b
langsam slow b
teur expensive i teuer
billig cheap i
rot red i
blau blue i
grün green i
gelb yellow i
weiß white b
schwarz black b
braun brown b
grau grey b
rund round i
eckig angular i
breit wide i
schmal narrow i
lang long i
kurz short b
hoh high i hoch
tief deep i
warm warm b
kalt cold b
heiß hot i
nass wet b
trocken dry i
sauber clean i
schmutzig dirty b
kaputt broken i
wertvoll valuable i
wichtig important b
berühmt famous b
seltsam strange b
gefährlich dangerous b
selten rare i
leer empty i
voll full i
offen open i
geheim secret i
modern modern i
hölzern wooden i
golden golden i
silbern silver i
gläsern glassy i
jung young a
klug clever a
dumm stupid a
freundlich friendly a
böse wicked a
mutig brave a
feige cowardly a
müde tired a
hungrig hungry a
durstig thirsty a
krank ill a
gesund healthy a
stark strong a
schwach weak a
fröhlich cheerful a
traurig sad a
wütend angry a
stolz proud a
neugierig curious a
faul lazy a
fleißig diligent a
ehrlich honest a
treu loyal a
arm poor a
reich rich a
glücklich happy a
einsam lonely a
nervös nervous a
ruhig calm a
höflich polite a
streng strict a
gierig greedy a
geduldig patient a
vorsichtig careful a
blind blind a
taub deaf a
wild wild a
zahm tame a
schüchtern shy a
dankbar grateful a
weise wise a
großzügig generous a
eifersüchtig jealous a
verliebt enamoured a
riesig huge b
winzig tiny b
nützlich useful i
bunt colourful i
weich soft i
hart hard i
glatt smooth i
rau rough i
dünn thin b
dick fat b
süß sweet i
saur sour i sauer
bitter bitter i
frisch fresh i
faulig rotten i
reif ripe i
roh raw i
)";

// German, English, kind: t time with present, p time with past, f time with future, m manner, x
// place.
const char* const kAdverbTable = R"(
heute today t
jetzt now t
oft often t
immer always t
manchmal sometimes t
täglich daily t
wieder again t
morgens mornings t
gestern yesterday p
neulich recently p
damals then p
vorgestern previously p
einst once p
morgen tomorrow f
bald soon f
später later f
übermorgen afterwards f
gern gladly m
heimlich secretly m
plötzlich suddenly m
vorsichtig carefully m
laut loudly m
leise quietly m
schnell quickly m
langsam slowly m
geduldig patiently m
mutig bravely m
selten rarely m
allein alone m
zusammen together m
wirklich really m
vielleicht perhaps m
draußen outside x
drinnen inside x
hier here x
dort there x
oben upstairs x
unten downstairs x
überall everywhere x
nirgends nowhere x
)";

// German, case, English, classes of the noun, contraction with dem (or "-"), use: w where, d
// direction, c companion, o other.
const char* const kPrepositionTable = R"(
in d in L im w
an d at L am w
vor d before L - w
hinter d behind L - w
neben d beside LTV - w
bei d near LP beim w
unter d under TL - w
in a into L - d
zu d to LP zum d
durch a through L - d
mit d with PAT - c
ohne a without PAT - c
für a for PA - c
gegen a against PA - c
wegen g because_of PAT - o
trotz g despite PAT - o
)";

// Form in front of a head noun, English modifier, classes of the heads.
const char* const kModifierTable = R"(
Garten garden TL
Küchen kitchen T
Haus house T
Kinder children's CDTF
Stadt city L
Dorf village L
Wald forest L
Berg mountain L
Holz wood T
Eisen iron T
Gold gold T
Silber silver T
Glas glass T
Papier paper T
Winter winter C
Sommer summer C
Sonntags sunday CF
Reise travel DCT
Schul school DC
Kirchen church T
Schloss castle L
Hafen harbour L
Königs royal TLC
Jagd hunting TCD
Familien family DFV
Spiel play T
Rasier shaving T
Wasser water TV
Wein wine TF
Obst fruit FT
Gemüse vegetable F
Butter butter F
Honig honey F
Schokoladen chocolate F
Militär army V
Polizei police V
Renn racing V
Post mail V
Leder leather C
Woll woollen C
Seiden silk C
Regen rain C
Liebes love D
Geschäfts business D
Staats state D
Kriegs war D
Arbeits work C
Tanz dance L
Markt market T
Museums museum T
)";

const char* const kNameTable = R"(
m Anton m Bernd m Carl m David m Emil m Felix m Georg m Hans m Ivo m Jakob m Konrad m Lukas m Moritz m Niklas m Oskar
m Paul m Rainer m Simon m Thomas m Ulrich m Viktor m Werner m Xaver m Albert m Bruno m Edgar m Franz m Gustav m Hugo
m Jonas m Kurt m Leo m Martin m Norbert m Otto m Peter m Robert m Stefan m Theo m Udo
f Anna f Berta f Clara f Dora f Emma f Frieda f Greta f Helga f Ida f Julia f Katrin f Lena f Maria f Nina f Olga
f Paula f Renate f Sophie f Theresa f Ulla f Vera f Wilma f Agnes f Brigitte f Doris f Elsa f Franziska f Gisela
f Hanna f Inge f Johanna f Klara f Luise f Martha f Nora f Petra f Rosa f Sabine f Tanja f Ursula
)";

const char* const kTownTable = R"(
Neu Alt Ober Unter Hohen Grün Schwarz Weißen Linden Eichen Buchen Stein Königs Bären Wolfs Adlers Rosen Mühl Kirch Brücken
| stadt berg burg dorf heim hausen feld bach tal wald see kirchen rode stein furt au
)";

}  // namespace strata::generator
