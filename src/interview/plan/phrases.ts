/**
 * What a candidate says in so many words that no model is needed to understand it: whole messages, in
 * either language. Anything longer is an answer.
 */
export type PlainWish = 'skip' | 'stop' | 'person' | 'repeat' | 'yes' | 'no' | 'question';

const PHRASES: Readonly<Record<Exclude<PlainWish, 'question'>, readonly string[]>> = {
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
  yes: ['yes', 'yes please', 'y', 'да', 'да пожалуйста', 'ага'],
  no: ['no', 'no thanks', 'n', 'нет', 'нет спасибо', 'не надо'],
};

const WISHES = new Map(
  Object.entries(PHRASES).flatMap(([wish, phrases]) =>
    phrases.map((phrase) => [phrase, wish as PlainWish] as const),
  ),
);

/** Null: it is none of these. A single sentence that ends in a question mark is a question. */
export function plainWishOf(text: string): PlainWish | null {
  const known = WISHES.get(normalised(text));
  if (known !== undefined) return known;
  return /^[^.!?\n…]*\p{L}[^.!?\n…]*\?+$/u.test(text.trim()) ? 'question' : null;
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
