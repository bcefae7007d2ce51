import { ChannelRegistry } from '../channels';
import { isTimeZone } from '../common/time-zone';
import { sqlStateOf } from '../common/uow';
import { type AnswerStats, AnswerStatsRepository } from '../interview';
import { VacancyRepository } from '../vacancies';
import { type CliContext, withCli } from './cli-context';
import { UsageError } from './failures';
import { type Result, printableLine } from './output';

const DEFAULT_DAYS = 90;
const MAX_DAYS = 3650;
const WHOLE_NUMBER = /^\d{1,4}$/;

export interface StatsOptions {
  readonly vacancy?: string;
  readonly channel?: string;
  readonly days?: string;
  readonly timeZone?: string;
}

/** How long candidates wait and how they answer: together, by channel, and by hour of the day. */
export async function stats(options: StatsOptions): Promise<Result> {
  const filter = {
    channel: options.channel ?? null,
    days: daysOf(options.days),
    timeZone: timeZoneOf(options.timeZone ?? 'UTC'),
  };
  return withCli(async (cli) => {
    if (filter.channel !== null) assertChannel(cli, filter.channel);
    const rows = await refusingZone(filter.timeZone, () =>
      cli.commit('stats.read', async (tx) => {
        const vacancyId =
          options.vacancy === undefined
            ? null
            : (await cli.get(VacancyRepository).getBySlug(tx, options.vacancy)).id;
        const answers = cli.get(AnswerStatsRepository);
        await answers.assertTimeZone(tx, filter.timeZone);
        return answers.list(tx, { ...filter, vacancyId });
      }),
    );
    const [total = null] = rows.filter(({ channel, hour }) => channel === null && hour === null);
    const channels = rows.filter(({ channel }) => channel !== null);
    const hours = rows.filter(({ hour }) => hour !== null);
    const document = {
      ...filter,
      vacancy: options.vacancy ?? null,
      total: total === null ? null : figuresOf(total),
      channels: channels.map((row) => ({ channel: row.channel, ...figuresOf(row) })),
      hours: hours.map((row) => ({ hour: row.hour, ...figuresOf(row) })),
    };
    if (total === null) {
      const where =
        filter.channel === null ? '' : ` on the channel "${printableLine(filter.channel)}"`;
      return { document, lines: [`No answers${where} in the last ${String(filter.days)} days.`] };
    }
    const lines = [
      HEADING,
      lineOf('all', total),
      ...channels.map((row) => lineOf(String(row.channel), row)),
      '',
      `By hour of the first message (${filter.timeZone}):`,
      ...hours.map((row) => lineOf(`${String(row.hour).padStart(2, '0')}:00`, row)),
    ];
    return { document, lines };
  });
}

const LABEL_WIDTH = 10;
const COLUMNS = [
  'answers',
  'median wait',
  '90 % wait',
  'splits',
  'additions',
  'messages',
  'characters',
];
const HEADING = `${' '.repeat(LABEL_WIDTH)}${COLUMNS.map((column) => column.padStart(12)).join('')}`;

function lineOf(label: string, row: AnswerStats): string {
  const cells = [
    String(row.answers),
    `${row.medianWaitS.toFixed(1)} s`,
    `${row.p90WaitS.toFixed(1)} s`,
    String(row.splits),
    String(row.additions),
    row.messagesPerAnswer.toFixed(1),
    row.charactersPerAnswer.toFixed(0),
  ];
  return label.padEnd(LABEL_WIDTH) + cells.map((cell) => cell.padStart(12)).join('');
}

function figuresOf({ channel: _, hour: __, ...figures }: AnswerStats) {
  return figures;
}

function daysOf(text: string | undefined): number {
  if (text === undefined) return DEFAULT_DAYS;
  const days = WHOLE_NUMBER.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= MAX_DAYS) return days;
  throw new UsageError(`--days ${text}: expected a whole number from 1 to ${String(MAX_DAYS)}`);
}

/** Throws UsageError. */
function assertChannel(cli: CliContext, name: string): void {
  const known = cli.get(ChannelRegistry).names;
  if (known.includes(name)) return;
  throw new UsageError(`--channel ${name}: expected ${known.join(' or ')}`);
}

const ZONE = /^(?:utc|gmt|[a-z_]+\/.+)$/i;

/**
 * The name as it was typed: Node would put an older one in its place (Europe/Kiev), which PostgreSQL may
 * not know. Abbreviations mean different zones to both: IST is India's to Node and Israel's to PostgreSQL.
 */
function timeZoneOf(name: string): string {
  if (ZONE.test(name) && isTimeZone(name)) return name;
  throw new UsageError(`--time-zone ${name}: expected a name like Europe/Berlin`);
}

const UNKNOWN_ZONE = '22023';

/** Throws UsageError for a time zone that only Node knows. */
async function refusingZone<T>(timeZone: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (sqlStateOf(error) !== UNKNOWN_ZONE) throw error;
    throw new UsageError(
      `--time-zone ${timeZone}: this PostgreSQL does not know the name; use the zone's present name, ` +
        'or install the old names on its machine (tzdata-legacy on Debian)',
    );
  }
}
