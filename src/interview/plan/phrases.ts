import type { Language } from '../../vacancies';

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
  | 'yes'
  | 'no'
  | 'english'
  | 'russian'
  | 'objection'
  | 'readers'
  | 'addition'
  | 'question';

const PHRASES: Readonly<Record<Exclude<PlainWish, 'addition' | 'question'>, readonly string[]>> = {
  skip: [
    'skip',
    'skip this',
    'skip this question',
    'next question',
    'pass',
    "i'd rather not say",
    "i'd rather not answer",
    'i would rather not answer',
    'пропустить',
    'пропустим',
    'пропустите',
    'пропустить вопрос',
    'давайте пропустим',
    'дальше',
    'следующий вопрос',
    'не хочу отвечать',
    'предпочту не отвечать',
  ],
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
    "i don't understand the question",
    'i do not understand the question',
    'what do you mean',
    'повторите',
    'повторите пожалуйста',
    'повторите вопрос',
    'повторите пожалуйста вопрос',
    'можете повторить вопрос',
    'какой был вопрос',
    'не понимаю вопрос',
    'не понял вопрос',
    'не поняла вопрос',
    'что вы имеете в виду',
  ],
  english: [
    'english please',
    'in english please',
    'can we speak english',
    'can we switch to english',
    'could we switch to english',
    "let's switch to english",
    'можно по английски',
    'давайте по английски',
    'по английски пожалуйста',
    'можно на английском',
    'давайте на английском',
  ],
  russian: [
    'по русски пожалуйста',
    'можно по русски',
    'давайте по русски',
    'можно на русском',
    'давайте на русском',
    'перейдем на русский',
    'давайте перейдем на русский',
    'russian please',
    'in russian please',
    'can we speak russian',
    'can we switch to russian',
    'could we switch to russian',
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
  yes: ['yes', 'yes please', 'y', 'да', 'да пожалуйста', 'ага'],
  no: ['no', 'no thanks', 'n', 'нет', 'нет спасибо', 'не надо'],
};

const WISHES = new Map(
  Object.entries(PHRASES).flatMap(([wish, phrases]) =>
    phrases.map((phrase) => [phrase, wish as PlainWish] as const),
  ),
);

/** How a message begins that adds to an earlier answer; more has to follow. */
const ADDITION =
  /^(i forgot to (mention|say|add)|i also forgot to (mention|say|add)|to add to my (previous|last) answer|(я )?(еще )?забыла? (сказать|добавить|упомянуть)|(хочу )?добавить к прошлому ответу|дополню прошлый ответ)(?= )/u;

const ONE_SENTENCE_ASKED = /^[^.!?\n…]+\?+$/u;

/** Null: it is none of these. A single sentence that ends in a question mark is a question. */
export function plainWishOf(text: string): PlainWish | null {
  const plain = normalised(text);
  const known = WISHES.get(plain);
  if (known !== undefined) return known;
  if (ONE_SENTENCE_ASKED.test(text.trim()) && /\p{L}/u.test(text)) return 'question';
  return ADDITION.test(plain) ? 'addition' : null;
}

/**
 * The command that leaves the open question. It is exact, so no model is asked what it means. In Telegram it
 * is in the bot's menu; on the page it may be typed.
 */
export const SKIP = '/skip';

export function isSkip(text: string): boolean {
  return text.trim().toLowerCase() === SKIP;
}

/** Each beginning with what may follow it in the same line. Two steps, so that a line is read once. */
const ASKS_WHEN = [
  [
    /\bwhen (?:will|do|can|should) (?:i|you|we)\b/iu,
    /\b(?:hear|know|reply|answer|decide|decision)/iu,
  ],
  [/когда /iu, /ответ|решени|результат|узнаю|свяж/iu],
] as const;

/** The text is nothing but an objection to automated processing. */
export function isObjecting(text: string): boolean {
  return plainWishOf(text) === 'objection';
}

/** Something is asked: the message ends in a question mark, or asks when the team will reply. */
export function isAsking(text: string): boolean {
  return /\?["')»\s]*$/u.test(text) || text.split('\n').some(asksWhen);
}

function asksWhen(line: string): boolean {
  return ASKS_WHEN.some(([begin, end]) => {
    const found = begin.exec(line);
    return found !== null && end.test(line.slice(found.index + found[0].length));
  });
}

/** Words below which the language of a text is not decided. */
const FEWEST_WORDS = 3;
const COMMON_ENGLISH =
  /\b(the|i|is|are|was|and|to|of|a|an|my|we|in|for|it|you|that|this|have|with|do|what|on|at|not)\b/i;

/**
 * The language that the candidate writes in; null: it cannot be told. A wish for a language decides at once;
 * otherwise fewer than three words decide nothing, because a name or "ok" belongs to any language.
 * English needs one of its common words, because a list of tools has none.
 */
export function languageIn(text: string): Language | null {
  const wish = plainWishOf(text);
  if (wish === 'english') return 'en';
  if (wish === 'russian') return 'ru';
  const words = text.match(/\p{L}+/gu) ?? [];
  const cyrillic = words.filter((word) => /\p{Script=Cyrillic}/u.test(word)).length;
  const latin = words.filter((word) => /\p{Script=Latin}/u.test(word)).length;
  if (cyrillic >= FEWEST_WORDS && cyrillic * 2 >= latin) return 'ru';
  const isEnglish = cyrillic === 0 && latin >= FEWEST_WORDS && COMMON_ENGLISH.test(text);
  return isEnglish ? 'en' : null;
}

/** Case, punctuation, the form of an apostrophe and ё make no difference. */
function normalised(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[’‘ʼ`]/g, "'")
    .replace(/ё/g, 'е')
    .replace(/[^\p{L}\p{N}' ]+/gu, ' ')
    .replace(/ +/g, ' ')
    .trim();
}
