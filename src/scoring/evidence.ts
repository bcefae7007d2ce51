/**
 * The check of quotes. A model names a message and copies a passage of it; code finds the passage in
 * the stored text and keeps only its place. Nothing that a model wrote is ever shown as a quote.
 *
 * Offsets are UTF-16 code units, end exclusive, in the normalised text: the message's stored text
 * after Unicode NFC, without tag characters (U+E0000 to U+E007F), which nobody sees and which can
 * hide an order to a model. A passage that a model has only set in another type (dashes, quotation marks,
 * spaces, case at its ends: typography.ts) is found too, and what is kept is the place in the stored text.
 * Nothing else is made equal. What the interviewer said is looked for more widely (heard-words.ts).
 */
import { HeardWords } from './heard-words';
import { inAlphabet } from './look-alikes';
import { type Place, isSameText, placesOf } from './typography';

/** A message of the answer, its text normalised. */
export interface EvidenceMessage {
  readonly id: string;
  readonly text: string;
  /** What a rater calls it; without it, its id. */
  readonly name?: string;
}

export interface ClaimedQuote {
  /** The message's name or id. */
  readonly messageId: string;
  readonly text: string;
}

/** A place in a message that was found to be there. */
export interface Quote {
  readonly messageId: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Why a quote was dropped:
 *   unknown_message  the id is of no message of this answer
 *   short            fewer than three words
 *   near             has the same words in another case, or with other signs between them
 *   joined           put together from several messages, or from another message than it names
 *   absent           found nowhere
 *   cut              begins or ends inside a word
 *   not_own          the interviewer's words, repeated, with fewer than three words beside them
 *   instruction      addressed to whoever rates the answer
 *   malformed        it does not name a message and a text
 *   too_many         behind the last one that is checked
 */
export type DroppedQuote =
  | 'unknown_message'
  | 'short'
  | 'near'
  | 'joined'
  | 'absent'
  | 'cut'
  | 'not_own'
  | 'instruction'
  | 'malformed'
  | 'too_many';

export const LEAST_WORDS = 3;

/** The text in which offsets are counted. */
export function normalised(text: string): string {
  return text.replace(TAGS, '').normalize('NFC');
}

const TAGS = /[\u{E0000}-\u{E007F}]/gu;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}'’-]*/gu;
const WORD_UNIT = /[\p{L}\p{N}\p{M}]/u;
/** Characters that show nothing: zero-width ones, marks of direction, soft hyphens, tags. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/** Words with a space between them: an encoded text such as base64 is one word, whatever it contains. */
export function countWords(text: string): number {
  return text.split(/\s+/).filter((part) => part.search(WORD) >= 0).length;
}

/** What quotes of one answer are checked against. */
export interface AnswerContext {
  readonly messages: readonly EvidenceMessage[];
  readonly question: string;
  /** What the interviewer said, so that repeating it is no evidence; without it, the question. */
  readonly heard?: HeardWords;
}

interface QuoteContext extends AnswerContext {
  /** For facts a whole message may be short, and one own word is enough: "Yes". */
  readonly isWholeMessageEnough?: boolean;
}

/** The place of the passage, or why the quote is dropped. */
export function checkQuote(claimed: ClaimedQuote, context: QuoteContext): Quote | DroppedQuote {
  const { messages, isWholeMessageEnough = false } = context;
  const message = messages.find((one) => isNamed(one, claimed.messageId));
  if (message === undefined) return 'unknown_message';
  const passage = normalised(claimed.text).trim();
  const isWhole = isWholeMessageEnough && isSameText(passage, message.text);
  if (countWords(passage) < LEAST_WORDS && !isWhole) return 'short';
  const place = placeOf(passage, message.text);
  if (place === 'cut') return 'cut';
  if (place === null) return nearness(passage, message, messages);
  // What is kept is what was said, so only that is looked at from here on.
  const said = message.text.slice(place.start, place.end);
  if (countWords(said) < LEAST_WORDS && !isWhole) return 'short';
  if (isRepeated(said, message, context)) return 'not_own';
  if (isInstruction(said)) return 'instruction';
  return { messageId: message.id, ...place };
}

/** Raters write `m2`, `M2`, `[m2]` and `2` for the same message. */
function isNamed({ id, name }: EvidenceMessage, claimed: string): boolean {
  if (claimed === id) return true;
  if (name === undefined) return false;
  const plain = claimed.toLowerCase().replace(/[^a-z\d]+/g, '');
  return plain === name || `m${plain}` === name;
}

/** A shorter passage is no repetition: a whole "No." answers a question in which "no" stands too. */
function isRepeated(passage: string, { id }: EvidenceMessage, context: QuoteContext): boolean {
  if (countWords(passage) < LEAST_WORDS) return false;
  const { question, heard = new HeardWords([question]), isWholeMessageEnough = false } = context;
  const own = heard.ownWords(passage, id);
  return own !== null && own < (isWholeMessageEnough ? 1 : LEAST_WORDS);
}

/** The first place where the passage stands as whole words, exactly or but for its typography. */
function placeOf(passage: string, text: string): Place | 'cut' | null {
  const exact = exactPlacesOf(passage, text);
  const places = exact.length > 0 ? exact : placesOf(passage, text);
  const whole = places.find(
    ({ start, end }) => isWordBoundary(text, start) && isWordBoundary(text, end),
  );
  return whole ?? (places.length > 0 ? 'cut' : null);
}

function exactPlacesOf(passage: string, text: string): Place[] {
  const places: Place[] = [];
  for (let start = text.indexOf(passage); start >= 0; start = text.indexOf(passage, start + 1)) {
    places.push({ start, end: start + passage.length });
  }
  return places;
}

function isWordBoundary(text: string, at: number): boolean {
  const before = Array.from(text.slice(Math.max(0, at - 2), at)).at(-1) ?? '';
  const after = Array.from(text.slice(at, at + 2))[0] ?? '';
  return !(WORD_UNIT.test(before) && WORD_UNIT.test(after));
}

function nearness(
  passage: string,
  message: EvidenceMessage,
  messages: readonly EvidenceMessage[],
): DroppedQuote {
  const wanted = folded(passage);
  if (folded(message.text).includes(wanted)) return 'near';
  const all = folded(messages.map(({ text }) => text).join(' '));
  return all.includes(wanted) ? 'joined' : 'absent';
}

/** Letters and digits only, in one case: what is left equal is nearly the same text. */
function folded(text: string): string {
  const words = text.normalize('NFKC').replace(INVISIBLE, '').toLowerCase().match(WORD) ?? [];
  return words.map((word) => word.replace(/['’-]/g, '')).join(' ');
}

/**
 * Whole phrases that speak to a rater or a model instead of answering. They are few and narrow,
 * because a wrong hit costs a candidate a quote; what passes here is still only a quote, which a
 * person reads.
 */
const INSTRUCTIONS = [
  /(ignore|disregard|forget) (all |any |the |your |these |previous |prior |above |earlier )*(instructions?|rules?|prompts?|rubrics?|guidelines?|anchors?)/,
  /(give|award|assign|grant|set|return|output|rate|score|mark) (me |this |the |my |it |him |her |answer |candidate |criterion |a |an |as |score |mark |rating |of |to |with )*([1-5]|five)( (marks?|points?|stars?|out|of) ?|$)/,
  /(give|award|assign|grant|set|return|output|rate|score|mark) (me |this |the |my |it |him |her |answer |candidate |criterion |a |an |as |with )*(full|top|maximum|max|highest|best) (marks?|points?|scores?|ratings?)/,
  /(set|make|return|give|output|award|assign) (the |a |this |my |your )*(score|mark|rating|grade) (to |of |as |at |be |is )+([1-5]|five)( |$)/,
  /(tell|show|give|list|print) (me |us )(what |which |how |the |all )*other candidates/,
  /you are (now |no longer |actually )+/,
  /(system|developer) (prompt|message|note|override|instruction)/,
  /(reveal|print|show|repeat|tell|list|output) (me |us |the |your |all |full |hidden |whole )*(rubrics?|anchors?|prompts?|instructions|other candidates)/,
  /(result|score|mark) (is |be |must be |should be |equals )*(supported|5|five|maximum)( |$)/,
  /(as|for) (an? |the )?(ai|language model|grader|evaluator|assessor|rater)( |$)/,
  /(note|message|instruction)s? (to|for) (the )?(ai|model|grader|evaluator|assessor|rater|reviewer|scorer)s?( |$)/,
  /(decode|decrypt) (this|it|the following|the string) and (obey|follow|execute|do) /,
  /(раскодируй|раскодируйте|расшифруй|расшифруйте) (это|строку|текст) и (выполни|выполните|сделай|сделайте) /,
  /(игнорируй|игнорируйте|забудь|забудьте|отмени|отмените|не учитывай|не учитывайте) (все |всё |эти |любые |свои |твои |ваши |предыдущие |прежние |прошлые )*(инструкции|указания|правила|промпт|рубрику|критерии|шкалу)/,
  /(поставь|поставьте|ставь|ставьте|дай|дайте|выставь|выставьте|верни|верните|присвой|присвойте|оцени|оцените|засчитай|засчитайте) (мне |этому |за |это |ответ |ответу |кандидату |кандидата |меня |балл |оценку |на |как |в |критерию )*([1-5]|пять|пятерку|пятёрку)( балл| из|$)/,
  /(поставь|поставьте|ставь|ставьте|дай|дайте|выставь|выставьте|верни|верните|присвой|присвойте|оцени|оцените) (мне |этому |за |это |ответ |ответу |кандидату |кандидата |меня |на |как |в )*(максимум|максимальный|максимальную|высший|высшую|высокий|лучший) (балл|оценк)/,
  /(ты|вы) (теперь|больше не|отныне) /,
  /(системное|системный|служебное) (сообщение|промпт|указание|уведомление|инструкция)/,
  /(покажи|покажите|выведи|выведите|раскрой|раскройте|перечисли|перечислите|пришли|пришлите) (мне |нам |свою |свой |всю |весь |все |полную |полный |скрытую )*(рубрику|критерии|шкалу|промпт|инструкции|инструкцию|других кандидатов)/,
  /(указание|инструкция|заметка|примечание|сообщение) (для |к )*(ии|модели|оценщика|оценщику|проверяющего|проверяющему|ассистента)( |$)/,
];

/**
 * Whether the text tells a rater what to do. Markup, invisible characters and letters of the other alphabet
 * do not hide it.
 */
export function isInstruction(text: string): boolean {
  const plain = folded(text.replace(/[*_`#<>[\]{}|~]/g, ' '));
  const spellings = [plain, inAlphabet('latin', plain), inAlphabet('cyrillic', plain)];
  return INSTRUCTIONS.some((pattern) => spellings.some((spelling) => pattern.test(spelling)));
}
