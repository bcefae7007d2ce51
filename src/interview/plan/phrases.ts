import type { LocalTime } from '../../common/time-zone';
import type { Language } from '../../vacancies';
import { plainAsideOf } from './asides';
import { languageOfWish } from './language';
import { isBackWord, isLaterWish } from './later';
import { beginsAsLate } from './late-words';
import { namedTimeIn, returnTimeIn } from './return-time';
import { isAbuse, isOrder, isSmallTalk } from './rude-words';
import { normalised, phrasesOf, sentencesIn } from './words';

/**
 * What a candidate states in a fixed phrase, so that no model is needed to understand it: whole
 * messages, in either language. Anything longer is an answer, except that an addition begins with its
 * phrase.
 */
export type PlainWish =
  | 'skip'
  | 'stop'
  | 'person'
  | 'repeat'
  | 'meaning'
  | 'yes'
  | 'no'
  | 'english'
  | 'russian'
  | 'objection'
  | 'readers'
  | 'progress'
  | 'isFirst'
  | 'isLast'
  | 'machine'
  | 'isPerson'
  | 'abuse'
  | 'offTopic'
  | 'addition'
  | 'correction'
  | 'question'
  | 'later';

type ListedWish = Exclude<
  PlainWish,
  | 'skip'
  | 'abuse'
  | 'offTopic'
  | 'addition'
  | 'correction'
  | 'question'
  | 'english'
  | 'russian'
  | 'later'
>;

const PHRASES: Readonly<Record<ListedWish, readonly string[]>> = {
  stop: [
    'stop',
    'stop the interview',
    'i want to stop',
    "let's stop",
    'end the interview',
    'стоп',
    'остановить интервью',
    'закончить интервью',
    'хочу закончить',
    'хочу остановиться',
    'давайте остановимся',
    'давайте закончим',
  ],
  person: [
    'human',
    'a human',
    'a person',
    'talk to a person',
    'talk to a human',
    'can i talk to a person',
    'can i talk to a human',
    'i want to talk to a person',
    'i want to talk to a human',
    'человек',
    'позовите человека',
    'позвать человека',
    'хочу поговорить с человеком',
    'можно поговорить с человеком',
    'можно человека',
  ],
  repeat: [
    'repeat',
    'repeat please',
    'repeat the question',
    'please repeat the question',
    'can you repeat the question',
    'could you repeat the question',
    'what was the question',
    'повторите',
    'повторите пожалуйста',
    'повторите вопрос',
    'повторите пожалуйста вопрос',
    'можете повторить вопрос',
    'какой был вопрос',
  ],
  meaning: [
    "i don't understand the question",
    'i do not understand the question',
    'what do you mean',
    'what do you want to hear',
    'what would you like to hear',
    'не понимаю вопрос',
    'не понял вопрос',
    'не поняла вопрос',
    'что вы имеете в виду',
    'что вы хотите услышать',
    'а что вы хотите услышать',
  ],
  objection: [
    'i object',
    'i object to automated processing',
    'i object to automated decision making',
    'i object to the automated processing of my answers',
    'i object to the automated processing of my data',
    'i do not want my answers to be scored by ai',
    "i don't want my answers to be scored by ai",
    'i do not want to be assessed by ai',
    "i don't want to be assessed by ai",
    'я против автоматической обработки',
    'я против автоматизированной обработки',
    'возражаю',
    'я возражаю',
    'возражаю против автоматической обработки',
    'возражаю против автоматизированной обработки',
    'я возражаю против автоматизированной обработки',
    'я возражаю против автоматизированной обработки моих данных',
    'не хочу чтобы мои ответы оценивал ии',
    'не хочу чтобы мои ответы оценивала программа',
    'не хочу чтобы меня оценивал ии',
  ],
  readers: [
    'who reads this',
    'who will read this',
    'who is going to read this',
    'who reads my answers',
    'who will read my answers',
    'who is going to read my answers',
    'who sees my answers',
    'who will see my answers',
    'кто это читает',
    'кто это прочитает',
    'кто это прочтет',
    'кто это будет читать',
    'кто будет это читать',
    'кто читает мои ответы',
    'кто прочитает мои ответы',
    'кто прочтет мои ответы',
    'кто будет читать мои ответы',
    'кто увидит мои ответы',
  ],
  progress: [
    'how many questions are there',
    'how many questions are there in total',
    'how many questions are left',
    'how many more questions are there',
    'how long will it take',
    'how long will this take',
    'how much time is left',
    'сколько всего вопросов',
    'сколько будет вопросов',
    'сколько вопросов осталось',
    'сколько осталось вопросов',
    'сколько еще вопросов',
    'сколько времени это займет',
    'сколько времени осталось',
  ],
  isFirst: ['is this the first question', 'is this the first one', 'это первый вопрос'],
  isLast: [
    'is this the last question',
    'is this the last one',
    'is that the last question',
    'это последний вопрос',
    'это был последний вопрос',
  ],
  isPerson: [
    'am i talking to a person',
    'am i talking to a human',
    'am i talking to a real person',
    'are you a human',
    'are you human',
    'are you a person',
    'are you a real person',
    'я говорю с человеком',
    'я говорю с живым человеком',
    'вы человек',
    'вы живой человек',
  ],
  machine: [
    'am i talking to a machine',
    'am i talking to a bot',
    'am i talking to a robot',
    'am i talking to an ai',
    'are you a bot',
    'are you a robot',
    'are you a machine',
    'are you a program',
    'are you an ai',
    'are you ai',
    'is this a bot',
    'я говорю с машиной',
    'я говорю с роботом',
    'я говорю с ботом',
    'вы бот',
    'вы робот',
    'вы программа',
    'вы ии',
    'это бот',
    'это робот',
    'это ии',
  ],
  yes: ['yes', 'yes please', 'y', 'да', 'да пожалуйста', 'ага'],
  no: ['no', 'no thanks', 'n', 'нет', 'нет спасибо', 'не надо'],
};

const WISHES = new Map(
  Object.entries(PHRASES).flatMap(([wish, phrases]) =>
    phrases.map((phrase) => [phrase, wish as PlainWish] as const),
  ),
);

/*
 * Wishes to skip have too many forms for a list. A message is one when nothing else is in it: polite
 * words, and one of these forms or several. Forms that could be an answer ("I'd skip it", "I pass it to the
 * next team") have to name the question.
 */
const POLITE_EN =
  "please|pls|thanks|thank you|sorry|ok|okay|well|no|hm+|um+|uh+|hi|hello|for now|for the moment|if possible|if i may|if i can|if you don't mind|if that's ok|if that's okay";
const ASK_EN =
  "(?:(?:can|could|may|shall|should) (?:i|we|you)|let's|lets|let us|let me|i'd like to|i would like to|i want to|i'd prefer to|i would prefer to|i prefer to|i'd rather|i would rather|we can|you can)(?: please| just)?";
const THIS_EN = '(?:this|that)(?: one| question)?|the (?:current )?question|question';
const NOT_SAY_EN = `(?:say|answer|comment|respond)(?: (?:to |on )?(?:${THIS_EN}|it))?`;
const SKIPS_EN = [
  `(?:${ASK_EN} )?(?:skip|pass)(?: (?:on |over )?(?:${THIS_EN}|it))?`,
  `(?:${ASK_EN} )?(?:skip|move|go|move on|go on|proceed|jump) (?:straight )?to the next(?: one| question)`,
  `(?:${ASK_EN} )?move on`,
  `(?:${ASK_EN} )?(?:have )?(?:the )?next(?: one| question)?`,
  `(?:i'll|i will|i'm going to|i am going to|i'd|i would|i have to|i must|i) (?:skip|pass on) (?:${THIS_EN})`,
  "(?:i'll|i will|i'm going to|i have to|i) pass",
  'skipping(?: this| this one| this question)?',
  `(?:i'd rather|i would rather|i'd prefer|i would prefer|i prefer|prefer|rather) not(?: to)? ${NOT_SAY_EN}`,
  `(?:i don't|i do not) (?:want|wish) to ${NOT_SAY_EN}`,
  "(?:i won't|i will not) (?:answer|comment)(?: (?:on )?(?:this|that)(?: one| question)?)?",
  'no comment',
];
const POLITE_RU =
  'пожалуйста|пожалуй|плиз|спасибо|извините|простите|сорри|ок|окей|хорошо|ладно|ну|нет|эм+|хм+|здравствуйте|пока|если можно|если возможно|если вы не против|если не против|лучше|тогда|просто';
const ASK_RU =
  '(?:я )?(?:давайте|давай|можно|можем|могу|можете|хочу|хотел бы|хотела бы|хотелось бы|разрешите|позвольте|предлагаю|прошу|предпочту|предпочитаю|предпочел бы|предпочла бы)(?: ли)?(?: мы| я| вы| мне| нам| бы)?';
const THIS_RU = '(?:этот|данный|текущий)(?: вопрос)?|вопрос|это|его';
const SKIPS_RU = [
  `(?:${ASK_RU} )?(?:пожалуйста |лучше |просто |мы |я )?(?:пропустить|пропустим|пропустите|пропусти|пропущу|пропуск|скип|скипнуть|скипнем|скипну|скипаем|скипаю|пропускаю|пропускаем)(?: (?:${THIS_RU}))?`,
  '(?:пас|я пас)',
  `(?:${ASK_RU} )?(?:пожалуйста |лучше |сразу )?(?:перейти|перейдем|перейдемте|перейдите|переходим|переходите|пойдем|пойти|идем|двигаться|двинемся|двигаемся|поехали)?(?: )?(?:дальше|далее|к следующему(?: вопросу)?|на следующий(?: вопрос)?)`,
  `(?:${ASK_RU} )?(?:сразу )?следующий(?: вопрос)?`,
  '(?:я )?(?:не хочу|не буду|не хотел бы|не хотела бы|не готов|не готова) (?:отвечать|ответить|говорить)(?: на (?:этот|данный) вопрос| на это| об этом)?',
  `(?:я )?(?:предпочту|предпочитаю|предпочел бы|предпочла бы) не (?:отвечать|говорить)(?: на (?:этот|данный) вопрос| на это| об этом)?`,
  '(?:я )?(?:оставлю|оставим|оставить)(?: (?:этот|данный))?(?: вопрос)? без ответа',
  '(?:я )?воздержусь(?: от ответа)?',
  'без комментариев',
];
const SKIPPING = phrasesOf([...SKIPS_EN, ...SKIPS_RU], `${POLITE_EN}|${POLITE_RU}`);

const ONE_SENTENCE_ASKED = /^[^.!?\n…]+\?+$/u;

/** "What do you mean by proud": a few words of the question are not clear. */
const MEANING =
  /^(?:(?:sorry|and|so|а|и|простите|извините) )*(?:what (?:do you mean|is meant) by|в каком смысле|что (?:значит|вы имеете в виду под|имеется в виду под))(?: [\p{L}\p{N}']+){1,4}$/u;

/** Longer than any wish with its asides, in UTF-16 units, so that long answers are not searched. */
const LONGEST_WISH = 300;

/** A wish for a language, with nothing but asides around it. */
function wishForLanguage(text: string): 'english' | 'russian' | null {
  const sentences = text.length > LONGEST_WISH ? [] : sentencesIn(text);
  const wishes = sentences.flatMap((one) => languageOfWish(one) ?? []);
  const isOnly = sentences.every((one) => (languageOfWish(one) ?? plainAsideOf(one)) !== null);
  if (!isOnly || wishes[0] === undefined) return null;
  return wishes[0] === 'en' ? 'english' : 'russian';
}

/** Null: it is none of these. A single sentence that ends in a question mark is a question. */
export function plainWishOf(text: string): PlainWish | null {
  const plain = normalised(text);
  const known = WISHES.get(plain) ?? wishForLanguage(text);
  if (known !== null) return known;
  if (SKIPPING.test(plain)) return 'skip';
  if (isLaterWish(plain)) return 'later';
  if (isBackWord(plain)) return 'repeat';
  if (MEANING.test(plain)) return 'meaning';
  if (isAbuse(plain)) return 'abuse';
  if (isSmallTalk(plain) || isOrder(plain)) return 'offTopic';
  if (ONE_SENTENCE_ASKED.test(text.trim()) && /\p{L}/u.test(text)) return 'question';
  return beginsAsLate(text);
}

/**
 * The command that leaves the open question. It is exact, so no model is asked what it means. In Telegram it
 * is in the bot's menu; on the page it may be typed.
 */
export const SKIP = '/skip';

export function isSkip(text: string): boolean {
  return text.trim().toLowerCase() === SKIP;
}

/** The text is nothing but a wish to leave the open question out. */
export function isSkipping(text: string): boolean {
  return SKIPPING.test(normalised(text));
}

/** Each beginning with what may follow it in the same line. Two steps, so that a line is read once. */
const ASKS_WHEN = [
  [
    /\bwhen (?:will|do|can|should) (?:i|you|we)\b/iu,
    /\b(?:hear|know|reply|answer|decide|decision)/iu,
  ],
  [/когда /iu, /ответ|решени|результат|узнаю|свяж/iu],
] as const;

/**
 * The text is nothing but a wish to go on another time. `isAsked`: the candidate was asked whether to stop or
 * to go on later, so that "later" alone is one.
 */
export function isLater(text: string, isAsked = false): boolean {
  return isLaterWish(normalised(text), isAsked);
}

/** When the candidate will be back, by what they say of it (return-time.ts). */
export function returnTimeOf(text: string, now: LocalTime): LocalTime {
  return returnTimeIn(normalised(text), now);
}

/** That time as the candidate names it, in words that fit "… is fine"; null: they name none that is known. */
export function namedTimeOf(text: string, language: Language): string | null {
  return namedTimeIn(normalised(text), language);
}

/** Something is asked: the message ends in a question mark, or asks when the team will reply. */
export function isAsking(text: string): boolean {
  return /\?["')»\s]*$/u.test(text) || isAskingWhen(text);
}

/** When the team will reply is asked. */
export function isAskingWhen(text: string): boolean {
  return text.split('\n').some(asksWhen);
}

function asksWhen(line: string): boolean {
  return ASKS_WHEN.some(([begin, end]) => {
    const found = begin.exec(line);
    return found !== null && end.test(line.slice(found.index + found[0].length));
  });
}

/** How a sentence begins that asks something. A sentence of an answer may begin so too ("How we did it"). */
const BEGINS_ASKING = new RegExp(
  `^(?:(?:${[
    'and|but|so|sorry|ok|okay|well|hi|hello|hmm|please',
    'а|и|но|ну|так|извините|простите|здравствуйте|хм|скажите|подскажите|пожалуйста',
  ].join('|')}) )*(?:${[
    "(?:what|why|how|which|who|when|where)(?:'s| (?:is|are|do|does|did|can|could|should|would|will|was|were|kind|exactly|about|if|many|much|long|often|else|part)| (?!i |we |they )\\p{L}+ (?:should|do|does|is|are|can|would))",
    '(?:can|could|may|shall|should|would|will|do|does|did|is|are|have|has) (?:i|we|you|it|this|that|there|the|they|your|any)',
    "i (?:still )?(?:don't|do not|didn't|did not) (?:quite |really )?(?:understand|get|follow)",
    '(?:not sure|unsure|no idea) what you mean',
    '(?:explain|clarify|repeat|rephrase|tell me)',
    "(?:i'd|i would) (?:like|love) to (?:know|ask|hear|understand)|i (?:want|wanted) to (?:know|ask)|i wonder|(?:i'm |i am )?curious",
    'что (?:вы|это|значит|именно|такое|имеется|подразумевается|за)',
    'как (?:вы|это|именно|понимать|лучше|долго|часто|будет)',
    'как(?:ой|ая|ие|ое|их|ом|ую) (?:у вас|именно|будет|там|из|пример|проект|график)',
    'сколько (?:у вас|примеров|времени|нужно|будет)',
    'когда (?:мне|будет|ждать|можно)',
    'кто (?:у вас|будет|это)',
    '(?:мне |я )?(?:хочу|хотела? бы|хотелось бы) (?:бы )?(?:узнать|спросить|понять|уточнить)|(?:мне )?интересно(?: было бы)? (?:узнать|как|что|есть)|меня интересу[ею]т',
    'зачем|почему вы|можно ли|можно (?:пример|уточнить|подробнее|взять)|нужно ли|надо ли|есть ли|будет ли|могу ли',
    '(?:вы )?(?:имеете|имели) в виду|(?:я )?правильно (?:ли )?(?:я )?понимаю',
    '(?:я )?(?:все еще |пока |не совсем |совсем )*не (?:совсем )?(?:понял|поняла|понимаю|понятно)',
    'поясните|объясните|уточните|повторите|переформулируйте|расскажите',
  ].join('|')})(?= |$)`,
  'u',
);

const ASKING: readonly (PlainWish | null)[] = [
  'repeat',
  'meaning',
  'english',
  'russian',
  'readers',
  'progress',
  'isFirst',
  'isLast',
  'machine',
  'isPerson',
  'question',
];

/**
 * The candidate may be asking something, also without a question mark. What a model takes for a question
 * is believed for longer then.
 */
export function mayAsk(text: string): boolean {
  if (text.includes('?') || ASKING.includes(plainWishOf(text))) return true;
  return sentencesIn(text).some((sentence) => BEGINS_ASKING.test(sentence)) || isAsking(text);
}

/** Below so many words, an answer to an open question may say too little to stand alone. */
const WORDS_OF_AN_ANSWER = 6;
/** So many of them that say something are an answer all the same; Russian needs few others. */
const WORDS_THAT_SAY = 4;
/** Longer than so many words of a usual length, in UTF-16 units. */
const LONGEST_THIN = 120;
/** Numbers, lists, code, links and files say something whatever their length. */
const SAYS_MORE = /[\p{N}[\]{}<>=;\n/]/u;
/** "Never did that" is an answer, and there is nothing to ask for. */
const SAYS_NO =
  /(?<!\p{L})(?:no|not|none|never|nothing|nobody|\p{L}+n[’']t|нет|не|ни|никогда|ничего|никто|нечего)(?!\p{L})/iu;
/** Words that only join others, or name nothing. */
const SAYS_NOTHING = new RegExp(
  `^(?:${[
    "a|an|the|i|i'm|i've|it|it's|we|our|my|me|us|you|your|they|them|this|that|these|those|there|is|are|was|were|be|been|have|has|had|do|did|and|or|but|so|of|in|on|at|to|for|from|by|with|as|about|just|very|really|also|well|quite",
    'some|many|much|several|various|different|all|any|every|lots?|kinds?|sorts?|things?|stuff|something|anything|everything',
    'я|мы|вы|он|она|оно|они|это|этот|эта|эти|тот|та|те|мой|моя|мое|мои|наш|наша|наши|меня|мне|нас|нам|и|а|но|или|в|во|на|с|со|к|ко|о|об|от|до|из|у|за|по|для|про|при|как|что|же|бы|ли|ну|вот|там|тут|так|был|была|было|были|есть|очень|просто|тоже|еще|уже',
    'много|мало|всего|все|всё|всякое|всякий|всякие|разное|разного|разный|разная|разные|разных|что-то|чего-то|кое-что|какой-то|какие-то|вещи|штуки|бывало|бывает',
  ].join('|')})$`,
  'iu',
);

/** The whole answer is a few words without anything to go by. An answer without a text is not thin. */
export function isThin(text: string): boolean {
  const said = text.trim();
  if (said === '' || said.length > LONGEST_THIN) return false;
  if (SAYS_MORE.test(said) || SAYS_NO.test(said)) return false;
  const words = said.match(/\p{L}+(?:['’-]\p{L}+)*/gu) ?? [];
  if (words.length >= WORDS_OF_AN_ANSWER) return false;
  const saying = words.filter((word) => !SAYS_NOTHING.test(word.replace(/’/g, "'")));
  // A list of names says what there was, and nothing of it.
  const isList = saying.every((word) => /^\p{Lu}/u.test(word));
  return isList || saying.length < WORDS_THAT_SAY;
}
