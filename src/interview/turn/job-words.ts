/**
 * The words by which a sentence of a reply is recognised as one about the company, the job or the process, in
 * English and Russian. An expression is matched with the words of a clause in lower case, without marks, with
 * a space around each; `~` stands for any ending.
 */
function words(...forms: readonly string[]): RegExp {
  const any = forms.join('|').replaceAll('~', String.raw`[\p{L}\p{N}'-]*`);
  return new RegExp(` (?:${any})(?= )`, 'u');
}

/** Conditions of a job, by what they are, so that "отпуск" is proven by "vacation". */
export const CONDITIONS: Readonly<Record<string, RegExp>> = {
  pay: words(
    ...['salar~', 'wages?', 'payroll', 'earn', 'earns', 'income', 'pay', 'pays', 'paid', 'gross'],
    'compensation(?= (?:is|package|here|of|for|range))',
    ...['зарплат~', 'зарабат~', 'заработ~', 'оклад~', 'доход~', 'платят', 'платится', 'оплачива~'],
    ...['выплачива~', 'выплат~', 'вилк~'],
  ),
  bonus: words(
    String.raw`bonus(?:es)?(?! (?:point|rule|calculation|program|level|round))`,
    String.raw`преми(?:я|и|ю|ей|й|ям|ями)(?! (?:рунета|за|имени))`,
    'бонусы?',
  ),
  equity: words(
    String.raw`equity(?! (?:deriv|product|pric|fund|market|trad|research))`,
    ...['(?:stock|share) options?', 'rsus?', 'опцион~'],
  ),
  leave: words(
    ...['vacations?', 'holidays?', 'days? off', '(?:sick|paid|parental|annual) leave', 'pto'],
    ...['отпуск~', 'отгул~', 'больничн~', 'декрет~', 'выходн(?:ые|ых|ым|ой)'],
  ),
  remote: words(
    String.raw`(?:remote|remotely|hybrid)(?! (?:procedure|call|server|node|host|machine|service|branch))`,
    ...['from home', 'home office', 'on-?site', 'offices?', 'удаленк~', 'удаленно', 'гибридн~'],
    String.raw`удаленн(?:ая|ой|ую|ые)(?! (?:вызов|сервер|узл|машин|хост))`,
    ...['офис~', 'из дома', 'дистанционн~'],
  ),
  relocation: words('relocat~', 'релокац~', 'переезд~'),
  permit: words(
    String.raw`visas?(?! (?:process|system|project|queue|application|cent))`,
    ...['sponsor~', 'work permits?', 'виз(?:а|ы|у|ой|е|ам|ами|ах)?', 'разрешени\\S* на работу'],
  ),
  insurance: words(
    '(?:health|medical|dental|life) (?:insurance|plan|cover)',
    ...['insurance (?:is|from|for you)', 'pensions?', 'дмс', 'страховк~', 'медицинск\\S* страх~'],
    ...['соцпакет~', 'пенси~'],
  ),
  hours: words(
    ...['overtime', 'on[ -]call', 'shifts?', 'working hours', 'full-?time', 'part-?time'],
    ...['переработ~', 'дежурств~', 'смен(?:а|ы|у|е|ой|ам|ами|ах)?', 'график~', 'занятост~', 'рабочий день', 'рабочее время'],
  ),
  probation: words('probation~', 'trial period', 'испытательн~'),
  contract: words('contracts?', 'permanent', 'freelanc~', 'бессрочн~', 'трудов\\S* договор~', 'договор (?:на|бессроч|сроч)~', 'самозанят~'),
  growth: words(
    ...['promotions?', 'promoted', 'training budget', 'career (?:path|growth)', 'pay rises?'],
    ...['повышени~', 'карьерн~', 'на обучение', 'обучение (?:за счет|оплач)~'],
  ),
  perks: words(
    ...['gym', 'lunch(?:es)?', 'snacks', 'parking', 'macbooks?', 'laptops?', 'perks', 'dress code'],
    '(?:company|great|our|good) benefits',
    ...['спортзал~', 'обед(?:ы|ов|ами)', 'парковк~', 'ноутбук~', 'льгот~', 'плюшк~', 'терраса', 'дресс-код~'],
  ),
  process: words(
    '(?:technical|second|third|final|next|last|panel|another|more) (?:interviews?|rounds?|stages?)',
    ...['next steps?', '(?:more|interview|further) rounds?', 'rounds of interviews?', 'test task', 'take-?home', 'trial day', 'job offer', 'an? offer'],
    ...['(?:reference|background) checks?', 'founders?', 'start date', 'headcount', 'hiring process'],
    ...['(?:техническ|следующ|втор|финальн|очн)\\S* (?:интервью|этап|собеседовани|встреч)~', 'оффер~'],
    ...['тестов\\S* задани~', 'этап(?:а|ов)?', 'основател~', 'сделают предложение', 'дата выхода'],
  ),
  requirement: words('required', 'mandatory', 'a must', 'обязател(?:ен|ьна|ьны|ьным|ьной)'),
};

/** Days by their names: each is a claim of its own. */
export const DAYS = /(?<= )(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|tomorrow|next week|this week|понедельник\S*|вторник\S*|четверг\S*|пятниц\S*|суббот\S*|воскресень\S*|завтра|(?:на )?следующей неделе|(?:на )?этой неделе|(?:january|february|april|june|july|september|october|november|december)|(?:январ|феврал|апрел|июн|июл|август|сентябр|октябр|ноябр|декабр)\S*|марта?|ма[яе])(?= )/gu;

/** The company speaks of itself, or it is named. */
export const OURS = words(
  ...['we', "we'(?:re|ll|ve|d)", 'us', 'ours?'],
  '(?:this|the) (?:role|job|position|vacancy|company|employer|firm|team) (?:here|is (?:open|based)|pays|requires|offers|has)',
  ...['(?:this|our) (?:role|job|position|vacancy|company)', '(?:in|for|of) the (?:role|position|vacancy)'],
  ...['(?:every(?:one|body)|all) (?:here|gets?|has|receives|works)', 'hr', 'recruiters?'],
  ...['you would replace', 'the (?:role|position|vacancy)'],
  ...['мы', 'нас', 'нам', 'нами', 'наш~', '(?:эт|данн)\\S+ (?:роли?|должност|вакансии|позици|компани)~'],
  ...['все работают', 'всем (?:выдают|дают|платят)', 'рекрутер~', 'вакансия'],
  ...['(?:платим|берем|ждем|даем|ищем|возим|ценим)', '[\\p{L}]{3,}(?:аем|яем|уем)'],
);

/** Nouns that may be the company's or the candidate's own. */
export const TEAM = words(
  '(?:the|this) (?:\\S+ )?(?:team|company|firm|employer|department|managers?|lead|boss|product|stack|job|office|ceo|cto)',
  ...["there(?:'s| is| are)(?! (?:no|nothing|anything))", '(?<=^ )(?:this |the )?(?:job|work) (?:is|has)', '(?<=^ )работа(?! над| с )', 'команд~', 'компани~', 'руководител~', 'штат(?:е|а)', 'кандидат~', 'candidates?', 'отдел(?:е|а)?'],
);

/** In the job, or in this conversation. */
export const HERE = words('here', 'здесь', 'тут');

/** The candidate's own team or company. */
export const OWN_TEAM = words(
  'your (?:\\S+ )?(?:team|company|firm|department|managers?|lead|boss|product|stack|job|office|ceo|cto)',
  'ваш\\S* (?:\\S+ )?(?:команд|компани|руководител|отдел)~',
);

/** The candidate did or does it. */
export const BY_CANDIDATE = words(
  // "Сравнили" without a subject is said to the candidate.
  String.raw`(?!(?:если|или|недели|цели|роли|модели|доли) )\p{L}{3,}ли(?:сь)?`,
  ...['it', 'this', 'them', 'both'],
 'you', "you'(?:ve|d)", 'вы', 'вами', 'у вас', 'за вами', 'на вас');

/** Said of a job by a candidate who wants it confirmed: "So the salary is 5,000". */
export const SUPPOSED = words(
  ...['so', 'then', 'suppose', 'guess', 'assume', 'heard', 'read', 'is', 'are', 'right', 'correct'],
  ...['то есть', 'значит', 'видимо', 'наверное', 'вроде', 'верно', 'правильно', 'понимаю', 'кажется'],
);

/** What happens next, and that the candidate is in or out: never the candidate's own words. */
export const PROMISES = words(
  "(?:will|'ll|shall|going to|can) (?:also )?(?:contact|call|reply|respond|get back|reach out|be in touch|let you know|write to you|email|invite|send you|hear)",
  ...["you'll hear", 'let you know', 'let (?:nora|the team|them|hr) know', '\\S+ will (?:decide|call|contact)'],
  "i(?:'ll| will| can)? (?:promise|guarantee|assure|offer|confirm|forward|pass (?:this|it|you|your)|tell|recommend|make sure)",
  ...['i passed (?:it|this) on', '(?:you are|you\'re) (?:hired|in(?= $)|through|accepted|selected|shortlisted)'],
  ...['you (?:have )?(?:passed|made it)', 'you (?:have|got|have got) the job', '(?:hire|hiring) you', 'welcome (?:aboard|to (?:the|our))'],
  ...['(?:answer|reply|offer|decision|email|result|feedback)s? (?:will|would) (?:come|be|arrive)', 'roadmap'],
  ...['your (?:application|candidacy)', 'interview (?:has|takes|lasts|consists)', 'congratulations(?! on)', '(?:great|good|perfect|strong|strongest|best|ideal|top) (?:fit|match|candidate|applicant)', '(?:сильнейш|лучш|идеальн)\\S* кандидат~', 'your chances'],
  ...['no (?:influence|effect|impact) on', 'influence the decision', 'finish now'],
  ...['interview is (?:over|finished|complete)', 'we are done', 'within (?:\\S+ )?(?:business )?days of'],
  ...['(?:с вами )?свяж\\S+', 'отвечу', 'ответ(?:ят|им)', 'перезвон\\S+', '(?:по)?звон(?:ит|ят|им)', 'напишут'],
  ...['сообщ(?:ит|ат|им|у)', 'пришл(?:ют|ем)', 'приглас(?:ят|им)', 'рассмотр(?:ят|им)', 'передам', 'передадим'],
  ...['обещаю', 'гарантирую', 'уточню у', 'запланирован\\S*', '(?:ответ|результат) будет', '(?:ответ|письмо|отзыв|предложение|приглашение) (?:вам )?придет', 'вам придет', 'ждите', 'впереди (?:еще )?', '(?:expect|wait for) (?:an?|the|our)', 'дадут знать', 'дадим знать', 'подтверждаю'],
  ...['вы (?:нам )?(?:приняты|подходите|прошли|наняты|справились)', 'что вы справились', 'вас (?:берем|возьмут|приняли|примут|выберут|выбрали)'],
  ...['добро пожаловать', 'поздравля\\S+(?! с)', 'ваши шансы', 'на решение \\S* ?не', 'не повлияет'],
  ...['решение (?:принима\\S+|примут|будет)', 'место \\S+ \\S+ (?:\\S+ )?свободн\\S+', 'интервью (?:окончено|завершено)'],
);

/** What the candidate will do or get in the job. */
export const IN_THE_JOB = words(
  "(?:you will|you'll|you would|you'd|you can|you may|you are going to|you're going to|you should) (?:be |also |then |have to |then be )*(?:get|receive|meet|report|reporting|join|joining|working|paid|manage|managing|lead|leading|own|owning|responsible|earn|talk to|speak|move|relocate|replace|expect|have|told|asked|invited|contacted|called)",
  'you (?:can|may) (?:\\S+ ){0,4}(?:from home|remotely|abroad|part-?time|hybrid)',
  ...['you get', 'you report', "you'd be", 'you will be', 'your (?:manager|salary|desk|laptop|contract|team lead) (?:is|will|would)'],
  ...['вы (?:\\S+ )?(?:будете|получите|сможете|узнаете|встретитесь|познакомитесь|начнете работать|замените|пройдете)'],
  ...['вам (?:предстоит|нужно будет|придется|выдадут|предложат|дадут|позвон\\S+|сделают)'],
  ...['предстоит', 'нужно будет', 'можно будет', 'выдадут', 'ваш\\S* (?:руководител|начальник|зарплат|команд|график)\\S* буд\\S+', '(?:с вами|у вас) будет', 'вас ждет', 'вас ждут', 'в вашей (?:группе|команде) буд\\S+'],
);

/** The conversation itself: no fact in these. */
export const TALK = words(
  "(?:we|we'll|we'd|let us|let's)(?: can| could| will| may| just| then| simply| now| both)* (?:move|go|get|come|continue|skip|leave|return|pause|stop(?:ped)?|talk|stay|start|begin|look|keep|carry)",
  ...['let us', 'tell us', 'можно (?:и |просто )?не', 'не обязательно', '(?:мы )?(?:можем )?(?:продолжим|вернемся|пойдем|идем|перейдем|пропустим|оставим|начнем|остановились|говорили)'],
  ...['продолжаем', 'возвращаемся', 'переходим', 'двигаемся'],
);

/** It is only said that something is heard. */
export const ONLY_ACKNOWLEDGED =
  /^ (?:(?:and|is|are|all|that|duly|this|i|have|it|это|тоже|всё|все|noted|understood|clear|recorded|thanks|thank|you|got|added|corrected|понятно|понятны|понятен|понятна|ясно|ясна|ясен|ясны|записано|записаны|записана|записан|принято|спасибо|учтено|добавлено|исправлено) )+$/u;

/** What the candidate is thanked for is their own. */
export const THANKED = /^ (?:(?:and|okay|great|хорошо) )?(?:thanks|thank you|спасибо)(?: (?:so much|very much|большое|вам))? (?:for|that|за|что)(?= )/u;

/** A clause about the question, the example or the story, or one that takes up what was said. */
export const ANCHORED = words(
  ...['i', "i'(?:m|ve|d|ll)", 'me', 'my', 'questions?', 'examples?', 'answers?', 'details?', 'experience'],
  ...['story', 'stories', 'honesty', 'openness', 'case', 'situation', 'interview', 'means?', 'meant', 'asks?', 'counts?', 'matters?', 'sentences?'],
  ...['in other words', 'put differently', 'imagine', 'subject', 'topic', 'nothing', 'whatever', 'whichever', 'either', 'anything'],
  ...['я', 'мне', 'меня', 'вопрос~', 'пример~', 'ответ(?:ы|а|е|у)?', 'подробност~', 'опыт(?:а|е|ом)?', 'случа~', 'истори~'],
  ...['интервью', 'речь', 'имеется', 'представьте', 'откровенность', 'главное', 'любой', 'любая', 'любое'],
  ...['надеюсь', 'рад', 'рада', 'жаль', 'тема', 'предложени(?:й|я)', 'бывает', 'страшного', 'достаточно', 'хватит'],
);
export const TAKES_UP =
  /^ (?:(?:and|so|but|yes|да|а|и|но) )*(?:that|that's|there is no|there's no|this|these|those|such|any|what|which|both|no|это|этот|эта|эти|такой|такая|такое|так|котор\p{L}+)(?= )/u;

/** What is enough for an answer. */
export const ENOUGH = words(
  ...['fine', 'enough', 'ok', 'okay', 'needed', 'points? (?:is|are)', 'welcome', 'will do', 'usually', 'works'],
  ...['годит?ся', 'годятся', 'подойд(?:ет|ут)', 'no (?:harm|need|rush|right|wrong|fixed)', 'важ(?:ен|на|но|ны)', 'помо(?:жет|гут)', 'хватает'],
);

/** A question that asks nothing. */
export const RHETORICAL =
  / (?:isn't it|right|ok|okay|you know|see|makes sense|get it|yeah|huh|да|понимаете|знаете|верно|так|не так ли|правда|ясно|понятно(?: \S+)?) $/u;

export const YOU = words(
  ...['you', 'yours?', "you'(?:ve|re|ll|d)", 'вы', 'вас', 'вам', 'вами', 'ваш~', 'свой', 'свою', 'своя'],
);

/** An acknowledgement says that something is understood. */
export const ACKNOWLEDGED = words(
  ...['clear', 'clearly', 'noted', 'understood', 'makes? sense', 'helps?', 'sounds?', 'seems?', 'shows?'],
  ...['explains?', 'gives? (?:a|me)', 'answers?', 'enough', 'recorded', 'added', 'corrected', 'thanks'],
  ...['thank you', 'i see', 'понят~', 'ясн~', 'записан~', 'принято', 'учтен~', 'добавлен~', 'исправлен~'],
  ...['видно', 'звучит', 'похоже', 'спасибо', 'понимаю', 'вижу'],
);

const IRREGULAR =
  'was were had did took went made led built wrote ran kept chose cut left won became got gave found saw ' +
  'came told knew held brought bought taught fell grew drew spoke drove met sent spent lost set put began ' +
  'said thought felt rose broke stood understood';
const NOT_PAST = 'need|speed|indeed|hundred|feed|seed|exceed|proceed|embed|bed|red|shed|sped|wed';

/** Something was done before; "is paid" and "are included" tell how it is. */
export const PAST = new RegExp(
  String.raw` (?:(?:${IRREGULAR.replaceAll(' ', '|')})(?:n't)?|(?<! (?:is|are|be|being|get|gets) (?:\S+ly )?)(?!(?:${NOT_PAST}) )\p{L}{2,}ed)(?= )` +
    String.raw`| (?<! (?:в|во|на|за|от|до|с|со|из|по|к|о|об|для|без|при|про|над|под|через|между) )(?!(?:если|или|недели|цели|роли|модели|доли|начало|число|дело|правило|школа|шкала|зал|стол|пол) )(?!\p{L}*(?:портал|материал|квартал|персонал|капитал|потенциал|функционал|сигнал|журнал|канал|филиал|терминал|спортзал|отдел|раздел|предел|протокол|футбол|угол|идеал)(?:ы|а|о|и)? )` +
    String.raw`\p{L}*[аеиоуыя]л(?:а|о|и)?(?:сь|ся)?(?! бы )(?= )| (?:вел|шел|смог|мог|помог|ушел|нашел|нес|привел)(?:а|о|и)?(?= )`,
  'u',
);

/** Said of now, with a verb that shows it. */
export const PRESENT = words(
  ...['is', 'are', "isn't", "aren't", 'has', 'have', 'does', 'do', 'can', 'will', 'may', 'must', 'would'],
  ...['gets?', 'pays?', 'needs?', 'works?', 'takes?', 'starts?', 'comes?', 'includes?', 'covers?', 'offers?'],
  ...["(?:it|that|there|he|she)'s", "(?:they|we|you)'re", "i'm"],
  ...['requires?', 'lasts?', 'runs?', 'depends?', 'stays?', 'fits?', 'serves?', 'uses?', 'speaks?', 'wants?', 'likes?', 'means?', 'есть', 'можно', 'нужно', 'нужен', 'возможн~', 'будет', 'будут'],
  String.raw`(?!\p{L}*(?:(?:от|со|прив|зав|об)вет|отчет|бюджет|кредит|результат|депозит|визит|формат|чат|штат|расчет|пакет|билет|приоритет|сайт|минут|таймаут|маршрут|институт|лимит|аудит|интернет|кабинет|секрет|сертификат|дубликат|автомат|университет|комитет|сюжет|совет|свет|цвет) )\p{L}{3,}(?:ет|ит|ют|ут|ят|ат)(?:ся)?`,
);

/** "You said …": what follows is what counts. */
export const REPORTED = words(
  ...['you (?:have )?(?:said|mentioned|asked|wrote|told|know)', 'вы (?:сказали|упомянули|спросили|знаете)'],
);

const EN_ASKING = 'tell|describe|pick|name|choose|give|take(?! (?:your|all the) time)|explain|share|walk|say|write|think of|imagine|suppose';
const RU_ASKING =
  'расскажите|назовите|опишите|вспомните|выберите|возьмите|уточните|напишите|поделитесь|приведите|представьте|объясните|поясните';

/** A clause that tells the candidate what to say. */
export const REQUEST = new RegExp(
  `^ (?:(?:so|then|and|now|please|just|а|и|тогда|теперь|пожалуйста) )*(?:${EN_ASKING}|${RU_ASKING}|i'd like to (?:hear|know)|i would like to (?:hear|know)|хотелось бы (?:услышать|узнать))(?= )`,
  'u',
);

/** A clause that asks, with or without its mark. */
export const INTERROGATIVE = new RegExp(
  "^ (?:(?:so|and|then|but|or|а|и|но|тогда) )*(?:what|which|who|how|when|where|why|did|do|does|are|is|was|were|can|could|would|will|have|has|had|что|чем|чему|как|какой|какая|какое|какие|каким|какую|сколько|кто|где|когда|почему|зачем|с чего|по каким|от чего|на что|можете|можно)(?= )",
  'u',
);

/** An amount that a candidate asks for. */
export const HOW_MUCH = words(
  ...['how (?:many|much|long|often|soon)', 'when', 'what time', 'сколько', 'когда', 'как часто', 'как долго'],
);

const YES =
  "yes|yeah|yep|sure|certainly|exactly|correct|right|indeed|absolutely|definitely|of course|of course you can|of course it is|that's right|that is right|that's correct|that is correct|it is|it does|you can|no problem|no problem at all|no|not at all|it is so|you do|you will|they do|it will|we do|there is|there are|everybody does|everyone does|they are|it does" +
  '|да|нет|не будет|не дают|не надо|не нужно|конечно|верно|точно|именно|именно так|так и есть|правильно|все верно|все так|безусловно|разумеется|есть|можно|без проблем|совершенно верно|угу|ага|дают|будет|всем дают|правда|годится';

/** Nothing but yes or no. */
export const CONFIRMATION = new RegExp(`^ (?:(?:${YES}) )+$`, 'u');

/** A question about what is asked, or one that asks nothing: no question to the company. */
export const ABOUT_WORDS = words(
  ...['mean', 'meant', 'count', 'rephrase', 'repeat', 'explain', 'understand', 'know what', 'want', 'expect', 'see'],
  ...['в виду', 'в смысле', 'перефраз\\S+', 'повтор\\S+', 'объясн\\S+', 'понима\\S+', 'понят\\S+', 'нужен', 'хотите', 'значит', 'подойдет', 'подходит', 'считается', 'подробно', 'писать'],
);

/** A candidate addresses the company, or asks what they may do there; not how they may answer. */
export const ADDRESSED = words(
  '(?:can|may|could|will|would|do|must) i (?!(?:just |also )?(?:talk|answer|mention|skip|write|describe|name|explain|use (?:an?|my|one)|take|tell|give|speak|choose|pick|ask|add|send|come))\\S+',
  ...['my (?:boss|manager|salary|contract|team|desk|office|lead)', 'мо(?:им|й|ей|я|его|ему) (?:руковод|начальн|зарплат|команд|рабоч)~'],
  'можно (?:ли )?(?:мне )?(?!(?:пере|повтор|поясн|ответ|рассказ|пропуст|наз|взять|прив|по-|напис|пример|подробн|про|о ))\\S+',
  ...['you', 'your', "you're", 'вы', 'вас', 'вам', 'ваш~', '\\p{L}{3,}(?:аете|яете|уете|ите)', 'the (?:job|role|team)'],
);

export const FIRST_PERSON = words(
  ...['i(?! (?:suppose|guess|think|assume|heard|read|believe|understand))', "i'(?:m|ve|d|ll)", 'my', 'me', 'we', 'our', 'us', 'я', 'мне', 'меня', 'мой', 'моя', 'мои', 'мы', 'нас'],
);

/** A sentence that leads to the next question. */
export const ANNOUNCES = words(
  ...['next', 'now', "let's", 'let us', 'moving on', 'turn to', 'continue with', 'about', 'questions?'],
  ...['теперь', 'далее', 'дальше', 'следующ~', 'перейдем', 'поговорим', 'давайте', 'вопрос~'],
);

/** What is counted in a talk, as in "two sentences". */
export const COUNTED_IN_TALK =
  /^[\s-]*(?:(?:–|to|or|до|или)?[\s-]*(?:\p{L}+х|\p{L}+и|\d+|three|four|five|six|три|ten)\s+)?(?:short |concrete |more |main |most |разны\S* |главны\S* )?(?:sentences?|examples?|points?|steps?|parts?|reasons?|words?|figures?|numbers?|cases?|things?|предложени|пример|шаг|част|слов|случа|причин|показател)/iu;

/** What a number of a job counts: money, time, people. */
export const JOB_UNIT =
  /^[\s-]*(?:[€$£₽]|(?:calendar |working |business |full |paid |more |new )?(?:euros?|dollars?|usd|eur|gbp|pounds?|rubles?|days?|weeks?|months?|years?|hours?|people|engineers?|developers?|employees|colleagues|of (?:them|us))\b|(?:a|an|per) (?:day|week|month|year|hour)\b|(?:рабочих |календарных |новых )?(?:евро|доллар|руб|дн(?:я|ей)|день|недел|месяц|год|лет|час|человек|люд|сотрудник|инженер|разработчик)|в (?:день|неделю|месяц|год|час))/iu;
export const CURRENCY_BEFORE = /[€$£₽]\s*$/u;
