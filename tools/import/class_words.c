/* The table of words (class_words.h). Words are folded as names are: in small letters, without accents, ae for an
 * umlaut; '_' stands for the blank in a phrase. Beside English, German, French, Spanish, Italian, Portuguese, Dutch and
 * Polish there are the commonest of Swedish, Danish, Norwegian, Finnish, Czech, Hungarian, Romanian, Croatian, Turkish,
 * Russian, Chinese, Japanese and Korean; Russian is folded to Latin letters. Of standards: AIA/NCS (four
 * letters), and what offices write after DIN, BS 1192 and the French habit; the codes of ISO 13567, CI/SfB and Uniclass
 * stand in class_code.c. */
#include "import/class_words.h"

#include "import/class_code.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Where in a name a word counts. A word of four letters or more may have an "s" behind it. */
enum word_form {
    WHOLE, /* by itself */
    HEAD,  /* at the end of a longer one too: "aussenwand" is a wall, "wandschrank" is none */
    PART,  /* anywhere in a longer one */
    SHORT  /* by itself, where all words of the name are known: "a wind", and not "wind speed" */
};

/* What a row is of besides meanings: it qualifies others. */
enum { HATCHED = WORD_MEANINGS };

static const struct {
    int meaning;
    enum word_form form;
    const char *material, *words;
} TABLE[] = {
    /* Materials, in the order in which they are looked for: a coated window is no plain one, a stud no steel wall. */
    {WORD_NOTHING, WHOLE, "low-e glass",
     "low_e_glass low_e_glaz low_e_glazing low_e_window low_e_wind lowe coated_glass"},
    {WORD_NOTHING, PART, "plasterboard",
     "plasterboard gypsum drywall trockenbau rigips gipskarton cartongesso sheetrock"},
    {WORD_NOTHING, WHOLE, "plasterboard",
     "dry_wall metal_stud stud plaster gyps gyp gips gib gypse placo placoplatre ba13 "
     "pladur escayola gk gkb pleca kg gipsowe karton_gips"},
    {WORD_NOTHING, PART, "metal", "foil metall stahltuer stahlwand"},
    {WORD_NOTHING, PART, "concrete", "concret beton parpaing hormigon calcestruzz concreto cemento zelbet"},
    {WORD_NOTHING, WHOLE, "concrete",
     "conc cement stb st_b voile cmu block blockwork betong betoni cls hormig c30 c25"},
    {WORD_NOTHING, PART, "brick",
     "brick ziegel mauerwerk backstein klinker masonry ladrill brique mattone mattoni alvenari "
     "metselwerk baksteen maconnerie muratura mamposteria murowan tegel_wand"},
    {WORD_NOTHING, WHOLE, "brick", "cegla cegly ceglany tijolo masn tegel tegl tiili kalksandstein"},
    {WORD_NOTHING, SHORT, "brick", "mw ks"},
    {WORD_NOTHING, WHOLE, "chipboard", "chipboard mdf spanplatte agglomere"},
    {WORD_NOTHING, WHOLE, "plywood", "plywood sperrholz contreplaque"},
    {WORD_NOTHING, PART, "wood", "wood holz timber houten drewn"},
    {WORD_NOTHING, WHOLE, "wood", "bois madera madeira legno hout trae traevaeg puu"},
    {WORD_NOTHING, PART, "glass",
     "glass glaswand glaswaende glastrenn glasfassad glasbaustein glastuer glasfront verglas glasscheid glasvaegg "
     "vitre "
     "vetrat vidrier glazen szklan steklan 玻璃 ガラス 유리"},
    {WORD_NOTHING, WHOLE, "glass",
     "glas glaz glazing glazed verre vidrio vidro vetro szklo curtain_wall curtainwall curt "
     "cwmg mur_rideau murs_rideaux muro_cortina facciata_continua storefront vliesgevel lasi"},
    {WORD_NOTHING, WHOLE, "glass", "greenhouse glasshouse conservatory gewaechshaus wintergarten"},
    {WORD_NOTHING, WHOLE, "metal",
     "metal metals steel metl stahl acier acero acciaio aco staal stal elevator lift aufzug ascenseur "
     "ascensor ascensore elevador aluminium aluminum alu evtr"},
    {WORD_NOTHING, WHOLE, "marble", "marble marmor stone granite marbre marmol marmo pierre piedra pietra pedra"},

    /* Things: what is written, drawn to explain, or put into a building. */
    {WORD_THING, WHOLE, NULL,
     "text txt texts annotation anno annot dimension dim dims dimen note notes symbol symb symbols title label tag "
     "tags iden "
     "identity legend legn logo viewport vport viewports defpoint defpoints nplt ttlb border bord sheet sheets "
     "schedule schd "
     "keynote detail detl grid axis axes centerline centreline center_line centre_line cntr revision rev revs cloud "
     "north "
     "redline refr image background xref frame_title leader mark marks marker elev elevation section sect cut_line"},
    {WORD_THING, WHOLE, NULL,
     "furniture furn furnishing equipment equip eqpm eqpt appliance appl fixture fixt pfix casework casd millwork mllw "
     "wdwk "
     "cabinet cupboard wardrobe shelf shelves shelving rack table desk chair seat seating sofa beds tv counter plant "
     "planting "
     "plnt tree landscape people person vehicle vehicles parking_lot curtain_rail wallpaper wallcover wallcovering "
     "carpet cpet"},
    {WORD_THING, WHOLE, NULL,
     "electrical elec electric electro power powr light lights lighting lite lamp luminaire switch socket outlet hvac "
     "mech "
     "mechanical duct plumbing plum plumb sanitary sanr sanit toilet_fixture wc_fixture sink basin bath_tub bathtub "
     "shower_tray "
     "sprinkler sprn pipe piping cable conduit tray smoke detector alarm sensor binary_sensor device camera cctv "
     "thermostat "
     "climate media router access_point wifi data_point comm radiator heater heating cooling"},
    {WORD_THING, WHOLE, NULL,
     "direction speed gust bearing swing swings handle sill sills lintel handrail hral railing rail balustrade reveal "
     "skirting "
     "mirror panel_sign sign signs arrow"},
    {WORD_THING, HEAD, NULL,
     "schrift beschriftung beschriftungen bemassung bemassungen masskette massketten masslinie masslinien stempel "
     "notiz notizen "
     "legende rahmen plankopf nordpfeil symbol symbole hilfslinie hilfslinien achse achsen raster moebel moeblierung "
     "einrichtung inventar schrank schraenke regal regale tisch tische stuhl stuehle bett heizkoerper leuchte leuchten "
     "lampe "
     "lampen beleuchtung bank brett griff nummer nummern hoehe hoehen verkleidung belag fliesen pflanze pflanzen "
     "baeume "
     "gelaender text texte linie linien"},
    {WORD_THING, WHOLE, NULL,
     "bemass mass masse moebl elt elektro elektrik elektr sanitaer sanitaerobjekte heizung lueftung ansicht schnitt "
     "hinweis baum "
     "einbauten wandputz putz hydrant clock paint lock opener blind blinds shutter shutters rollladen jalousie volet "
     "volets persiana persianas"},
    {WORD_THING, WHOLE, NULL, /* what is torn down */
     "demo demol demolish demolished demolition demolitions abbruch abriss demolir demoler demolicion demolizione "
     "demolizioni demolicao slopen sloop wyburzenia wyburzenie rivning rives"},
    {WORD_THING, WHOLE, NULL,
     "texte textes cotation cotations cote cotes cot mobilier meuble meubles sanitaire sanitaires electricite "
     "eclairage "
     "luminaires chauffage ventilation cvc plomberie cartouche cadre axe axes trame grille legende nord symbole "
     "symboles "
     "vegetation arbre arbres equipement equipements radiateur radiateurs garde_corps annotations coupe"},
    {WORD_THING, WHOLE, NULL,
     "texto textos cota cotas acotado acotacion mobiliario mueble muebles sanitario sanitarios electricidad electricas "
     "iluminacion "
     "luminaria luminarias clima climatizacion fontaneria rotulo rotulos cajetin marco eje ejes rejilla leyenda norte "
     "simbolo "
     "simbolos vegetacion arbol arboles equipo equipos instalaciones barandilla"},
    {WORD_THING, WHOLE, NULL,
     "testo testi quota quote quotatura quotature arredo arredi mobili sanitari impianto impianti elettrico "
     "illuminazione cartiglio "
     "squadratura asse assi griglia simboli verde alberi ringhiera"},
    {WORD_THING, WHOLE, NULL,
     "mobilia moveis movel loucas louca eletrica eletrico iluminacao hidraulica carimbo margem eixo eixos malha "
     "legenda "
     "vegetacao arvore arvores equipamento equipamentos guarda_corpo"},
    {WORD_THING, WHOLE, NULL,
     "tekst teksten maatvoering maat maten meubel meubels meubilair inrichting sanitair elektra verlichting verwarming "
     "installatie installaties kader onderhoek stramien stramienen noordpijl symbolen bomen leuning"},
    {WORD_THING, WHOLE, NULL,
     "opis opisy wymiar wymiary wymiarowanie meble sanitariaty elektryka oswietlenie instalacja instalacje tabelka "
     "ramka osie "
     "polnoc zielen drzewa"},
    {WORD_THING, WHOLE, NULL, "stem_wall footing footings footer footers"}, /* under the ground */
    {WORD_THING, WHOLE, NULL,
     "contact butor szoveg meret mobila cote_text mobilya yazi olcu aks mebel razmery tekst osi"},
    {WORD_THING, HEAD, NULL, "家具 文字 标注 标高 轴线 轴网 尺寸 填充 寸法 文字列 통심 가구 문자 치수 중심선"},
    {WORD_THING, WHOLE, NULL,
     "moebler inredning maatt moblering maal kalusteet kaluste teksti mitat nabytek koty popis"},

    /* Fillings of what the other words say. */
    {HATCHED, WHOLE, NULL,
     "hatch hatching patt pattern fill poche schraffur schraffuren hachure hachures sombreado rayado trama retino "
     "retini campitura "
     "hachuras arcering kreskowanie szrafura skravering insulation isol daemmung isolation aislamiento isolamento "
     "isolatie"},

    /* Walls. */
    {WORD_WALL, HEAD, NULL, "wall walls"},
    {WORD_WALL, WHOLE, NULL,
     "wal column colum cols col_s pillar pier partywall facade parapet_wall core shaftwall wallext wallint "
     "wallstandard ink"},
    {WORD_WALL, WHOLE, "plasterboard", "partition partitions prtn part_wall"},
    {WORD_WALL, WHOLE, "chipboard", "cubicle tptn"},
    {WORD_WALL, WHOLE, "glass", "curtain_wall curtainwall shopfront storefront mur_rideau murs_rideaux"},
    {WORD_WALL, HEAD, NULL,
     "wand waende wande mauer mauern fassade stuetze stuetzen saeule saeulen pfeiler vormauerung"},
    {WORD_WALL, HEAD, "brick", "mauerwerk"},
    {WORD_WALL, SHORT, "concrete", "stb voile voiles"},
    {WORD_WALL, SHORT, "brick", "mw ks"},
    {WORD_WALL, WHOLE, NULL, "mur murs paroi parois poteau poteaux refend refends facades murette pignon"},
    {WORD_WALL, WHOLE, "plasterboard", "cloison cloisons cloisonnement"},
    {WORD_WALL, WHOLE, NULL,
     "muro muros pared paredes tabique tabiques tabiqueria columna columnas pilar pilares fachada fachadas cerramiento "
     "cerramientos"},
    {WORD_WALL, WHOLE, NULL,
     "muri mura muratura murature parete pareti tramezzo tramezzi tramezza tramezze pilastro pilastri colonna colonne "
     "facciata "
     "facciate tamponamento tamponamenti divisorio divisori setto setti tramezzatura"},
    {WORD_WALL, WHOLE, NULL, "parede coluna colunas alvenaria alvenarias divisoria divisorias"},
    {WORD_WALL, HEAD, NULL, "muur muren wanden kolom kolommen gevel gevels"},
    {WORD_WALL, WHOLE, NULL,
     "sciana sciany scian scianka scianki scienne slup slupy elewacja dzialowa dzialowe nosna nosne"},
    {WORD_WALL, HEAD, NULL, "vaegg vaeggar vagg vaggar vaeg vaegge vegg vegger pelare soeyle"},
    {WORD_WALL, HEAD, NULL, "seinae seinaet seina seinat"},
    {WORD_WALL, WHOLE, "glass", "glasbaustein glasbausteine mampara mamparas"},
    {WORD_WALL, WHOLE, NULL, "pilari stena steny zed zdi zdivo pricka pricky sloup sloupy fal falak"},

    {WORD_WALL, WHOLE, NULL,
     "perete pereti zidarie duvar duvarlar kolon kolonlar zid zidovi stub stubovi oszlop valaszfal peregorodka "
     "peregorodki kolonna kolonny"},
    {WORD_WALL, HEAD, NULL, "墙 墙体 墙线 柱 柱子 牆 壁 間仕切 벽 벽체 기둥"},
    {WORD_WALL, WHOLE, "brick", "masonry"},
    {WORD_WALL, WHOLE, "concrete", "cmu"},
    {WORD_WALL, WHOLE, "plasterboard", "gwb trockenbau gipskarton"},
    {WORD_WALL, WHOLE, NULL, "ytong porenbeton"},

    /* Windows. */
    {WORD_WINDOW, HEAD, "glass",
     "window windows fenster fensterband fensterbaender fensterscheibe fensterscheiben fensterfluegel verglasung "
     "glasfront foenster fonster vindue vinduer vindu ramen venster"},
    {WORD_WINDOW, WHOLE, "glass",
     "glaz glazing wdw wndw windo fenetre fenetres baie_vitree baies_vitrees vitrage vitrages vitrine vitrines vitre "
     "vitres chassis "
     "menuiserie_exterieure menuiseries_exterieures menuiserie_ext menuiseries_ext"},
    {WORD_WINDOW, WHOLE, "glass",
     "ventana ventanas ventanal ventanales vidriera vidrieras acristalamiento finestra finestre serramento serramenti "
     "infisso "
     "infissi vetrata vetrate janela janelas esquadria portafinestra portefinestre esquadrias envidracado caixilharia "
     "caixilho caixilhos raam vensters "
     "beglazing kozijn "
     "kozijnen "
     "pui puien schuifpui raamkozijn raamkozijnen ikkunaovi okno okna okien okienne ikkuna ikkunat glasparti"},
    {WORD_WINDOW, WHOLE, "glass",
     "ablak ablakok fereastra ferestre pencere pencereler cam camlar prozor prozori vitraz vitrazi"},
    {WORD_WINDOW, HEAD, "glass", "窗 窗户 窗线 窓 サッシ 창 창문 창호"},
    {WORD_WINDOW, SHORT, "glass", "wind win fn fen fenst baie baies vidrios vidros glaeser"},

    /* Doors, and openings. */
    {WORD_DOOR, HEAD, "wood", "door doors tuer tueren deur deuren doerr doerrar dorr dorrar doer dor"},
    {WORD_DOOR, WHOLE, "wood",
     "doorway gate porte portes huisserie puerta puertas porton porta porte portone portoni portas portao portoes "
     "drzwi brama bramy "
     "dorer doerer ovi ovet dvere tuere deurkozijn deurkozijnen"},
    {WORD_DOOR, HEAD, "wood", "rolltor rolltore garagentor garagentore schiebetor sektionaltor"},
    {WORD_DOOR, WHOLE, "wood", "doere ajto ajtok usa usi kapi kapilar vrata dver dveri vorota"},
    {WORD_DOOR, HEAD, "wood", "门 門 ドア 扉 문"},
    {WORD_DOOR, SHORT, "wood", "tor tore dr drs"},
    {WORD_OPENING, HEAD, NULL, "opening openings oeffnung oeffnungen durchgang durchgaenge durchbruch durchbrueche"},
    {WORD_OPENING, WHOLE, NULL,
     "opng ouverture ouvertures abertura aberturas hueco huecos vano vanos vani apertura aperture vao vaos sparing "
     "sparingen otwor "
     "otwory head jamb"},

    /* Places, and what lies over or under the cut. */
    {WORD_PLACE, WHOLE, NULL,
     "floor flor ceiling clng roof stair stairs strs ramp slab beam site room space spcl spce zone area level levl "
     "kitchen "
     "bathroom bedroom hall lobby corridor garage balcony terrace elevator lift evtr park parking car skylight fndn "
     "foundation "
     "conv truss rafter joist jois brac bracing overhead ovhd ovhead stru road street sidewalk fence people_flow tpth "
     "frame mass"},
    {WORD_PLACE, HEAD, NULL,
     "raum raeume zimmer flaeche flaechen decke decken boden boeden treppe treppen dach daecher geschoss bad kueche "
     "flur aufzug "
     "unterzug unterzuege balken rampe balkon terrasse umriss"},
    {WORD_PLACE, WHOLE, NULL,
     "sol sols plafond plafonds escalier escaliers toiture toit piece pieces local locaux surface surfaces niveau "
     "etage dalle dalles "
     "poutre poutres ascenseur suelo suelos techo techos escalera escaleras cubierta cubiertas habitacion habitaciones "
     "sala "
     "superficie superficies nivel planta forjado forjados viga vigas cocina bano ascensor"},
    {WORD_PLACE, WHOLE, NULL,
     "pavimento pavimenti soffitto soffitti scala scale copertura coperture tetto stanza stanze locale locali "
     "superfici piano solaio "
     "solai trave travi cucina bagno ascensore piso pisos teto forro escada escadas cobertura telhado ambiente "
     "ambientes laje lajes "
     "cozinha banheiro elevador"},
    {WORD_PLACE, WHOLE, NULL,
     "vloer vloeren dak ruimte ruimten ruimtes kamer oppervlakte balk keuken trap trappen podloga sufit schody "
     "pomieszczenie "
     "pomieszczenia pokoj powierzchnia strop belka golv tak trappa rum lattia katto portaat podlaha strecha"},

    /* Words beside others that change nothing; they are here so that a short one between them counts. */
    {WORD_NOTHING, WHOLE, NULL,
     "ext int exterior interior external internal extern intern outer inner new old exist existing full half prht high "
     "low main std "
     "aussen innen neu alt bestand tragend tragende nichttragend exterieur exterieure interieur porteur porteurs "
     "portant esterno interno "
     "esterni interni portante exteriores interiores novo nova buiten binnen dragend zewn wewn zewnetrzne wewnetrzne "
     "layer arch "
     "architecture str fire acoustic move ug eg og dg kg cm mm plan grundriss bldg bat batiment indoor outdoor "
     "indoors outdoors"},
};
enum { ROW_COUNT = sizeof TABLE / sizeof TABLE[0], WORD_SIZE = 40, LONG_WORD = 4 };

/* ---- folding ----------------------------------------------------------------------------------------------------- */

/* From U+00C0 on: one letter each; the umlauts and ligatures that are two letters are dealt with before. */
static const char LATIN[] = "AAAAAAACEEEEIIIIDNOOOOO OUUUUYTsaaaaaaaceeeeiiiidnooooo ouuuuyty"
                            "AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIiJjJjKkkLlLlLlLlLlNnNnNnnNnOoOoOoOo"
                            "RrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs";

/* From U+0410 on, capital and small alike, as the table's words have them. */
static const char *const CYRILLIC[] = {"a", "b", "v", "g", "d", "e", "z", "z", "i", "i", "k", "l", "m", "n", "o", "p",
                                       "r", "s", "t", "u", "f", "h", "c", "c", "s", "s", "",  "y", "",  "e", "u", "a"};

/* The code point at *at, which goes on; bytes that are no UTF-8 are Latin-1. */
static uint32_t code_point_next(const unsigned char **at)
{
    const unsigned char *c = *at;
    int more = c[0] >= 0xf0 ? 3 : c[0] >= 0xe0 ? 2 : c[0] >= 0xc2 ? 1 : 0;
    uint32_t point = more == 0 ? c[0] : c[0] & (0x3fU >> more);
    for (int n = 1; n <= more; n++) {
        if ((c[n] & 0xc0) != 0x80) {
            *at = c + 1;
            return c[0];
        }
        point = point << 6 | (c[n] & 0x3f);
    }
    *at = c + more + 1;
    return point;
}

/* Signs of Chinese, Japanese and Korean stay what they are. */
static size_t sign_bytes(uint32_t point, char letters[4])
{
    letters[0] = (char)(0xe0 | point >> 12);
    letters[1] = (char)(0x80 | (point >> 6 & 0x3f));
    letters[2] = (char)(0x80 | (point & 0x3f));
    return 3;
}

static size_t letters_of(uint32_t point, char last, char letters[4])
{
    const uint32_t first = 0xc0, combining = 0x300, combining_end = 0x36f, diaeresis = 0x308;
    const uint32_t cyrillic = 0x410, cyrillic_end = 0x44f, kana = 0x3040, hangul_end = 0xd7a3;
    if (point >= cyrillic && point <= cyrillic_end) {
        const char *letter = CYRILLIC[(point - cyrillic) % 32];
        const size_t length = strlen(letter);
        memcpy(letters, letter, length);
        letters[0] = point < cyrillic + 32 ? (char)toupper((unsigned char)letter[0]) : letter[0];
        return length;
    }
    if (point >= kana && point <= hangul_end) {
        return sign_bytes(point, letters);
    }
    if (point >= 0x218 && point <= 0x21b) { /* s and t with a comma */
        letters[0] = "SsTt"[point - 0x218];
        return 1;
    }
    if (point < 0x80) {
        letters[0] = (char)point;
        return 1;
    }
    if (point >= combining && point <= combining_end) { /* an accent of its own behind its letter */
        letters[0] = isupper((unsigned char)last) != 0 ? 'E' : 'e';
        return point == diaeresis && strchr("aouAOU", last) != NULL;
    }
    if (point < first || point >= first + sizeof LATIN - 1) {
        letters[0] = ' ';
        return 1;
    }
    letters[0] = LATIN[point - first];
    letters[1] = point == 0xdf ? 's' : 'e'; /* sharp s, and a, o, u with two dots, ae, oe and the crossed o */
    const uint32_t small = point & ~0x20U;
    bool two = point == 0xdf ||
               (point <= 0xff && (small == 0xc4 || small == 0xc6 || small == 0xd6 || small == 0xd8 || small == 0xdc)) ||
               point == 0x152 || point == 0x153;
    return two ? 2 : 1;
}

/* Whether a word ends between two letters: "extWall", and "ACWall" before its last capital. */
static bool word_ends(char before, char here, char next)
{
    return isupper((unsigned char)here) != 0 &&
           (islower((unsigned char)before) != 0 ||
            (isupper((unsigned char)before) != 0 && islower((unsigned char)next) != 0));
}

static void name_fold(const char *name, char text[NAME_TEXT_SIZE])
{
    char plain[NAME_TEXT_SIZE / 2];
    size_t count = 0, used = 0;
    for (const unsigned char *at = (const unsigned char *)name; *at != '\0' && count + 4 < sizeof plain;) {
        char letters[4];
        size_t made = letters_of(code_point_next(&at), count > 0 ? plain[count - 1] : ' ', letters);
        if (made == 2 && isupper((unsigned char)letters[0]) != 0 && islower(*at) == 0) {
            letters[1] = (char)toupper((unsigned char)letters[1]); /* "TÜR" is one word */
        }
        memcpy(plain + count, letters, made);
        count += made;
    }
    plain[count] = '\0';
    text[used++] = ' ';
    for (size_t n = 0; n < count; n++) {
        bool letter = isalpha((unsigned char)plain[n]) != 0 || ((unsigned char)plain[n] & 0x80) != 0;
        bool ends = !letter || (n > 0 && word_ends(plain[n - 1], plain[n], plain[n + 1]));
        if (ends && text[used - 1] != ' ') {
            text[used++] = ' ';
        }
        if (letter) {
            text[used++] = (char)tolower((unsigned char)plain[n]);
        }
    }
    if (text[used - 1] != ' ') {
        text[used++] = ' ';
    }
    text[used] = '\0';
}

/* ---- finding ----------------------------------------------------------------------------------------------------- */

/* The next word of a row, with blanks for '_'; false after the last. */
static bool row_word(const char **words, char word[WORD_SIZE])
{
    size_t length = strcspn(*words, " ");
    snprintf(word, WORD_SIZE, "%.*s", (int)length, *words);
    for (char *c = word; *c != '\0'; c++) {
        *c = (char)(*c == '_' ? ' ' : *c);
    }
    *words += length + strspn(*words + length, " ");
    return length > 0;
}

/* Whether the word stands in the text in this form. "indoor" and "outdoor" are no doors. */
static bool word_is_there(const char *text, const char *word, enum word_form form)
{
    const size_t length = strlen(word);
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
        const char *end = at + length;
        bool plural = length >= LONG_WORD && end[0] == 's' && end[1] == ' ';
        bool begins = at[-1] == ' ', closes = *end == ' ' || plural;
        bool indoor = strcmp(word, "door") == 0 && !begins &&
                      (strncmp(at - 2, "in", 2) == 0 || (at - text >= 3 && strncmp(at - 3, "out", 3) == 0));
        if (form == PART || (closes && (begins || (form == HEAD && !indoor)))) {
            return true;
        }
    }
    return false;
}

static bool row_is_there(int row, const char *text)
{
    char word[WORD_SIZE];
    for (const char *words = TABLE[row].words; row_word(&words, word);) {
        if (word_is_there(text, word, TABLE[row].form)) {
            return true;
        }
    }
    return false;
}

/* Whether every word of the text is in the table, or a single letter. */
static bool all_are_known(const char *text)
{
    for (const char *at = text + 1; *at != '\0';) {
        char alone[NAME_TEXT_SIZE];
        size_t length = strcspn(at, " ");
        bool known = length <= 1;
        snprintf(alone, sizeof alone, " %.*s ", (int)length, at);
        for (int row = 0; row < ROW_COUNT && !known; row++) {
            known = row_is_there(row, alone);
        }
        if (!known) {
            return false;
        }
        at += length + 1;
    }
    return true;
}

/* Behind the last mark of an external reference. */
static const char *layer_alone(const char *name)
{
    const char *layer = name;
    for (const char *c = name; *c != '\0'; c++) {
        size_t digits = *c == '$' ? strspn(c + 1, "0123456789") : 0;
        if (*c == '|' && c[1] != '\0') {
            layer = c + 1;
        } else if (digits > 0 && c[1 + digits] == '$' && c[2 + digits] != '\0') {
            layer = c + digits + 2;
        }
    }
    return layer;
}

struct name_sense name_sense_of(const char *name)
{
    char text[NAME_TEXT_SIZE];
    const char *explicit = NULL, *usual[WORD_MEANINGS] = {NULL};
    struct name_sense sense = {.meaning = WORD_NOTHING};
    name = layer_alone(name);
    name_fold(name, text);
    char *plan = strstr(text, " floor plan "); /* a drawing of everything, and no floor */
    if (plan != NULL) {
        memset(plan, ' ', strlen(" floor plan "));
    }
    int known = -1; /* whether all words are: looked for when it matters */
    for (int row = 0; row < ROW_COUNT; row++) {
        if (!row_is_there(row, text)) {
            continue;
        }
        if (TABLE[row].form == SHORT) {
            known = known < 0 ? all_are_known(text) : known;
            if (known == 0) {
                continue;
            }
        }
        const int meaning = TABLE[row].meaning;
        const char **material = meaning < WORD_NOTHING ? &usual[meaning] : &explicit;
        *material = *material == NULL ? TABLE[row].material : *material;
        sense.hatched = sense.hatched || meaning == HATCHED;
        sense.meaning = meaning < (int)sense.meaning ? (enum word_meaning)meaning : sense.meaning;
    }
    class_code_read(name, sense.meaning == WORD_NOTHING || sense.meaning == WORD_PLACE, &sense);
    if (sense.meaning == WORD_WINDOW && explicit != NULL && strstr(explicit, "glass") == NULL) {
        explicit = NULL; /* of the frame */
    }
    sense.material = explicit != NULL ? explicit : sense.material != NULL ? sense.material : usual[sense.meaning];
    return sense;
}
