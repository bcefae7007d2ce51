import type { Language } from '../../vacancies';
import type { Aside } from '../plan/asides';
import type { Hardship } from '../plan/hardship';
import { ENGLISH } from './en';
import { RUSSIAN } from './ru';

/**
 * The texts that code itself sends to a candidate during an interview. The greeting, the questions and the
 * closing are not here: they belong to the vacancy's plan and are sent word for word.
 *
 * Rules for whoever edits these: warm and plain, short sentences, «вы» in Russian, no gendered
 * past tense for the interviewer, no praise and no judgement of an answer, no promise that the
 * code does not keep. A list is a set of equal wordings; the turn's number selects one.
 */
export interface Texts {
  /** After an answer, before the next question. */
  readonly acknowledgements: readonly string[];
  /** Instead of the model's own push-back, when it gave no words and the plan has no `followUp`. */
  readonly pushBacks: readonly string[];
  /**
   * Instead of the model's reply to the candidate's question: no source covers it, or the model gave
   * no words.
   */
  readonly noSource: string;
  /** After an answer that also asked something which no source covers. */
  readonly noSourceToo: string;
  /** Without a model, to a question that the documents cover. `title`: of the passage that is quoted. */
  readonly quoted: (title: string, words: string) => string;
  /** The candidate asked to do the interview or the job another way; the waiting question stays as it is. */
  readonly adjustmentNoted: string;
  /** Without a model, to what hurts. */
  readonly hardship: Readonly<Record<Hardship, string>>;
  /** Without a model, to "am I talking to a machine?"; `isPersonAsked`: to "are you human?". */
  readonly isProgram: (isPersonAsked: boolean) => string;
  /** Before a question that an earlier answer touched on. */
  readonly touchedOn: readonly string[];
  /** The first time that the candidate insults or threatens; the question follows. */
  readonly boundary: string;
  /** The second time: the interview pauses. */
  readonly pausedForAbuse: (kept: Kept) => string;
  /** The candidate objects to automated processing; the interview goes on. */
  readonly objectionNoted: string;
  /** Before a question that the plan has only in another language than the candidate now writes in. */
  readonly questionsStayAsWritten: string;
  /** Behind the closing, where questions are answered from documents. */
  readonly yourQuestions: string;
  /** To thanks or a goodbye after the end. */
  readonly goodbyes: readonly string[];
  /** A question after the end that nothing covers. */
  readonly askedAfterEnd: string;
  /** "When will I hear back?" after the end; the closing of the plan follows. */
  readonly askedWhenAfterEnd: string;
  /** "Who will read this?" `owner`: the person who is responsible for the vacancy. */
  readonly readers: (owner: string, company: string) => string;
  /** Follows `readers` where a model rates answers. */
  readonly rated: string;
  /** "Which question is this?" */
  readonly progress: (question: number, of: number) => string;
  /** By the plan, not by the clock: a candidate may answer days later. */
  readonly minutesLeft: (left: number, planned: number) => string;
  /** Both, to a candidate who asks. `isRight`: "is this the last one?" is to be confirmed, or denied. */
  readonly progressAsked: (place: PlaceInPlan, isRight: boolean | null) => string;
  /** The candidate would rather not answer. */
  readonly declined: readonly string[];
  /** Away from the subject, when the model gave no words. */
  readonly offTopic: string;
  /** The question is left without an answer. */
  readonly movingOn: readonly string[];
  /** The candidate did not understand the question, or wants to hear it again; it follows. */
  readonly questionAgain: string;
  /** Before the same question is said once more. */
  readonly backToQuestion: readonly string[];
  /** Leads back to the open question, which is not repeated. */
  readonly questionAbove: readonly string[];
  /** Before a question that was left open, after all others. */
  readonly onceMore: readonly string[];
  /** After a greeting, thanks, "one second" and the like, when the model gave no words. */
  readonly asides: Readonly<Record<Aside, readonly string[]>>;
  /** Asks whether the candidate really wants to stop. */
  readonly confirmLeave: (kept: Kept) => string;
  /** Beside `confirmLeave`. `until`: the last day on which the interview can be gone on with, in words. */
  readonly orLater: (until: string, kept: Kept) => string;
  /** The candidate goes on another time. */
  readonly paused: (pause: Pause) => string;
  /** Asks whether the candidate really wants a person to take over. */
  readonly confirmHuman: string;
  /** The candidate goes on after all; the question follows. */
  readonly keepGoing: string;
  readonly withdrawn: (kept: Kept) => string;
  readonly handedOver: string;
  /** The same where nothing was kept, because there was no consent. */
  readonly handedOverWithoutConsent: string;
  /** The candidate goes on with the interview after all, or a person returned it; the question follows. */
  readonly goingOn: string;
  /** Above what a person writes, where the channel shows no author. */
  readonly fromPerson: string;
  /** A message that was written before the last reply was seen. */
  readonly addendum: readonly string[];
  /** A message was edited that has had its reply. */
  readonly corrected: readonly string[];
  /** Additions after the interview is over. */
  readonly thanksForAddition: readonly string[];
  /** A message in a conversation that a person has taken over. */
  readonly keptForPerson: string;
  /** A message that reached a conversation which was closed meanwhile. */
  readonly closed: string;
  /** To whoever writes after they have withdrawn. */
  readonly afterWithdrawal: (about: AfterWithdrawal) => string;
  /** A message before consent: kept, shown to no model. */
  readonly consentFirst: string;
  /** Before any of the words to whoever is too late because of a loss or an illness. */
  readonly sorry: string;
  /** A message to an interview that has expired. */
  readonly endedBySilence: string;
  /** To a silent candidate, before the question that waits; `reminderAgain` after the first one. */
  readonly reminder: string;
  readonly reminderAgain: string;
  /** `until`: the last day on which the interview is open, in words. */
  readonly lastReminder: (until: string) => string;
  /** While a long answer is still being written; no reply is begun. */
  readonly readingAlong: string;
  /** The model cannot be reached for now. */
  readonly outage: string;
  /** The answer got no reply and is in front of a person. */
  readonly leftToPerson: string;
  /** The model failed on this answer for good; the interview goes on without it. */
  readonly notAnalysed: string;
  /** Around the transcript of a voice message that is read back. */
  readonly heard: readonly [before: string, after: string];
  /** A voice message whose transcript is longer than a message may be. */
  readonly heardInPart: string;
  /** Stands for a voice message without a transcript. */
  readonly unheardVoice: string;
  /**
   * `voiceNotHeard`: kept, and cannot be transcribed. `voiceWaits`: kept, and its transcript may
   * still come.
   */
  readonly voiceNotHeard: string;
  readonly voiceWaits: string;
  /** There is no way to listen to voice messages; this one is kept. */
  readonly voiceNotTaken: string;
  /** A voice message that is not kept: too large, or its channel does not have it any more. */
  readonly voiceTooLarge: string;
  readonly voiceLost: string;
  /** What a file is called in the transcript, before its name. */
  readonly file: string;
  /** A file that is not kept: too large, of a type that is not taken, or its channel does not hand it out. */
  readonly fileTooLarge: (name: string, limit: string) => string;
  readonly fileOfOtherType: (name: string) => string;
  /** With macros or a password, a template or an old one. */
  readonly fileOfOtherWord: (name: string) => string;
  /** Kept, but nobody opens it without a password. */
  readonly fileLocked: (name: string) => string;
  readonly fileLost: (name: string) => string;
}

/** Where the interview is, counted from 1. */
export interface PlaceInPlan {
  readonly question: number;
  readonly of: number;
  /** About how many minutes are left. */
  readonly minutes: number;
}

/** What is kept of an interview. */
interface Kept {
  /** The candidate has answered something; else nothing is said of answers. */
  readonly hasAnswers: boolean;
}

interface Pause extends Kept {
  /** The last day on which the interview can be gone on with, in words; null: it is not known. */
  readonly until: string | null;
  /** When the candidate goes on, in words as they said it; null: they did not say, or it is too late. */
  readonly when: string | null;
}

export interface AfterWithdrawal {
  readonly company: string;
  /** The person who is responsible for the vacancy. */
  readonly owner: string;
  readonly kept: KeptDays;
  /** The channel stores what is written now, for people. */
  readonly isStored: boolean;
}

/** Days after the last message for which retention keeps something; null: until somebody deletes it. */
export interface KeptDays {
  readonly answers: number | null;
  /** Recordings and files. */
  readonly media: number | null;
}

const TEXTS: Readonly<Record<Language, Texts>> = { ru: RUSSIAN, en: ENGLISH };

export function textsOf(language: Language): Texts {
  return TEXTS[language];
}

/** One of equal wordings: the same for the same ordinal, the next one for the next. */
export function wording(list: readonly string[], ordinal: number): string {
  return list[Math.abs(ordinal) % list.length] ?? '';
}
