import type { InterviewPlan, Question } from '../../vacancies';
import { wordingsOf } from './plan-texts';
import { waitingQuestion, type InterviewState } from './state';
import { normalised } from './words';

/*
 * What adds to an earlier answer or corrects one, by how it begins, for the interviewer without a model: "About the
 * project: …", «К вопросу 2: …», "A correction: …".
 */

interface Attached {
  readonly verdict: 'addition' | 'correction';
  /** The question; left out: the last one that was answered. */
  readonly about?: string;
}

const CORRECTS =
  /^(?:(?:sorry|oh|oops|wait|no|a|one|small|little|quick|ой|извините|простите|небольшая|маленькая)[,!]? )*(?:corrections?(?= *[:,.—–-]| to )|to correct (?:myself|my)|let me correct|i (?:have|need|want|would like) to correct|i (?:misspoke|meant to (?:say|write))|i made a (?:mistake|typo) in|поправлюсь|исправлюсь|поправка|исправление(?= *[:,.—–-])|оговорил(?:ся|ась)|я (?:ошибся|ошиблась) в|хочу (?:поправить|исправить)|надо поправить)(?!\p{L})/iu;

const REFERS =
  /^(?:(?:oh|and|also|so|one more thing|ой|и|а|еще|ещё),? )*(?:about|back to|going back to|on|regarding|concerning|as for|to add to|к|ко|по|о|об|про|насчет|насчёт|что касается|по поводу|относительно|вернусь к|верн[её]мся к|возвращаясь к|дополню|добавлю к)\s+(?<topic>[^:,.!?\n—–]{1,60}?)\s*[:,—–-]\s*(?=\S)/iu;
const NUMBERED = /(?:question|вопрос\p{L}*)(?: (?:no|number|номер))? (?<n>\d{1,2})$/u;
const PREVIOUS =
  /(?:previous|last|earlier|прошл\p{L}+|предыдущ\p{L}+) (?:question|answer|one|вопрос\p{L}*|ответ\p{L}*)$/u;

/** Null: it is neither, or names no question that has been asked. */
export function attachedIn(
  said: string,
  plan: InterviewPlan,
  state: InterviewState,
): Attached | null {
  if (CORRECTS.test(said)) return { verdict: 'correction' };
  const topic = normalised(REFERS.exec(said)?.groups?.['topic'] ?? '');
  if (topic === '') return null;
  if (PREVIOUS.test(topic)) return { verdict: 'addition' };
  const about = questionOf(topic, plan, state);
  return about === undefined ? null : { verdict: 'addition', about: about.id };
}

/** The settled question that the topic names by its number or by a word of it. */
function questionOf(
  topic: string,
  plan: InterviewPlan,
  state: InterviewState,
): Question | undefined {
  const waiting = waitingQuestion(plan, state);
  const settled = state.settled.map(({ id }) => id).filter((id) => id !== waiting?.id);
  const number = NUMBERED.exec(topic)?.groups?.['n'];
  const named =
    number === undefined
      ? plan.questions.filter((question) => hasWordOf(question, topic))
      : plan.questions.slice(Number(number) - 1, Number(number));
  // What the waiting question speaks of too may be the answer to it.
  if (named.some(({ id }) => id === waiting?.id)) return undefined;
  return named.find(({ id }) => settled.includes(id));
}

function hasWordOf(question: Question, topic: string): boolean {
  const asked = wordingsOf(question).flatMap((text) => normalised(text).split(' '));
  const words = topic.split(' ').filter((word) => word.length >= SHORTEST);
  return words.some((word) => asked.some((one) => isSameWord(word, one)));
}

const SHORTEST = 4;
/** Letters that an ending may have. */
const ENDING = 3;

function isSameWord(a: string, b: string): boolean {
  const root = Math.max(SHORTEST, Math.min(a.length, b.length) - ENDING);
  return a.length >= root && b.length >= root && a.slice(0, root) === b.slice(0, root);
}
