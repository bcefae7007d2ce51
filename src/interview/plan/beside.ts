import { normalised, phrasesOf } from './words';

/*
 * What is plainly no answer, for the interviewer without a model: insults, the weather and yesterday's game, orders
 * to the program. Whole short messages: "my manager called me an idiot" may be an answer.
 */

const INSULTS = phrasesOf(
  [
    "(?:you(?: are|'re)? )?(?:such )?(?:an? )?(?:(?:fucking|bloody|damn|stupid|dumb|useless|idiotic|complete) )*(?:idiots?|morons?|imbeciles?|dumbass|asshole|bastard|bitch|cretin)",
    "(?:you(?: are|'re)? )?(?:such )?(?:an? )?(?:fucking|bloody|damn|stupid|dumb|idiotic) (?:(?:piece of )?(?:machine|bot|robot|program|computer|ai|thing|junk|crap|shit))",
    "you(?: are|'re) (?:so )?(?:stupid|dumb|an idiot|pathetic|worthless)",
    'shut (?:the \\p{L}+ )?up|fuck (?:you|off)|screw you|piss off|go to hell|drop dead',
    '(?:(?:тупой|тупая|тупые|тупое|дебильный|дебильная|чертов|чертова|безмозглый|безмозглая|долбаный|долбаная) )+(?:железк[аи]|машина|бот|робот|программа|компьютер|ии|тварь|скотина)',
    '(?:идиот|идиотка|идиоты|дебил|дебилка|дебилы|кретин|дурак|дура|придурок|тупица|урод|уродина|тварь|сволочь|мразь|скотина)',
    '(?:ты|вы) (?:тупой|тупая|тупые|идиот|дурак|дура|дебил)',
    'заткнись|заткнитесь|заткни(?:те)? рот|отвали(?:те)?|отвянь(?:те)?|пош(?:ел|ла|ли) (?:ты|вы|к черту|нахуй|на хуй|в жопу)|иди(?:те)? (?:к черту|нахуй|на хуй|в жопу)',
  ],
  'i said|just|hey|oh|you|so|well|and|please|говорю же|сказала? же|говорю|да|ну|эй|и|ты|вы|просто|же|уже',
);

const SMALL_TALK = [
  /^(?:look at|what about|how about|what|how is|how's)(?: \p{L}+){0,3} weather(?: (?:we have|today|outside|here|now|right now|it is))*$/u,
  /^(?:it|it's|it is|it has been|it keeps)(?: (?:so|very|really|again|just|still))*(?: (?:rains?|raining|snows?|snowing|sunny))(?: (?:and|again|rains?|raining|snows?|snowing|here|today|outside|all day|now|a lot))*$/u,
  /^(?:what a|did you (?:see|watch)|have you seen)(?: \p{L}+)* (?:game|match)(?: \p{L}+){0,3}$/u,
  /^(?:(?:вот|ну|это|и|какая|такая|ужасная|отличная|хорошая|прекрасная|жуткая) )*погод[аку]\p{L}*(?: (?:сегодня|сейчас|на улице|у нас|стоит|какая))*$/u,
  /^(?:(?:опять|снова|сегодня|у нас|за окном) )*(?:дождь|снег|жара|мороз)(?: (?:идет|льет|валит|и|опять|сегодня|весь день|у нас|стоит))*$/u,
  /^(?:(?:вот|ну|это|и|какой|а) )*(?:матч|футбол|игра)(?: (?:был|была|вчера|вы|видели|смотрели|отличный|отличная))+$/u,
  /^(?:вы )?(?:видели|смотрели)(?: \p{L}+){0,2} (?:матч|футбол|игру)(?: \p{L}+){0,2}$/u,
];

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

/** In UTF-16 units. */
const LONGEST = 200;

/** What the whole message is besides an answer; null: it is none of these. */
export function besideAnswerOf(text: string): 'abusive' | 'off_topic' | null {
  if (text.length > LONGEST) return null;
  const plain = normalised(text);
  if (INSULTS.test(plain)) return 'abusive';
  return [...SMALL_TALK, ...ORDERS].some((form) => form.test(plain)) ? 'off_topic' : null;
}
