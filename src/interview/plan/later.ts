/**
 * What a candidate says who goes on another time: "I'll finish tonight, ok?", «можно продолжу завтра?». Every
 * function takes a text as `normalised` in phrases.ts makes it. As with wishes to skip, a message is one
 * when nothing else is in it: polite words, and one of these forms or several.
 */

/** Longer than any such wish, so that long answers are not searched for one. */
const LONGEST = 160;

/** The text is nothing but a wish to go on another time. `isAsked`: code has just asked "stop or later?". */
export function isLaterWish(plain: string, isAsked = false): boolean {
  if (plain.length > LONGEST) return false;
  return LATER.test(plain) || (isAsked && BARE.test(plain));
}

/** The text is nothing but word that the candidate is back: it answers no question. */
export function isBackWord(plain: string): boolean {
  return plain.length <= LONGEST && BACK.test(plain);
}

const POLITE_EN =
  "please|pls|thanks|thank you|sorry|ok|okay|well|hm+|um+|uh+|hi|hello|hey|if possible|if you don't mind|(?:if|is) (?:that|it)(?:'s| is)? (?:ok|okay|fine|alright|all right|possible)(?: with you)?|(?:is|would) (?:that|it) (?:be )?(?:ok|okay|fine|alright|all right|possible)(?: with you)?|alright|all right|right|actually|unfortunately|i'm afraid|but|and|so|then|just|good|great|fine|bye|goodbye|see you|good night|have a (?:good|nice) (?:day|evening|night)|cheers";
const DAYS_EN = '(?:mon|tues|wednes|thurs|fri|satur|sun)day';
const MONTHS_EN =
  '(?:january|february|march|april|may|june|july|august|september|october|november|december)';
const NUMBERS_EN =
  '(?:an?|one|two|three|four|five|six|seven|ten|\\d{1,2}|half an|a few|a couple of|several)';
/** Times of today and tomorrow. */
const NEAR_EN = [
  '(?:a (?:bit|little) )?later(?: on)?',
  'tonight|today|tomorrow|soon|(?:the )?day after tomorrow',
  '(?:(?:this|in the|that) )?(?:morning|afternoon|evening|night)',
  `(?:(?:in|after) )?${NUMBERS_EN} (?:minutes?|mins?|hours?)(?: or (?:so|two))?`,
  '(?:at|around|by|after) \\d{1,2}(?: \\d\\d)?(?: ?[ap] ?m)?',
  'after (?:(?:my|the|a|this) )?(?:lunch|dinner|breakfast|work|school|class|classes|meeting|meetings|call|shift|break|gym|that)',
  "(?:when|once|as soon as) i(?:'m| am| get| come| have)(?: back)? (?:home|back|free|done|time|there)",
];
const FAR_EN = [
  '(?:(?:on|over|at|after) )?(?:the|this|next) (?:weekend|week|month|holidays?)',
  `(?:(?:on|next|this) )?${DAYS_EN}s?`,
  `(?:on )?(?:the )?\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${MONTHS_EN}|(?:on )?${MONTHS_EN}(?: the)? \\d{1,2}(?:st|nd|rd|th)?`,
  `(?:(?:in|after) )?${NUMBERS_EN} (?:days?|weeks?)(?: or (?:so|two))?`,
  'another (?:time|day)|some other (?:time|day)',
];
const SOME_EN =
  '(?:(?:until|till|by|around|maybe|perhaps|probably|sometime|some time|right|first thing) )?';
const SOON_EN = `${SOME_EN}(?:${NEAR_EN.join('|')})`;
const AT_EN = `${SOME_EN}(?:${[...NEAR_EN, ...FAR_EN].join('|')})`;
const OPEN_EN =
  "(?:(?:i'll|i will|i'm going to|i am going to|i'd like to|i would like to|i want to|i need to|i have to|i'll have to|i'd rather|i would rather|i'd prefer to|i prefer to|i'll try to|i can|i could|i may|i might|i'm able to|will|i'm gonna|let me|let's|lets|let us|can i|could i|may i|can we|could we|may we|shall we|should we|we can|we could|(?:is it|is that|would it be) (?:ok|okay|fine|possible|alright|all right) (?:to|if i|if we)|(?:do you |would you )?mind if (?:i|we)|(?:ok|okay|fine) if (?:i|we)|please let me)(?: please| just| also| maybe)?)";
const IT_EN =
  '(?:this|it|that|here|off|there|(?:with )?(?:the|this|our) (?:interview|rest|questions?|conversation|chat)|with (?:this|it|that|you)|to (?:this|it|that|you|the (?:interview|questions?|rest))|my answers?|answering|the rest(?: of (?:it|this|the interview|the questions|my answers))?|from (?:here|there|home)|up)';
const GO_ON_EN = `(?:(?:continue|go on|carry on|resume|come back|get back|be back|answer|reply|respond)(?: ${IT_EN}){0,3}|(?:finish|complete|pick|write)(?: ${IT_EN}){1,3})`;
/** "I'll finish on Friday" may be an answer; "I'll finish tonight" is none. */
const FINISH_EN = '(?:finish|complete it|write)';
const BREAK_EN = 'an? (?:short |little |quick )?(?:pause|break)';
const PAUSE_EN = `(?:pause|(?:take|have|make|get|need) ${BREAK_EN}|stop|leave it|reschedule|postpone)(?: (?:this|here|it|there|the interview))*`;
const LEAVE_EN =
  "(?:(?:i )?(?:have to|need to|gotta|must|got to)|i've got to) (?:go|run|leave)(?: (?:to|for|into) (?:(?:a|the|my) )?(?:work|bed|sleep|meeting|school|class|call|lunch|dinner))?(?: now| right now)?";
const BUSY_EN = [
  "(?:(?:i'm|i am) )?(?:going|off) (?:to|for|into) (?:(?:a|the|my) )?(?:work|bed|sleep|meeting|school|class|call|lunch|dinner)",
  "(?:i'm|i am) (?:(?:so|very|too) )?(?:tired|exhausted|sleepy)",
  "(?:(?:i'm|i am) (?:busy|at work|driving|in a meeting|in a hurry|on the road|on a call)|(?:i )?(?:don't|do not) have (?:(?:any|the|much) )?time|no time)(?: right)? (?:now|today|at the moment)",
].join('|');
const EN = [
  `(?:${OPEN_EN} )?(?:${GO_ON_EN}|${PAUSE_EN})(?: ${AT_EN}){1,4}`,
  `(?:${OPEN_EN} )?${FINISH_EN}(?: ${SOON_EN}){1,3}`,
  `(?:${AT_EN} ){1,3}(?:${OPEN_EN} )?${GO_ON_EN}(?: ${AT_EN}){0,3}`,
  `(?:${SOON_EN} ){1,3}${OPEN_EN} ${FINISH_EN}`,
  `(?:(?:can|could|may|shall) (?:i|we)|let's|lets|let us|let me) do (?:this|it|that|the rest|the interview)(?: ${AT_EN}){1,3}`,
  "(?:i will|i'll) do (?:this|it|that|the rest) later",
  `(?:i'll|i will) (?:get|come) back to (?:this|it|that|you)`,
  `(?:${OPEN_EN} (?:pause|reschedule|postpone|(?:take|have|make|get) ${BREAK_EN})|pause|(?:i )?need ${BREAK_EN})(?: (?:this|here|it|the interview))*(?: for (?:now|today))?`,
  `(?:${OPEN_EN} )?(?:stop|that's it|that's all|enough)(?: (?:here|it|there|the interview))* for (?:now|today)`,
  `(?:talk|back|speak|chat|write|see you|talk to you|speak to you)(?: (?:here|again))?(?: ${AT_EN}){1,3}`,
  LEAVE_EN,
  BUSY_EN,
];

const POLITE_RU =
  'пожалуйста|плиз|спасибо|извините|простите|сорри|ок|окей|хорошо|ладно|ну|эм+|хм+|здравствуйте|привет|добрый (?:день|вечер)|если можно|если возможно|(?:если )?(?:вы )?не против|можно|ничего|нормально|договорились|да|а|но|и|то|тогда|просто|только|лучше|к сожалению|до свидания|до встречи|(?:доброй|спокойной) ночи|хорошего (?:дня|вечера)|пока|если что';
const DAYS_RU = '(?:понедельник|вторник|сред[уы]|четверг|пятниц[уы]|суббот[уы]|воскресень[ея])';
const MONTHS_RU =
  '(?:января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря)';
const NUMBERS_RU =
  '(?:один|одну|два|две|три|четыре|пять|шесть|семь|десять|\\d{1,2}|пару|несколько|полтора)';
const NEAR_RU = [
  '(?:(?:чуть|немного) )?(?:позже|попозже|позднее)|потом',
  'сегодня|вечером|вечерком|ночью|утром|днем|завтра|послезавтра|к вечеру|к ночи|с утра',
  'после (?:обеда|работы|ужина|завтрака|встречи|созвона|занятий|пар|учебы|смены|перерыва|этого)',
  `через (?:${NUMBERS_RU} )?(?:минут(?:у|ы|ок)?|час(?:а|ов|ик)?|полчаса)`,
  '(?:в|к|после|около) \\d{1,2}(?: \\d\\d)?(?: (?:утра|дня|вечера|час(?:а|ов)?))?',
  'до (?:завтра|вечера|утра|завтрашнего дня)',
  '(?:когда|как) (?:только )?(?:буду|вернусь|освобожусь|приеду|приду|доеду|доберусь)(?: дома| домой| до дома)?',
];
const FAR_RU = [
  `через (?:${NUMBERS_RU} )?(?:день|дня|дней|денек|недел(?:ю|и|ь)|недельку|месяц)`,
  `(?:в|во|на|до|к|с) (?:(?:следующ(?:ий|ую|ее)|эт(?:от|у|о)|ближайш(?:ий|ую|ее)) )?${DAYS_RU}`,
  `(?:(?:до|к|после) )?\\d{1,2}(?: го)? ${MONTHS_RU}`,
  '(?:на|в|до|к|после) (?:(?:следующей|этой|той) неделе|(?:(?:следующих|этих) )?(?:выходных|выходные|праздников|праздниках))',
  '(?:в|как нибудь в) другой (?:раз|день)|в другое время',
];
const SOME_RU = '(?:(?:уже|может быть|может|наверное|где то|ближе) )?';
const SOON_RU = `${SOME_RU}(?:${NEAR_RU.join('|')})`;
const AT_RU = `${SOME_RU}(?:${[...NEAR_RU, ...FAR_RU].join('|')})`;
const OPEN_RU =
  '(?:(?:а )?(?:давайте|давай|можно|могу|можем|могли бы|хочу|(?:хотел|хотела|хотелось)(?: бы)?|смогу|сможем|постараюсь|попробую|планирую|предлагаю|разрешите|позвольте|лучше|придется|ничего если|нормально если|не против если|ок если|если)(?: ли)?|я(?: бы)?|мы|мне|нам)';
const IT_RU =
  '(?:это|его|интервью|собеседование|разговор|беседу|отвечать|остальное|ответы?|вопросы|здесь|тут|с вами|вам|отсюда|(?:к|на) (?:этому|это|интервью|собеседованию|разговору|остальное|остальные|остальным|вопросам|вопросу|вопросы|вопрос|нему|вам)(?: вопрос(?:ы|ам|у)?)?)';
const GO_ON_RU = `(?:(?:продолж(?:у|им|ить)|доделаю|доделать|доотвечу|допишу|дописать|дозаполню|допройду|ответ(?:ить|им)|отвечу|вернусь|вернемся|вернуться)(?: ${IT_RU}){0,3}|(?:законч(?:у|им|ить)|заверш(?:у|им|ить)|пройду|напишу|написать)(?: ${IT_RU}){1,3})`;
const FINISH_RU = '(?:законч(?:у|им|ить)|заверш(?:у|им|ить)|пройду|напишу|написать|отпишусь)';
const PAUSE_RU =
  '(?:(?:сделать|сделаем|сделаю|возьмем|взять|возьму|нужна|нужен|нужно сделать) (?:небольшую |небольшой |короткую |короткий )?(?:пауза|паузу|перерыв)|(?:поставим|поставить|поставлю)(?: (?:интервью|это))? на паузу|прервемся|прерваться|прервусь|прервать|прервем|отложим|отложить|перенесем|перенести)(?: (?:интервью|разговор|это|здесь))*';
const LEAVE_RU =
  '(?:мне )?(?:уже )?(?:надо|нужно|пора)(?: уже)? (?:идти|бежать|уйти|отойти|уходить|убегать|выходить|ехать|на (?:работу|встречу|созвон|учебу|пары|обед))|мне (?:уже )?пора|(?:я )?(?:побежал|побежала|убегаю|спешу|отойду|отхожу)';
const BUSY_RU =
  '(?:сейчас|сегодня)(?: я)? (?:не могу|не смогу|занята?|неудобно|нет времени|не получится|некогда|за рулем|на работе|на встрече)|(?:я )?(?:очень )?устала?|(?:я )?(?:занята?|не могу|неудобно|нет времени|некогда)(?: сейчас| сегодня)';
const RU = [
  `(?:${OPEN_RU} ){0,4}(?:${GO_ON_RU}|${PAUSE_RU})(?: ${AT_RU}){1,4}`,
  `(?:${OPEN_RU} ){0,4}${FINISH_RU}(?: ${SOON_RU}){1,3}`,
  `(?:можно|могу|можем|давайте)(?: ли)?(?: я| мы)? ${FINISH_RU}(?: ${AT_RU}){1,3}`,
  `(?:${OPEN_RU} ){0,4}(?:${AT_RU} ){1,3}(?:${OPEN_RU} ){0,2}(?:${GO_ON_RU}|${PAUSE_RU})(?: ${AT_RU}){0,3}`,
  `(?:${OPEN_RU} ){0,4}(?:${SOON_RU} ){1,3}(?:${OPEN_RU} ){0,2}${FINISH_RU}`,
  `(?:${OPEN_RU} ){0,3}${PAUSE_RU}|пауза|на паузу|перерыв`,
  '(?:(?:давайте|можно|лучше) ){1,2}(?:потом|позже|попозже|в другой раз|в другой день|в другое время)',
  'на сегодня (?:все|хватит|достаточно)|хватит на сегодня',
  'до (?:завтра|вечера|понедельника)',
  LEAVE_RU,
  BUSY_RU,
];
const LATER = onlyOf([...EN, ...RU], `${POLITE_EN}|${POLITE_RU}`);

/** A time alone, or "later", is an answer to most questions, but not to "stop, or go on another time?". */
const BARE = onlyOf(
  [AT_EN, AT_RU, 'pause|a (?:pause|break)|not now|not yet', 'пауза|перерыв|не сейчас|пока нет'],
  `${POLITE_EN}|${POLITE_RU}|no|нет|maybe`,
);

const BACK = onlyOf(
  [
    "(?:i'm|i am) (?:back|here|here again|back again|ready(?: to (?:continue|go on))?)",
    "(?:let's|lets|let us|can we|we can|i can|shall we|ready to) (?:continue|go on|carry on|resume)(?: now| the interview)?",
    '(?:я )?(?:вернулся|вернулась|тут|здесь|снова здесь|снова тут|на месте|готова?(?: продолжить| продолжать)?)',
    '(?:давайте |можем |можно |готовы? )?(?:продолжим|продолжить|продолжать|продолжаем)(?: сейчас| интервью)?',
  ],
  `${POLITE_EN}|${POLITE_RU}|again|снова|now|сейчас`,
);

/** A whole text of these forms and polite words, with a form at least. */
function onlyOf(forms: readonly string[], polite: string): RegExp {
  const form = `(?:${forms.join('|')})`;
  return new RegExp(`^(?:(?:${polite}) )*${form}(?: (?:${polite}|${form}))*$`, 'u');
}
