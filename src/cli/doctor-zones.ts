import { type CheckOutcome, ok, warning } from '../common/check-outcome';
import { Clock } from '../common/clock';
import { isTimeZone, localTime } from '../common/time-zone';
import { type ZoneHours, ZoneRepository } from '../interview';
import { VacancyRepository } from '../vacancies';
import type { CliContext } from './cli-context';

const DAY_MS = 86_400_000;
/** Rules change the clock at most a few times a year, and a change lasts for weeks. */
const STEP_DAYS = 7;
const AHEAD_DAYS = 371;

/** Whether Node and PostgreSQL show the same time in every zone in use, now and in the coming year. */
export async function examineZones(cli: CliContext): Promise<CheckOutcome[]> {
  const { interview, notionBoard } = cli.settings;
  const instants = instantsFrom(cli.get(Clock).now());
  const read = await cli.commit('doctor.zones', async (tx) => {
    const zones = cli.get(ZoneRepository);
    const used = await zones.inUse(tx);
    const vacancies = await cli.get(VacancyRepository).list(tx);
    const planned = vacancies.flatMap(({ plan }) => plan.timeZone ?? []);
    const all = new Set([interview.timeZone, notionBoard.timeZone, ...used, ...planned]);
    return zones.hoursIn(tx, [...all].sort(), instants);
  });
  return zoneOutcomes(read, instants);
}

export function zoneOutcomes(
  read: readonly ZoneHours[],
  instants: readonly Date[],
): CheckOutcome[] {
  const wrong = read.flatMap((zone) => outcomeOf(zone, instants) ?? []);
  if (wrong.length > 0) return wrong;
  const zones = read.length === 1 ? 'the time zone' : `the ${String(read.length)} time zones`;
  return [ok(`Node and PostgreSQL show the same time in ${zones} in use.`)];
}

/** Null: both show the same. */
function outcomeOf({ timeZone, hours }: ZoneHours, instants: readonly Date[]): CheckOutcome | null {
  if (!isTimeZone(timeZone)) {
    return warning(
      `Node does not know the time zone ${timeZone}: reminders there go by INTERVIEW_TIME_ZONE or the vacancy's zone; update Node.`,
    );
  }
  if (hours === null) {
    return warning(
      `PostgreSQL does not know the time zone ${timeZone}, so reminders there go by Node's rules alone: install its old names (tzdata-legacy on Debian).`,
    );
  }
  const at = instants.find((instant, n) => localTime(timeZone, instant).hour !== hours[n]);
  if (at === undefined) return null;
  return warning(
    `Node (time zone rules ${nodeRules()}) and PostgreSQL show different times in ${timeZone} on ${at.toISOString().slice(0, 10)}: ` +
      'reminders are sent only when it is day by both; update whichever is older.',
  );
}

function nodeRules(): string {
  const { tz } = process.versions as { readonly tz?: string };
  return tz ?? 'of unknown age';
}

function instantsFrom(now: Date): Date[] {
  const count = Math.ceil(AHEAD_DAYS / STEP_DAYS);
  return Array.from({ length: count }, (_, n) => new Date(now.getTime() + n * STEP_DAYS * DAY_MS));
}
