import type { Language } from '../../vacancies';
import { normalised, phrasesOf, sentencesIn } from './words';

/** How many answers in a row have to be in the other language until the interviewer changes to it. */
const ANSWERS_TO_CHANGE = 2;

/**
 * The language of the reply to this text. A wish for a language changes it at once. Otherwise two answers in
 * a row in the other language do: one of them may be a quotation, and a list of products is in none.
 * `inOther`: how many answers in a row before this one were in the other language.
 */
export function languageAfter(
  text: string,
  known: Language,
  inOther: number,
): { readonly language: Language; readonly inOtherLanguage: number } {
  const wished = wishedLanguage(text);
  if (wished !== null) return { language: wished, inOtherLanguage: 0 };
  const written = languageIn(text);
  if (written === null) return { language: known, inOtherLanguage: inOther };
  const inOtherLanguage = written === known ? 0 : inOther + 1;
  return inOtherLanguage < ANSWERS_TO_CHANGE
    ? { language: known, inOtherLanguage }
    : { language: written, inOtherLanguage: 0 };
}

const SPEAK_EN =
  'speak|talk|write|chat|answer|reply|respond|continue|go on|carry on|(?:do|have) (?:this|it)';
const USE_EN = `(?:speak|use|(?:switch|change|move|go)(?: over)? to|(?:(?:${SPEAK_EN}) )?in)`;
const SPEAK_RU =
  'говорить|поговорить|общаться|писать|отвечать|ответить|отвечу|разговаривать|буду|будем|продолжить|продолжим|перейти|перейдем|перейдемте|переключиться|переключимся';

/** Wishes for a language, by its English name and the stem of its Russian one. */
function wishesFor(name: string, stem: string): { test(plain: string): boolean } {
  const inRu = `(?:по ${stem}и|на ${stem}(?:ом|ий)(?: языке?)?)`;
  return phrasesOf(
    [
      `(?:can|could|may|shall|should|is it (?:ok|okay) if) (?:i|we|you)(?: please)? ${USE_EN} ${name}`,
      `(?:let's|lets|let us|please) ${USE_EN} ${name}`,
      `(?:i'd|i would) (?:prefer|like|rather)(?: to)? (?:${USE_EN} )?${name}`,
      `i (?:prefer|want)(?: to)? (?:${USE_EN} )?${name}`,
      `(?:switch|change) to ${name}`,
      `(?:in )?${name} please`,
      `(?:можно|давайте|давай|можем|могу|хочу|хотел бы|хотела бы|лучше|предпочитаю)(?: (?:ли|мы|я|вы|мне|нам|лучше|дальше|теперь|${SPEAK_RU}))* ${inRu}(?: (?:${SPEAK_RU}))?`,
      `мне (?:будет |было бы )?(?:удобнее|удобней|проще|легче)(?: (?:${SPEAK_RU}))? ${inRu}`,
      `(?:я )?(?:${SPEAK_RU})(?: (?:${SPEAK_RU}))? ${inRu}`,
      `${inRu} пожалуйста`,
    ],
    "please|sorry|hi|hello|ok|okay|well|so|but|instead|thanks|if possible|if that's ok|if that's okay|пожалуйста|извините|простите|здравствуйте|привет|добрый день|добрый вечер|если можно|спасибо|а|и|но|ну|ой",
  );
}

const WISHES: readonly (readonly [Language, { test(plain: string): boolean }])[] = [
  ['en', wishesFor('english', 'английск')],
  ['ru', wishesFor('russian', 'русск')],
];

/** The language that this sentence, as `normalised` has it, asks for and nothing else. */
export function languageOfWish(plain: string): Language | null {
  return WISHES.find(([, forms]) => forms.test(plain))?.[0] ?? null;
}

/** The language that a candidate asks for: a whole message, or its first or last sentence. */
function wishedLanguage(text: string): Language | null {
  const sentences = sentencesIn(text);
  const [first = '', last = ''] = [sentences[0], sentences.at(-1)];
  return languageOfWish(normalised(text)) ?? languageOfWish(first) ?? languageOfWish(last);
}

/** Words below which the language of a text is not decided: a name or "ok" belongs to any language. */
const FEWEST_WORDS = 3;

const OF_ENGLISH = new Set(
  "the a an i i'm i've i'd it it's we our my me us you your they them their he she is are was were be been am do did does don't didn't have has had will would can could and but or so because if when while which who what that this these there not no to of in on at by for from with as after before about into than then just also very more all".split(
    ' ',
  ),
);
const OF_RUSSIAN = new Set(
  'и в во на с со не ни я мы ты вы он она они оно что чтобы как так по для у за от до при из к ко о об а но да же бы ли или если когда где потом потому это этот эта эти тот то там тут уже еще все всех мой моя мое мои меня мне нам нас наш наша наши его ее их был была было были есть нет очень только также сам сама'.split(
    ' ',
  ),
);
/** Endings of Russian verbs; a name in the nominative has none of them. */
const RUSSIAN_VERB =
  /..(?:ю|ешь|ет|ем|ут|ют|ит|им|ят|ат|ал|ала|али|ил|ила|или|ел|ела|ели|ть|ся|сь)$/u;

/**
 * The language that the candidate writes in; null: it cannot be told. What decides are words that only
 * sentences have, because names of products and companies are the same in every language. A word with a
 * slash, a hyphen, a dot or a digit in it ("A/B", "node.js") is a name.
 */
export function languageIn(text: string): Language | null {
  const wish = wishedLanguage(text);
  if (wish !== null) return wish;
  const words = plainWordsIn(text);
  const cyrillic = words.filter((word) => /^\p{Script=Cyrillic}+$/u.test(word));
  const latin = words.filter((word) => /^[\p{Script=Latin}']+$/u.test(word));
  const isRussian =
    cyrillic.length * 2 >= latin.length &&
    isSentence(cyrillic, 1, (word) => OF_RUSSIAN.has(word) || RUSSIAN_VERB.test(word));
  if (isRussian) return 'ru';
  const isEnglish = cyrillic.length === 0 && isSentence(latin, 2, (word) => OF_ENGLISH.has(word));
  return isEnglish ? 'en' : null;
}

function plainWordsIn(text: string): string[] {
  return text
    .normalize('NFC')
    .replace(/[’‘ʼ`]/g, "'")
    .split(/\s+/)
    .map((token) => token.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
    .filter((word) => /^\p{L}[\p{L}']*$/u.test(word));
}

/** At least `fewest` different signs, and more than half in small letters, because names have capitals. */
function isSentence(
  words: readonly string[],
  fewest: number,
  isSign: (word: string) => boolean,
): boolean {
  if (words.length < FEWEST_WORDS) return false;
  const small = words.map((word) => word.toLowerCase().replace(/ё/g, 'е'));
  const signs = new Set(small.filter(isSign));
  const isShouted = words.every((word) => word === word.toUpperCase());
  const isSmall = (word: string): boolean => word === word.toLowerCase() || isShouted;
  const usual = words.filter((word, index) => isSmall(word) || signs.has(small[index] ?? ''));
  return signs.size >= fewest && usual.length * 2 > words.length;
}
