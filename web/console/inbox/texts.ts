/** The words of the inbox, once per language. */
import type { Owner } from '../../src/api/wire';
import { useLanguage } from '../language';
import type { ItemKind } from './calls';
import { en } from './en';
import { ru } from './ru';

export interface InboxTexts {
  lead: string;
  filters: string;
  kind: string;
  anyKind: string;
  vacancy: string;
  anyVacancy: string;
  noVacancy: string;
  showAll: string;
  shown: (count: number, hasMore: boolean) => string;
  empty: { title: string; text: string };
  nothing: { title: string; text: string };
  /** What has happened, and what a person does about it. Their names stand in `kinds.ts`. */
  kinds: Record<ItemKind, string>;
  nameless: string;
  waits: (duration: string) => string;
  /** Of the same trouble. */
  under: (count: number) => string;
  /** What waits: the question of the candidate, or the one that was put to them. */
  asks: string;
  wasAsked: string;
  /** A program, by its name. */
  program: (name: string) => string;
  /** Null: the signed-in person. */
  heldBy: (who: string | null) => string;
  more: string;

  item: {
    back: string;
    gone: { title: string; text: string };
    erased: { title: string; text: string };
    owner: string;
    owners: Record<Owner, string>;
    readInterview: string;
    reason: string;
    closed: (by: string) => string;
    closedItself: string;
    /** What was done with it. */
    wasHandedBack: string;
    interviewClosed: string;
    held: (who: string, since: string) => string;
    heldByYou: (since: string) => string;
    free: string;
    claim: string;
    release: string;
    takeFrom: (who: string) => string;
    takeFromTitle: (who: string) => string;
    takeFromText: string;
    takeOver: string;
    handBack: string;
    close: string;
    replay: string;
    readers: (names: string) => string;
  };
  told: {
    claimed: string;
    released: string;
    takenOver: string;
    handedBack: string;
    closed: string;
    replayed: string;
    sent: string;
    answered: string;
    answeredAndKept: string;
  };
  problems: Readonly<Record<string, string>>;
  talk: {
    title: string;
    empty: string;
    older: string;
    olderFailed: string;
    lost: string;
    speakers: { user: string; assistant: string; person: string; system: string };
    kinds: { voice: string; file: string };
    partial: string;
    writing: string;
    collecting: string;
    candidateTypes: (name: string) => string;
    teamTypes: string;
  };
  box: {
    reply: string;
    answer: string;
    /** What sending it does. */
    replyNote: string;
    takesOver: string;
    answerNote: string;
    send: string;
    takeOverAndSend: string;
    sendAnswer: string;
    keep: string;
    question: string;
    questionNote: string;
    questionMissing: string;
    missing: string;
    left: (count: number) => string;
    keys: string;
  };
  closing: {
    title: string;
    text: string;
    /** Of an interview that a person has. */
    stays: string;
    reason: string;
    missing: string;
    action: string;
  };
}

const inboxTexts = { en, ru };

export function useInboxTexts(): InboxTexts {
  return inboxTexts[useLanguage().language];
}
