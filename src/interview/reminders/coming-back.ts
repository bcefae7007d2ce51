import { Injectable } from '@nestjs/common';
import { Settings } from '../../common/config';
import { daysAfter, localTime } from '../../common/time-zone';
import type { Tx } from '../../common/uow';
import type { Language } from '../../vacancies';
import type { ConversationRow } from '../conversation.repository';
import { InterviewTerms } from '../interview-terms';
import { namedTimeOf, returnTimeOf } from '../plan/phrases';
import type { ComingBack } from '../plan/verdicts';
import { type ReminderRules, announced, endOfSilence, instantOf, rulesOf } from './schedule';
import { SilenceRepository } from './silence.repository';

/** What ends the time in which a candidate can go on; null: that does not end it. */
export interface Ends {
  /** The browser is signed out, if it is not used before. */
  readonly session: Date | null;
  /** The link opens the interview no more. */
  readonly invitation: Date | null;
  /** Retention deletes the interview. */
  readonly retention: Date | null;
  /** The interview expires, if nothing is written before. */
  readonly silence: Date;
}

/**
 * The last whole day, `YYYY-MM-DD`, on which a candidate can go on by the link that they have: whichever
 * ends first decides. What has ended already does not: the candidate writes without it. At least today.
 */
export function lastDay(ends: Ends, timeZone: string, now: Date): string {
  const { silence, ...others } = ends;
  const first = Object.values(others)
    .filter((end) => end !== null)
    .filter((end) => end > now)
    .reduce((earliest, end) => (end < earliest ? end : earliest), silence);
  // On the day on which it ends, it does not hold to the end of the day.
  const day = daysAfter(localTime(timeZone, first).day, -1);
  const today = localTime(timeZone, now).day;
  return day > today ? day : today;
}

/** What holds for a candidate who says at that time that they go on later. */
export function comingBackOf(
  {
    now,
    rules,
    ...ends
  }: Omit<Ends, 'silence'> & { readonly now: Date; readonly rules: ReminderRules },
  said: string,
  language: Language,
): ComingBack {
  const { timeZone } = rules;
  const back = returnTimeOf(said, localTime(timeZone, now));
  const remindFrom = instantOf(timeZone, back);
  const silence = endOfSilence(rules, announced(rules, now, remindFrom));
  const until = lastDay({ ...ends, silence }, timeZone, now);
  return {
    until,
    remindFrom: remindFrom.toISOString(),
    when: back.day > until ? null : namedTimeOf(said, language),
  };
}

const DAY_MS = 86_400_000;

/** Reads until when a candidate can come back. */
@Injectable()
export class ReturnTerms {
  constructor(
    private readonly silences: SilenceRepository,
    private readonly terms: InterviewTerms,
    private readonly settings: Settings,
  ) {}

  /** `said`: the answer. The days are computed when they are needed, because most answers need none. */
  async read(
    tx: Tx,
    { id, plan }: Pick<ConversationRow, 'id' | 'plan'>,
    said: string,
    language: Language,
  ): Promise<() => ComingBack> {
    const { idleMs, lifetimeMs } = this.settings.session;
    const facts = await this.silences.findEnds(tx, id, { idleMs, lifetimeMs });
    const { now, timeZone, hasObjected, sessionEndsAt, invitationEndsAt } = facts;
    const { answers } = this.terms.kept;
    return () =>
      comingBackOf(
        {
          now,
          rules: rulesOf(plan, { timeZone, isQuiet: hasObjected }, this.settings.interview),
          session: sessionEndsAt,
          invitation: invitationEndsAt,
          retention: answers === null ? null : new Date(now.getTime() + answers * DAY_MS),
        },
        said,
        language,
      );
  }
}
