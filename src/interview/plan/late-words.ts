import type { InterviewPlan, Question } from '../../vacancies';
import { earlierQuestion, type InterviewState, waitingQuestion } from './state';
import { wordingsOf } from './plan-texts';
import { normalised } from './words';

/*
 * How a message begins that adds to an earlier answer or corrects one; more has to follow. A story may begin with
 * almost the same words ("Correction of ledgers was my task"), so only what says that it is about an earlier answer
 * counts.
 */

const BEFORE =
  '(?:(?:oh|ah|oops|sorry|hi|hello|and|also|so|wait|by the way|just|actually|ой|извините|простите|здравствуйте|и|а|кстати|да|еще|ещё|я)[,.!]* )*';
const EARLIER_EN = '(?:my |the )?(?:previous|last|earlier|first) (?:answer|reply|question)';
const EARLIER_RU =
  '(?:моему |моем )?(?:прошл|предыдущ|последн|перв)\\p{L}+ (?:ответ|вопрос)\\p{L}*';

/** As `normalised` has it. */
const ADDING = new RegExp(
  `^${BEFORE}(?:${[
    'i (?:also )?forgot to (?:mention|say|add|tell you|write)',
    `(?:to add|adding|an? (?:addition|ps|note)|one more thing|something else|in addition) (?:to|about|on) ${EARLIER_EN}`,
    `in ${EARLIER_EN} i (?:forgot|left out|did not|didn't)`,
    "i (?:should have|did not|didn't) (?:say|said|mention|mentioned|add|added|write|written) (?:this |that |it )?(?:before|earlier|above)",
    '(?:я )?забыла? (?:сказать|добавить|упомянуть|написать)',
    `(?:хочу |хотела? бы |могу )?(?:добавить|добавлю|дополнение|дополнить) к ${EARLIER_RU}`,
    `(?:хочу |хотела? бы )?(?:дополнить|дополню) (?:прошлый|предыдущий|последний|первый) ответ`,
    `в ${EARLIER_RU} (?:я )?(?:забыла?|не)`,
    '(?:раньше|выше) (?:я )?не (?:сказала?|упомянула?|написала?)',
    'p s|постскриптум',
  ].join('|')})(?= )`,
  'u',
);
/** As it is written, because only the mark behind it tells a correction from the noun. */
const CORRECTION_OF =
  /^(?:\p{L}+[,.!]* ){0,3}(?:correction|поправка|исправление)(?: (?:to|of|к) [^:.,–—]{3,40})?\s*[:,–—]/iu;
const CORRECTING = new RegExp(
  `^${BEFORE}(?:${[
    'i (?:misspoke|mistyped|miswrote)|let me correct (?:myself|that|this|my)|to correct (?:myself|my)|i (?:have|need|want) to correct (?:myself|my|what)',
    'поправлюсь|исправлюсь|поправлю себя|оговорил(?:ся|ась)|опечатал(?:ся|ась)|хочу (?:поправиться|исправиться)',
    `(?:хочу )?(?:поправить|исправить|поправлю|исправлю) (?:прошлый|предыдущий|последний|первый|свой) ответ`,
  ].join('|')})(?= )`,
  'u',
);
/** An apology that takes back what was said. Behind a push-back or a follow-up it belongs to the waiting question. */
const TAKING_BACK = new RegExp(
  `^(?:${[
    "(?:oh |ah )?(?:sorry|apologies|oops) (?:but |actually )*i (?:meant|did not (?:\\S+ ){0,3}(?:alone|by myself|on my own)|didn't (?:\\S+ ){0,3}(?:alone|by myself|on my own)|wasn't (?:the only one|alone)|was not (?:the only one|alone)|mixed (?:it|that|this|them) up)",
    '(?:ой )?(?:извините|простите|прошу прощения|ой) (?:но )?(?:я )?(?:имела? в виду|перепутала?|(?:\\S+ ){0,3}не (?:один|одна|сам|сама))',
  ].join('|')})(?= )`,
  'u',
);

/** Which of both a message begins as; null: neither. */
export function beginsAsLate(text: string): 'addition' | 'correction' | null {
  const plain = normalised(text);
  if (CORRECTION_OF.test(text.trim()) || CORRECTING.test(plain)) return 'correction';
  return ADDING.test(plain) ? 'addition' : null;
}

/** An addition to an answer, or a correction of one. */
export interface LateWords {
  readonly verdict: 'addition' | 'correction';
  /** The question that was answered; undefined: the last one that was. */
  readonly about?: string;
}

/** The same for a message in this state, also by the question that it names ("About the project: …"). */
export function lateWordsOf(
  text: string,
  plan: InterviewPlan,
  state: InterviewState,
): LateWords | null {
  if (earlierQuestion(state) === null) return null;
  const about = namedQuestion(text, plan, state);
  const begins = beginsAsLate(text);
  if (about !== null) return { verdict: begins ?? 'addition', ...about };
  if (begins !== null) return { verdict: begins };
  const isPushedBack = state.pushedBack || state.followUps > 0;
  return !isPushedBack && TAKING_BACK.test(normalised(text)) ? { verdict: 'correction' } : null;
}

/** "About the project:", "back to question 2". The word before the name, the name, what ends it, and the rest. */
const NAMING = new RegExp(
  `^(?:(?:and|also|oh|so|sorry|one more thing|again|и|а|ещё|еще|да|кстати|извините|снова)[,.!]? )*(${[
    "about|regarding|concerning|as for|(?:(?:i (?:would like|want) to |i['’]d like to |let me )?(?:go|going|come|coming|get) )?back to|an addition to",
    '(?:(?:хочу )?верн(?:усь|уться|емся|ёмся)|возвраща(?:юсь|ясь)|добавлю|дополнение|добавить) ко?|насч[её]т|по поводу',
    'on|to|об?|про|по|ко?',
  ].join('|')}) ((?:[\\p{L}\\p{N}№#'’]+ ){0,3}[\\p{L}\\p{N}№#'’]+)(\\s*[:,–—]|\\s-|\\s)(.*)`,
  'isu',
);
/** "On the project, we …" may tell of it in an answer to another question; "on the project: …" does not. */
const LOOSE = /^(?:on|to|об?|про|по|ко?)$/iu;
const NUMBER =
  /(?:question|вопрос\p{L}*)\s*(?:no\.?|number|№|#|номер)?\s*(\d{1,2})|(\d{1,2})(?:st|nd|rd|th|-?м?у|-?го)?\s*(?:question|вопрос\p{L}*)/iu;
const EARLIER = new RegExp(`^(?:${EARLIER_EN}|${EARLIER_RU})$`, 'iu');

/** Null: the message names no question that was settled before. */
function namedQuestion(
  text: string,
  plan: InterviewPlan,
  state: InterviewState,
): { readonly about?: string } | null {
  const [, leading = '', name = '', end = '', rest = ''] = NAMING.exec(text.trim()) ?? [];
  const isSettled = ({ id }: Question): boolean =>
    id !== state.openQuestion && state.settled.some((one) => one.id === id);
  const number = NUMBER.exec(name);
  if (number !== null) {
    const question = plan.questions[Number(number[1] ?? number[2]) - 1];
    return question !== undefined && isSettled(question) ? { about: question.id } : null;
  }
  const mark = end.trim();
  if (mark === '' || (mark === ',' && LOOSE.test(leading))) return null;
  if (EARLIER.test(name)) return {};
  const roots = rootsOf(name);
  const names = (question: Question): boolean => {
    const asked = rootsOf(wordingsOf(question).join(' '));
    return roots.length > 0 && roots.every((root) => asked.includes(root));
  };
  const named = plan.questions.find((question) => isSettled(question) && names(question));
  const isAnswer = isAbout(waitingQuestion(plan, state), `${name} ${rest}`);
  return named === undefined || isAnswer ? null : { about: named.id };
}

/** "About the project: my teammate wanted to buy it" answers a question about a teammate. */
function isAbout(question: Question | undefined, text: string): boolean {
  const asked = rootsOf(question === undefined ? '' : wordingsOf(question).join(' '));
  return rootsOf(text.slice(0, LONGEST_COMPARED)).some((root) => asked.includes(root));
}

/** In UTF-16 units, so that a long answer is not compared to its end. */
const LONGEST_COMPARED = 1000;

/** The beginnings of the words that mean something, so that «проекту» is found in «проектом». */
function rootsOf(text: string): string[] {
  const words = normalised(text).split(' ');
  return words
    .filter((word) => word.length > 3 && !JOINING.has(word))
    .map((word) => word.slice(0, 5));
}

const JOINING = new Set(
  'that this these those which what when where with from about your tell have were does time этот этом этого эти этому который каким какой какие когда расскажите вашей вашем случае'.split(
    ' ',
  ),
);
