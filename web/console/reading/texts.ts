/** The texts of the page of one interview, once per language. */
import type { InterviewInFull, Scoring } from './calls';
import type { OwnRating } from './own-rating';
import { useLanguage } from '../language';
import type { Language } from '../../src/api/wire';
import { en } from './en';
import { ru } from './ru';

type Fact = Scoring['questions'][number]['facts'][number]['value'];
type Result = Scoring['questions'][number]['criteria'][number]['result'];

export interface ReadingTexts {
  gone: { title: string; text: string };
  backToList: string;
  previous: string;
  next: string;
  place: (at: number, of: number) => string;
  blind: string;
  takeOver: string;
  report: string;
  /** In place of a name; `sign`: of the interview. */
  candidate: (sign: string) => string;
  facts: {
    vacancy: string;
    state: string;
    contact: string;
    asked: string;
    opened: string;
    completed: string;
    objected: string;
  };
  notAskedYet: (numbers: string) => string;
  objected: string;

  questions: string;
  question: (number: number) => string;
  questionStates: Record<InterviewInFull['questions'][number]['state'], string>;
  knockout: string;
  rubric: string;
  evidence: string;
  wholeAnswer: string;
  noAnswer: string;
  /** To a line of the transcript. */
  toLine: (number: number) => string;
  fromSecond: (clock: string) => string;

  /** The only criterion of an answer. */
  whole: string;
  rateYourself: string;
  notYet: string;
  notRatable: string;
  /** `mark`: from 1 to 5. */
  mark: (mark: number) => string;
  notAsked: string;
  anchors: string;
  weight: (percent: number) => string;
  note: string;
  states: Record<OwnRating['state'], string>;
  again: string;
  fixed: string;

  compare: {
    action: string;
    title: string;
    /** `left`: how many answers are not rated yet. */
    text: (left: number) => string;
    again: string;
    model: string;
    results: Record<Exclude<Result, 'supported'>, string>;
    disputed: string;
    same: string;
    more: (by: number) => string;
    less: (by: number) => string;
    inShadow: string;
    noScores: string;
    nobodyElse: string;
    overall: (figure: string) => string;
    facts: string;
    fact: Record<Fact, string>;
  };

  comments: {
    title: string;
    /** On the answer to a question. */
    onAnswer: string;
    hidden: string;
    label: string;
    add: string;
    edit: string;
    save: string;
    remove: string;
    removeTitle: string;
    removeText: string;
    removed: string;
    you: string;
    edited: string;
  };

  decision: {
    title: string;
    none: string;
    against: string;
    inFavour: string;
    letter: (by: string) => string;
    file: string;
    fileText: string;
    lead: string;
    choose: string;
    reason: string;
    reasonNote: string;
    action: string;
    /** Opens the form after a decision. */
    anew: string;
    missing: string;
    done: string;
    meanwhile: string;
  };

  transcript: string;
  older: string;
  fileInBlind: string;
  problems: Readonly<Record<string, string>>;
}

const TEXTS: Record<Language, ReadingTexts> = { en, ru };

export function useReadingTexts(): ReadingTexts {
  return TEXTS[useLanguage().language];
}
