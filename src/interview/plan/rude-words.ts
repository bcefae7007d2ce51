import { phrasesOf } from './words';

/*
 * What a candidate writes who neither answers nor asks: insults, talk of the weather or a match, and orders to the
 * program. Short whole messages, in either language, so that a story of an insult or of a match stays an answer.
 */

const RUDE_EN =
  '(?:stupid|dumb|useless|bloody|fucking|damn|damned|idiotic|brainless|shitty|worthless|pathetic)';
const THING_EN =
  '(?:machine|bot|robot|program|computer|ai|thing|idiot|moron|fool|piece of (?:shit|crap|junk|garbage))';
const RUDE_RU =
  '(?:туп(?:ой|ая|ое)|глуп(?:ый|ая)|бестолков(?:ый|ая)|чертов(?:а)?|сраный|сраная|безмозгл(?:ый|ая)|проклят(?:ый|ая))';
const THING_RU =
  '(?:железка|машина|программа|бот|робот|железяка|жестянка|нейросеть|скотина|тварь|дурак|дура|идиот)';

const ABUSE = phrasesOf(
  [
    '(?:shut|shut the fuck|shut your mouth|just shut) up|shut your mouth|fuck (?:you|off)|screw you|go to hell|get lost|piss off',
    `(?:you are|you're|you|what) (?:an? |such an? )?(?:${RUDE_EN} )+${THING_EN}|(?:you are|you're|you) (?:an? |such an? )?(?:idiot|moron|piece of (?:shit|crap|junk|garbage))`,
    `(?:(?:you|what an?) )?(?:${RUDE_EN} )+${THING_EN}`,
    "(?:are you|you are|you're) (?:so |really |just )?(?:stupid|dumb|brainless|an idiot|a moron|useless)",
    'заткнись|заткнитесь|заткни пасть|отвали|отвалите|отвяжись|иди(?:те)? (?:ты |вы )?(?:к черту|на хрен|на хер|на хуй|нахуй|в жопу|лесом)|пошел (?:ты )?(?:к черту|на хрен|на хер|на хуй|нахуй|в жопу|вон)|пошла (?:ты )?(?:к черту|на хрен|на хер|на хуй|нахуй|в жопу|вон)',
    `(?:ты |вы |вот |какая |какой )*(?:${RUDE_RU} )+${THING_RU}`,
    '(?:ты|вы|сам|сама) (?:просто |что |совсем )*(?:идиот|идиотка|дурак|дура|тупой|тупая|тварь|скотина|кретин|дебил)',
  ],
  'i said|please|just|oh|again|you|idiot|idiots|moron|stupid|now|и|а|ну|да|говорю|говорю же|же|я сказал|я сказала|сказал|сказала|уже|опять|идиот|идиоты|дурак|дура|кретин|тупица|придурок',
);

const WEATHER_EN = '(?:weather|rain|snow|sun|sunshine|heat|storm|fog|wind)';
const MATCH_EN = '(?:game|match|goal|race|concert|final|football)';
const WHEN_EN =
  '(?: (?:that was|it was|this is|it is|we have|we had|today|yesterday|tonight|last night|outside|here|again|right now|at the weekend))*';
const WHEN_RU =
  '(?: (?:был|была|было|были|сегодня|вчера|опять|снова|у нас|на улице|за окном|с утра|весь день|сейчас|стоит))*';
const SMALL_TALK = phrasesOf(
  [
    `(?:just )?look at (?:this|the|that) (?:\\p{L}+ )?${WEATHER_EN}${WHEN_EN}`,
    `(?:what|such) (?:a |an )?(?:\\p{L}+ )?(?:${WEATHER_EN}|${MATCH_EN})${WHEN_EN}`,
    `(?:the )?weather is (?:so |really |very )?\\p{L}+${WHEN_EN}`,
    `it (?:rains|snows|is raining|is snowing|is pouring)(?: and (?:rains|snows))?${WHEN_EN}|it's (?:raining|snowing|pouring)${WHEN_EN}`,
    `(?:did|have) you (?:see|seen|watch|watched) (?:the |that |this )?${MATCH_EN}${WHEN_EN}`,
    `(?:вот это|ну и|какая|какой|что за|вот так) (?:\\p{L}+ )?(?:погода|погодка|дождь|ливень|жара|снег|снегопад|холод|ветер|матч|гол|игра|футбол|финал|гонка)${WHEN_RU}`,
    `погода${WHEN_RU} \\p{L}+(?:ая|яя)${WHEN_RU}`,
    `(?:опять |снова )?(?:дождь|снег|ливень) (?:идет|льет|валит)(?: и (?:идет|льет|валит))?${WHEN_RU}`,
    `(?:вы )?(?:видели|смотрели) (?:вчера |сегодня )?(?:матч|игру|гол|футбол|финал|гонку)${WHEN_RU}`,
  ],
  'oh|wow|hey|well|and|man|о|ох|ну|ого|и|а|слушайте',
);

/** The text, as `normalised` has it, is nothing but an insult to the interviewer. */
export function isAbuse(plain: string): boolean {
  return ABUSE.test(plain);
}

/** The text, as `normalised` has it, is nothing but talk of the weather or a match. */
export function isSmallTalk(plain: string): boolean {
  return SMALL_TALK.test(plain);
}

const ORDERS = [
  /^(?:please |now )*(?:ignore|forget|disregard) (?:(?:all|any|the|your|my|these|of|previous|prior|above|earlier) )*(?:instructions?|prompts?|rules)(?!\p{L})/u,
  /^(?:please |now )*(?:print|show|reveal|output)(?: me)? (?:(?:the|your|all|this) )*(?:rubrics?|criteria|system prompt|prompt|instructions?|rules)(?!\p{L})/u,
  /^(?:this is|we are|i am|i'm) (?:from )?(?:the |your )?(?:hiring (?:team|manager)|recruiter)(?!\p{L}).*(?<!\p{L})(?:mark|count|finish|pass|end|skip)(?!\p{L})/u,
  /^(?:please |now )*(?:mark|count|score|rate) (?:(?:every|all|each|this|the|my|of) )*(?:questions?|answers?|interview)(?!\p{L})/u,
  /^(?:пожалуйста |теперь )*(?:забудь|забудьте|игнорируй|игнорируйте|проигнорируй|проигнорируйте) (?:(?:все|всё|свои|мои|эти|прошлые|предыдущие|прежние) )*(?:инструкции|указания|правила)(?!\p{L})/u,
  /^(?:пожалуйста |теперь )*(?:покажи|покажите|выведи|выведите|напечатай|раскрой|раскройте)(?: мне)? (?:(?:все|свои|свой|эти) )*(?:критерии|рубрику|рубрики|инструкции|промпт|системный промпт|правила)(?!\p{L})/u,
  /^(?:это|я|мы) (?:из )?(?:команд[аы]|отдел[а]?|менеджер|рекрутер|система|разработчик|администратор)(?!\p{L}).*(?:отметь|отметьте|засчитай|засчитайте|закончи|закончите|заверши|завершите|пропусти|пропустите)(?!\p{L})/u,
  /^(?:пожалуйста |теперь )*(?:отметь|отметьте|засчитай|засчитайте|оцени|оцените) (?:(?:все|всё|каждый|этот|мои|мой) )*(?:вопрос\p{L}*|ответ\p{L}*|интервью)(?!\p{L})/u,
];
/** A longer message may be an answer as well. In UTF-16 units. */
const LONGEST_ORDER = 200;

/** The text, as `normalised` has it, tells the program what to do. */
export function isOrder(plain: string): boolean {
  return plain.length <= LONGEST_ORDER && ORDERS.some((form) => form.test(plain));
}
