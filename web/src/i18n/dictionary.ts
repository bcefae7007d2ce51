/**
 * Every text of the page, once per language. What the interviewer says is not here: it comes from
 * the conversation, in the conversation's language.
 */
import type { Interviewer, InviteView, Language } from '../api/wire';
import type { AttachmentProblem } from '../state/attachments';
import type { RecorderProblem, StoppedBy } from '../state/recorder';
import { en } from './en';
import { ru } from './ru';

/** How the candidate came in, and so what leads back to the interview. */
type ByWayBack = Record<InviteView['kind'], string>;

export interface Dictionary {
  documentTitle: (company: string, vacancy: string) => string;
  loading: string;
  skipToAnswer: string;
  language: { label: string; other: Language; switchTo: string };
  menu: string;
  close: string;

  /** On a company's page. */
  madeWith: string;

  /** To a colleague who looks at the interview as a candidate. */
  preview: { title: string; text: string };

  welcome: {
    kicker: (company: string) => string;
    lead: (questions: number, minutes: number) => string;
    asks: Record<Interviewer, { title: string; text: string }>;
    points: { title: string; text: string }[];
    begin: string;
    opening: string;
    failed: string;
  };
  /** For an interview that is open elsewhere: asks whether it is the person's own. */
  claim: {
    title: string;
    lead: string;
    other: string;
    once: string;
    mine: string;
    notMineButton: string;
    notMine: { title: string; text: string };
  };
  /** For a link from another channel that no longer works. */
  continuation: {
    used: { title: string; text: string };
    expired: { title: string; text: string };
  };
  consent: {
    title: string;
    agree: string;
    refuse: string;
    failed: string;
    outdated: string;
  };
  profile: {
    titleName: string;
    titleContact: string;
    lead: string;
    /** What was written looks like no way to reach anybody, but may be one. */
    unusual: string;
    confirm: string;
    name: string;
    contact: string;
    contactHint: string;
    missing: { name: string; contact: string };
    start: string;
    failed: string;
  };
  declined: { title: string; text: string; reconsider: string };
  expired: { title: string; text: (company: string | null) => string };
  /** The vacancy is closed, and this person has not begun. */
  closed: { title: string; text: (company: string | null) => string };
  full: { title: string; text: string };
  unknown: { title: string; text: string };
  unreachable: { title: string; text: string; retry: string };
  sessionLost: { title: string; text: string; reopen: string };

  progress: (question: number, of: number) => string;
  progressDone: (answered: number, of: number) => string;
  /** Beside the conversation, where there is room. */
  panel: {
    label: string;
    asked: string;
    /** After a question that was skipped or left open, for a screen reader. */
    unanswered: string;
    next: string;
    left: (questions: number) => string;
    reads: (name: string) => string;
    repliesWithin: (name: string, days: number) => string;
    repliesBy: (name: string, day: string) => string;
    replies: (name: string) => string;
    comeBack: string;
  };
  transcript: string;
  interviewer: Record<Interviewer, string>;
  person: string;
  you: string;
  system: string;
  thinking: string;
  stopped: string;
  toLatest: string;
  currentQuestion: string;
  older: { show: string; loading: string; failed: string };

  composer: {
    label: string;
    placeholder: string;
    placeholderMore: string;
    placeholderPerson: string;
    send: string;
    hintKeys: string;
    hintTouch: string;
    listening: string;
    done: string;
    skip: string;
    /** In place of the command that the button sends. */
    skipped: string;
    taking: string;
    searching: string;
    away: string;
    writing: string;
    stop: string;
    stopped: string;
    continue: string;
    tooLong: (excess: number) => string;
    left: (count: number) => string;
    /** The same for a screen reader, which is not told every number. */
    tooLongByUpTo: (excess: number) => string;
    fewerLeft: (count: number) => string;
  };
  voice: {
    record: string;
    group: string;
    asking: string;
    recording: string;
    /** Why the recording ended before it was sent. */
    stopped: Record<StoppedBy, string>;
    sending: string;
    unsent: string;
    send: string;
    retry: string;
    cancel: string;
    discard: string;
    transcribing: string;
    heard: string;
    correct: string;
    correctLabel: string;
    save: string;
    keep: string;
    problems: Record<RecorderProblem, string>;
  };
  /** In place of a message of a kind that this page does not know. */
  unknownMessage: string;
  files: {
    attach: string;
    list: string;
    waiting: string;
    sending: (percent: number) => string;
    unsent: string;
    retry: string;
    remove: (name: string) => string;
    download: (name: string) => string;
    arriving: string;
    notKept: string;
    locked: string;
    deleted: string;
    problems: Record<AttachmentProblem, (limit: string) => string>;
  };
  delivery: {
    sending: string;
    sent: string;
    waiting: string;
    retry: string;
    refused: (code: string) => string;
    edit: string;
    remove: string;
  };
  connection: { lost: string; retry: string };

  human: { open: string; title: string; text: (company: string) => string; confirm: string };
  withdraw: { open: string; title: string; text: string; confirm: string };
  telegram: { open: string; title: string; text: string; confirm: string; cancel: string };
  myData: {
    fileName: string;
    open: string;
    title: string;
    text: string;
    confirm: string;
  };
  leave: { open: string; title: string; text: ByWayBack; confirm: string };
  erase: { open: string; title: string; text: (company: string) => string; confirm: string };
  keepGoing: string;
  cancel: string;
  actionFailed: string;

  askedForPerson: { title: string; paused: string; text: (company: string) => string };
  withPerson: { title: string; text: string };
  /** Now, to the candidate. */
  personTypes: string;
  resume: string;
  /** `name`, `from`: the candidate's and the recruiter's given name, if they are known. */
  completed: {
    title: (name: string | null, from: string | null, day: string | null) => string;
    download: string;
    fileName: string;
    add: string;
  };
  receipt: { title: string; lead: string; reading: string; decided: string; none: string };
  withdrawn: { title: string; text: string };
  /** The interview ended because the candidate was silent for days. */
  endedBySilence: { title: string; text: string };
  erased: { title: string; text: string };
  left: { title: string; text: ByWayBack };
}

export const dictionaries: Record<Language, Dictionary> = { en, ru };
