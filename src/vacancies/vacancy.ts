import { ColloquyError } from '../common/errors';
import type { Criterion, KnockOutFact } from './rubric';
import type { Day } from '../common/calendar';
import type { NoticeCode } from './notices';

/**
 * A vacancy and its interview plan: plain data. A plan is stored as JSON in `vacancy.plan`, and copied
 * to `conversation.plan`, so that a running conversation keeps the plan with which it began.
 */
export type Language = 'ru' | 'en';

/** The same text in other languages than the vacancy's. */
export type Translations = Readonly<Partial<Record<Language, string>>>;

export interface Question {
  /** Unique in its plan; stable across imports, because scores and statistics refer to it. */
  readonly id: string;
  /** Asked word for word, in the vacancy's language. */
  readonly text: string;
  readonly translations?: Translations;
  /** The interview always asks it, once more if it was left open, or records that it was not asked. */
  readonly mustAsk: boolean;
  /** A `knockout` asks for a hard condition of the job. A person decides on the answer, not the code. */
  readonly kind: 'open' | 'knockout';
  /** What a good answer contains. For the scorer and the model; candidates do not see it. */
  readonly rubric: string;
  /** What the answer is rated by; left out where the rubric is one text. */
  readonly criteria?: readonly Criterion[];
  /** Conditions that the answer states or not. */
  readonly knockOut?: readonly KnockOutFact[];
  /** False: the answer is not scored, only read by people. */
  readonly isScored?: false;
  /** How the model may ask once more after a vague answer. */
  readonly followUp?: string;
  /**
   * How many follow-ups a good answer may get, 0 to 2, for what the rubric still lacks; left out: 0. A file
   * that does not say so gives one to an open question with criteria.
   */
  readonly followUps?: number;
  /** What such a follow-up asks for. */
  readonly probe?: string;
}

export interface InterviewPlan {
  readonly greeting: string;
  readonly closing: string;
  /** Of the greeting and the closing. */
  readonly translations?: { readonly greeting?: Translations; readonly closing?: Translations };
  readonly questions: readonly Question[];
  /** How long the interview takes; left out: `minutesOf` estimates it. */
  readonly minutes?: number;
  /** Within how many business days of its owner the team replies; left out: no date is promised. */
  readonly replyWithinDays?: number;
  /** After the interview, the candidate may see which of their words were quoted in its scoring. */
  readonly receipt?: true;
  /** How many reminders a silent candidate gets, 0 to 5; left out: 2. */
  readonly reminders?: number;
  /** Of candidates whose own is not known (IANA); left out: the setting's. */
  readonly timeZone?: string;
}

const MINUTES_A_QUESTION = 2.5;
const MINUTES_STEP = 5;

/** How long the interview takes, as its file says it, or else estimated in steps of five minutes. */
export function minutesOf({ minutes, questions }: InterviewPlan): number {
  const steps = Math.floor((questions.length * MINUTES_A_QUESTION) / MINUTES_STEP);
  return minutes ?? Math.max(1, steps) * MINUTES_STEP;
}

/** The person responsible for the vacancy; its review tasks appear on their Notion board. */
export interface VacancyOwner {
  readonly name: string;
  /** Left out where the team does not use Notion. */
  readonly notionUserId?: string;
  /** ISO 3166-1, two letters: whose weekends and public holidays are no business days. */
  readonly country?: string;
  /** IANA; left out: UTC. */
  readonly timeZone?: string;
}

/** The company's colour for buttons, links and marks, `#rrggbb`. */
export interface Accent {
  readonly light: string;
  readonly dark: string;
}

/** The company's logo, as it was read. */
export interface LogoFile {
  /** Its path from the vacancy's folder. */
  readonly name: string;
  readonly mediaType: 'image/png' | 'image/svg+xml' | 'image/webp';
  /** Of the content; its address on the web. */
  readonly hash: string;
  readonly content: Buffer;
}

/** What a vacancy's pages look like. */
export interface Brand {
  readonly accent?: Accent;
  readonly logo?: Pick<LogoFile, 'name' | 'hash'>;
}

/** A vacancy as its author writes it, before it is stored. */
export interface VacancyDraft {
  readonly slug: string;
  readonly language: Language;
  readonly title: string;
  readonly company: string;
  readonly owner: VacancyOwner;
  readonly plan: InterviewPlan;
  /**
   * Its documents, as paths from the file's folder. Only in a draft that was read from a file: the
   * room `knowledge` stores them.
   */
  readonly knowledge?: readonly string[];
  /** Whose notices stand below the disclosure; left out: none. */
  readonly notices?: readonly NoticeCode[];
  readonly accent?: Accent;
  /** The path of its logo, from the file's folder. */
  readonly logo?: string;
  /** The content of `logo`. Only in a draft that was read from a file with its folder. */
  readonly logoFile?: LogoFile;
}

export interface Vacancy extends Omit<VacancyDraft, 'accent' | 'knowledge' | 'logo' | 'logoFile'> {
  readonly id: string;
  /** They hold for those who agree from now on; a consent names the notices that it was given to. */
  readonly notices: readonly NoticeCode[];
  readonly brand: Brand;
  /** The secret part of the open candidate link. It never changes. */
  readonly openToken: string;
  /** Since when no new interview begins; null: it is open. An import leaves it as it is. */
  readonly closedAt: Date | null;
}

/** One problem in a vacancy file, with its place. */
export interface VacancyProblem {
  readonly line: number;
  /** E.g. `questions[3].text`; empty for a problem of the whole file. */
  readonly path: string;
  readonly reason: string;
}

/** A vacancy file has problems; the message lists all of them, one a line. */
export class VacancyFileError extends ColloquyError {
  readonly code = 'vacancy_file_invalid';
  readonly retryable = false;

  constructor(
    readonly file: string,
    readonly problems: readonly VacancyProblem[],
  ) {
    super(problems.map((problem) => lineOf(file, problem)).join('\n'), {
      fields: { file, problems: problems.length },
    });
  }
}

function lineOf(file: string, { line, path, reason }: VacancyProblem): string {
  const place = `${file}:${String(line)}: `;
  return path === '' ? `${place}${reason}` : `${place}${path}: ${reason}`;
}

/** A vacancy file cannot be read at all. */
export class VacancyFileUnreadableError extends ColloquyError {
  readonly code = 'vacancy_file_unreadable';
  readonly retryable = false;
}

/** No vacancy has this slug. */
export class VacancyUnknownError extends ColloquyError {
  readonly code = 'vacancy_unknown';
  readonly retryable = false;
}

/** The vacancy is closed: nobody new begins its interview. */
export class VacancyClosedError extends ColloquyError {
  readonly code = 'vacancy_closed';
  readonly retryable = false;

  constructor() {
    super('this vacancy is closed, so no new interview begins');
  }
}

/** Another live invitation has this PIN. Nothing is stored; try again with another PIN. */
export class PinTakenError extends ColloquyError {
  readonly code = 'pin_taken';
  readonly retryable = true;
}

/** Another invitation of the vacancy that was not revoked has this `externalId`. Nothing is stored. */
export class ExternalIdTakenError extends ColloquyError {
  readonly code = 'external_id_taken';
  readonly retryable = false;

  constructor() {
    super('Another invitation of the vacancy, which was not revoked, has this externalId.');
  }
}

/** The day by which a reply is promised, for the time at which the interview was completed. */
export type ReplyDay = (completedAt: Date) => Day | null;

const LAST_DAY = '9999-12-31' as Day;

/**
 * Counts the business days of the vacancy's owner, from the day after the last answer. Saturdays and
 * Sundays are none; with a country, its own weekend and its public holidays. Null: the plan promises
 * no day. The calendar is loaded only here, because the holidays of all countries are a large file.
 */
export async function replyDayOf(plan: InterviewPlan, owner: VacancyOwner): Promise<ReplyDay> {
  const { replyWithinDays } = plan;
  if (replyWithinDays === undefined) return () => null;
  const { WorkCalendar, dayIn } = await import('../common/calendar');
  const place = { country: owner.country ?? null, region: null };
  // Of some countries only the weekend is known.
  const calendar = new WorkCalendar(place, { needsHolidays: false });
  return (completedAt) =>
    calendar.plus(dayIn(owner.timeZone ?? 'UTC', completedAt), replyWithinDays, LAST_DAY);
}
