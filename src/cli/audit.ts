import { once } from 'node:events';
import { type AuditFilter, AuditRepository, MAX_AUDIT_PAGE, type NotedEvent } from '../privacy';
import { type CliContext, withCli } from './cli-context';
import { UsageError } from './failures';
import { textOf } from './option-values';
import { type Result, printableJson, printableLine, timeText } from './output';

export interface AuditOptions {
  readonly actor?: string;
  readonly action?: string;
  readonly subject?: string;
  readonly since?: string;
  readonly until?: string;
}

const LATEST = 100;
const MAX_TEXT = 120;

/** The latest rows of the audit. */
export async function listAudit(options: AuditOptions): Promise<Result> {
  const filter = filterOf(options);
  return withCli(async (cli) => {
    const events = await page(cli, filter, { limit: LATEST });
    const lines = events.map(({ at, actor, action, subjectHash }) =>
      [timeText(at), actor, action, `${subjectHash.slice(0, 12)}…`].map(printableLine).join('  '),
    );
    return {
      document: { events },
      lines: lines.length === 0 ? ['There are no such rows.'] : lines,
    };
  });
}

/** All rows of the audit as one JSON document, page by page. It prints by itself. */
export async function exportAudit(options: AuditOptions, stopProgress: () => void): Promise<void> {
  const filter = filterOf(options);
  await withCli(async (cli) => {
    if (process.stdout.isTTY) stopProgress();
    await write('{"events":[');
    let beforeId: string | undefined;
    do {
      const events = await page(cli, filter, { beforeId, limit: MAX_AUDIT_PAGE });
      const rows = events.map((event) => JSON.stringify(event)).join(',\n');
      if (rows !== '') await write(`${beforeId === undefined ? '' : ','}\n${rows}`);
      beforeId = events.length < MAX_AUDIT_PAGE ? undefined : events.at(-1)?.id;
    } while (beforeId !== undefined);
    await write('\n]}\n');
  });
}

function page(
  cli: CliContext,
  filter: AuditFilter,
  of: { readonly beforeId?: string | undefined; readonly limit: number },
): Promise<NotedEvent[]> {
  return cli.commit('audit.list', (tx) => cli.get(AuditRepository).list(tx, filter, of));
}

async function write(text: string): Promise<void> {
  if (!process.stdout.write(printableJson(text))) await once(process.stdout, 'drain');
}

/** Throws UsageError. */
function filterOf({ actor, action, subject, since, until }: AuditOptions): AuditFilter {
  const given = (option: string, value: string | undefined): string | undefined =>
    value === undefined ? undefined : textOf(option, value, MAX_TEXT);
  return {
    actor: given('--actor', actor),
    action: given('--action', action),
    subjectId: given('--subject', subject),
    since: since === undefined ? undefined : dayOf('--since', since),
    until: until === undefined ? undefined : dayOf('--until', until),
  };
}

/** The beginning of a day in UTC. */
function dayOf(option: string, text: string): Date {
  const day = new Date(`${text}T00:00:00Z`);
  // JavaScript reads February 31 as a day in March.
  const isDay = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
  if (isDay && text.length === 10) return day;
  throw new UsageError(`${option} ${printableLine(text)}: expected a day like 2026-11-01`);
}
