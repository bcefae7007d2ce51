import type { Language } from '../../../vacancies';
import type { Interviewer } from '../../../interview';
import { ENGLISH } from './en';
import { RUSSIAN } from './ru';
import type { InlineKeyboardMarkup, ReplyKeyboardMarkup } from 'telegraf/types';

/** Commands of the bot, in the order in which they are offered. */
export const COMMANDS = [
  'done',
  'skip',
  'status',
  'pause',
  'resume',
  'human',
  'language',
  'web',
  'mydata',
  'forget',
  'help',
] as const;

export type CommandName = (typeof COMMANDS)[number];

/** What may come instead of text, or with it. */
export type AttachmentKind =
  | 'photo'
  | 'video'
  | 'video_note'
  | 'animation'
  | 'audio'
  | 'document'
  | 'sticker'
  | 'contact'
  | 'location'
  | 'venue'
  | 'poll'
  | 'checklist'
  | 'dice'
  | 'story'
  | 'game'
  | 'other';

/**
 * The bot's texts outside the interview. The same rules as for the interview's own texts: warm and
 * plain, short sentences, «вы» in Russian, no promise that the code does not keep.
 */
export interface TelegramTexts {
  readonly doneButton: string;
  readonly commands: Readonly<Record<CommandName, string>>;

  /** To somebody without an interview. */
  readonly waysIn: Readonly<Record<Interviewer, string>>;
  /** To somebody whose interview is over. */
  readonly waysToAnother: string;
  readonly havePinButton: string;
  readonly findVacancyButton: string;
  readonly askPin: string;
  /** The text that came does not read as a PIN. */
  readonly notAPin: string;
  readonly pinWrong: string;
  readonly pinLocked: (minutes: number) => string;
  /** Too many wrong ones from all accounts together. */
  readonly pinsPaused: (minutes: number) => string;
  readonly askVacancy: string;
  readonly noVacancy: string;
  readonly chooseVacancy: string;
  /** To the first words of somebody without an interview: vacancies that match them, or none does. */
  readonly vacanciesAtFirst: string;
  readonly noVacancyAtFirst: string;
  /** To a command that needs an interview. */
  readonly noInterview: string;
  readonly linkUnknown: string;
  readonly linkExpired: string;
  /** The vacancy is closed, and the person has not begun its interview. `title` with the company. */
  readonly vacancyClosed: (title: string) => string;
  /** Somebody else's account has it. */
  readonly linkTaken: string;
  /** Of a link that carried an interview over: used, or too old. */
  readonly linkOver: string;

  /** Above the disclosure, to somebody whose link leads to what is open in another place. */
  readonly openElsewhere: string;
  readonly mineButton: string;
  readonly notMineButton: string;
  readonly notMine: string;
  /** To somebody invited who has begun interviews without an invitation. */
  readonly joinQuestion: (about: {
    readonly invitedTo: string;
    readonly titles: readonly string[];
  }) => string;
  readonly joinButton: string;
  readonly notJoinButton: string;

  /** Below the disclosure. */
  readonly howToAnswer: string;
  readonly agreeButton: string;
  readonly declineButton: string;
  /**
   * Shown as a short notice by the pressed button, at most 200 characters; the greeting follows as a
   * message.
   */
  readonly agreed: string;
  readonly declined: string;
  /** To what is written after that, instead of the disclosure. */
  readonly declinedBefore: string;
  /** Something was written before the disclosure was answered: it is not kept. */
  readonly consentFirst: string;

  /** Before a message about an interview that the person has not open; `link` opens it again. */
  readonly notOpenHere: (of: { title: string; company: string; link: string | null }) => string;
  /** An edit of a message that was sent before this interview was opened in the chat. */
  readonly sentBefore: string;

  /** "No" below the disclosure after the person has agreed. */
  readonly consentGiven: string;
  readonly welcomeBack: string;
  readonly closed: string;
  readonly completed: string;
  /** The interview ended because the candidate was silent for days. */
  readonly expired: string;
  readonly help: (of: { readonly voices: boolean; readonly interviewer: Interviewer }) => string;
  readonly unknownCommand: string;
  /** A message was edited into a command: it stays as it was. */
  readonly editedToCommand: string;
  readonly status: (now: {
    readonly question: number;
    readonly of: number;
    readonly isCollecting: boolean;
    readonly isReplying: boolean;
    readonly isPaused: boolean;
  }) => string;
  readonly notStarted: string;
  readonly nothingToFinish: string;
  /** To /skip while a reply is being written: the question that it will ask is not known yet. */
  readonly skipTooEarly: string;
  readonly paused: string;
  readonly resumed: string;
  readonly chooseLanguage: string;
  readonly languageChosen: string;
  readonly continueOnWeb: (url: string) => string;
  /** Asked before the interview pauses for a person. */
  readonly humanQuestion: string;
  readonly humanYes: string;
  readonly humanNo: string;
  /** The reply to "no". */
  readonly humanNotAsked: string;
  /** Takes it back, as long as no person has written. */
  readonly humanTakeBack: string;
  readonly humanAlready: string;
  /** To somebody who has not agreed and writes while the hiring team has the conversation. */
  readonly notKeptForPerson: string;

  readonly myDataQuestion: string;
  readonly myDataButton: string;
  readonly myDataCaption: string;
  readonly forgetQuestion: string;
  readonly forgetButton: string;
  readonly keepButton: string;
  readonly forgotten: string;
  /** Messages written under an invitation that was issued again cannot be deleted from this account. */
  readonly forgottenHere: string;
  readonly kept: string;

  /** The transcript of a voice message was corrected. */
  readonly corrected: string;
  /** What stands in the transcript for something that is not text. */
  readonly attachment: Readonly<Record<AttachmentKind, string>>;
  /** Only the fact that it came is kept; the file stays with Telegram. */
  readonly attachmentKept: string;
  /** A document or a picture came; an album gets one such message. */
  readonly fileTaken: string;
  /** The name of a photo. */
  readonly photoFile: string;
  readonly blank: string;
  /** The conversation has no room for this message, or for this recording: it is not kept. */
  readonly full: string;
  readonly audioFull: string;
  /** The vacancy's open link begins no interview now, or takes no upload. */
  readonly openLinkFull: string;
  readonly uploadsFull: string;
  readonly filesFull: string;
  readonly pressOutdated: string;
}

const TEXTS: Readonly<Record<Language, TelegramTexts>> = { ru: RUSSIAN, en: ENGLISH };

export function telegramTextsOf(language: Language): TelegramTexts {
  return TEXTS[language];
}

/** Whichever language its button was in. */
export function isDoneButton(text: string): boolean {
  return Object.values(TEXTS).some(({ doneButton }) => doneButton === text);
}

/**
 * One button below the input field. It sends its text as a message, so unlike a button under a message
 * it cannot arrive before an earlier message.
 */
export function doneKeyboard(language: Language): ReplyKeyboardMarkup {
  return {
    keyboard: [[{ text: telegramTextsOf(language).doneButton }]],
    resize_keyboard: true,
    is_persistent: true,
  };
}

/** What the data of each button under a message begins with: all of them, so that none is without a test. */
export const BUTTONS = [
  'way:pin',
  'way:search',
  'vacancy:',
  'agree:',
  'decline:',
  'mine:',
  'notmine:',
  'join:yes:',
  'join:no:',
  'human:yes',
  'human:no',
  'human:back',
  'speak:',
  'mydata:yes',
  'forget:yes',
  'forget:no',
] as const;

/** The text that it shows, and the data that the bot gets. */
export interface Button {
  readonly text: string;
  readonly data: `${(typeof BUTTONS)[number]}${string}`;
}

/** Buttons under a message, one in each row. */
export function inlineKeyboard(buttons: readonly Button[]): InlineKeyboardMarkup {
  return { inline_keyboard: buttons.map(({ text, data }) => [{ text, callback_data: data }]) };
}
