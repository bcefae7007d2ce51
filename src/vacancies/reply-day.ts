import type { Day, WorkCalendar } from '../common/calendar';
import type { InterviewPlan, VacancyOwner } from '.';

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
  const { WorkCalendar, UnknownPlaceError, dayIn } = await import('../common/calendar');
  const calendarOf = (country: string | null): WorkCalendar => {
    try {
      return new WorkCalendar({ country, region: null });
    } catch (error) {
      // Of some countries no holidays are known.
      if (error instanceof UnknownPlaceError) return calendarOf(null);
      throw error;
    }
  };
  const calendar = calendarOf(owner.country ?? null);
  return (completedAt) =>
    calendar.plus(dayIn(owner.timeZone ?? 'UTC', completedAt), replyWithinDays, LAST_DAY);
}
