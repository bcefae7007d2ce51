import { once } from 'node:events';
import {
  AuditRepository,
  PersonalDataService,
  RetentionRepository,
  RetentionService,
  rulesOf,
} from '../privacy';
import { COMMAND_LINE, withCli } from './cli-context';
import { NotFoundError, UsageError } from './failures';
import { candidateOf, textOf } from './option-values';
import { type Result, printableJson, timeText } from './output';
import type { Settings } from '../common/config';

/**
 * Prints all that is stored about a candidate as one JSON document, piece by piece: recordings make
 * it large. It prints by itself.
 */
export async function exportCandidate(id: string, stopProgress: () => void): Promise<void> {
  const subjectId = candidateOf(id);
  await withCli(async (cli) => {
    const audit = cli.get(AuditRepository);
    const { pieces } = await cli
      .get(PersonalDataService)
      .exportOf((label, work) => cli.commit(label, work), subjectId);
    await cli.commit('personal.audit', (tx) =>
      audit.note(tx, { actor: COMMAND_LINE, action: 'candidate.export', subjectId }),
    );
    for await (const piece of pieces) {
      if (process.stdout.isTTY) stopProgress();
      if (!process.stdout.write(printableJson(piece))) await once(process.stdout, 'drain');
    }
  });
}

/**
 * Erases all that is stored about a candidate. A process that is writing a reply to them stops: its
 * turn is gone.
 */
export async function eraseCandidate(
  id: string,
  options: { readonly yes?: boolean },
): Promise<Result> {
  const candidateId = candidateOf(id);
  if (options.yes !== true) throw new UsageError('This cannot be undone: add --yes to confirm it.');
  return withCli(async (cli) => {
    const { isFound, conversations, messages } = await cli.commit('personal.erase', (tx) =>
      cli.get(PersonalDataService).erase(tx, candidateId, COMMAND_LINE),
    );
    if (!isFound) throw new NotFoundError('Nothing is stored about this candidate.');
    return {
      document: { candidateId, conversations, messages, kept: KEPT },
      lines: [
        `Erased: the candidate, conversations: ${String(conversations)}, messages: ${String(messages)}.`,
        `Nothing that names or quotes them is kept. Kept: ${KEPT.join('; ')}.`,
        ...overridden(cli.settings),
      ],
    };
  });
}

/** What an erasure leaves, none of which leads to the person. */
const KEPT = [
  'how much was erased, by vacancy',
  'the audit, with a hash of their id',
  'the hashes of decision files',
] as const;

/** That a person's erasure goes before the period for which the settings keep records. */
function overridden({ retention: of }: Settings): string[] {
  const transcript = rulesOf(of).find(({ class: name }) => name === 'transcript');
  if (transcript === undefined || transcript.keptDays === null) return [];
  const { keptDays, source } = transcript;
  return [
    `The period of ${String(keptDays)} days (${source}) holds back no erasure. Records that a law asks for are only what you have outside of Colloquy, such as decision files and letters.`,
  ];
}

const LABELS = {
  transcript: 'interviews of candidates',
  media: 'recordings and files',
  scores: 'scorings and ratings',
  decisions: 'recorded decisions',
  not_started: 'candidates who never agreed',
  preview: 'interviews of colleagues who looked at them as a candidate',
  account: 'accounts whose person only pressed Start',
} as const;

const MAX_REASON = 500;

/** Shows the data whose retention period is over, or deletes it. */
export async function retention(options: {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}): Promise<Result> {
  if (options.dryRun === true && options.yes === true) {
    throw new UsageError('--dry-run cannot go with --yes.');
  }
  if (options.dryRun === true) return showDue();
  if (options.yes === true) return deleteDue();
  throw new UsageError('Add --dry-run to see what is due, or --yes to delete it for good.');
}

function showDue(): Promise<Result> {
  return withCli(async (cli) => {
    const rules = await cli.get(RetentionService).due();
    const records = cli.get(RetentionRepository);
    const holds = await cli.commit('retention.holds', (tx) => records.countHolds(tx));
    const lines = rules.map(({ class: name, keptDays, source, count, oldestAt }) => {
      const kept = keptDays === null ? 'kept' : `kept for ${String(keptDays)} days`;
      const oldest = oldestAt === null ? '' : `, the oldest from ${timeText(oldestAt)}`;
      return `${LABELS[name]}: ${String(count)} due${oldest} (${kept}; ${source})`;
    });
    return {
      document: { rules, holds },
      lines: [...lines, `Candidates on legal hold: ${String(holds)}.`, 'Nothing was deleted.'],
    };
  });
}

function deleteDue(): Promise<Result> {
  return withCli(async (cli) => {
    const deleted = await cli.get(RetentionService).run();
    const names = Object.keys(LABELS) as (keyof typeof LABELS)[];
    return {
      document: { deleted },
      lines: names.map((name) => `${LABELS[name]}: ${String(deleted[name])} deleted`),
    };
  });
}

/** Places a legal hold: retention leaves the candidate alone until the hold is released. */
export async function holdCandidate(
  id: string,
  options: { readonly reason: string },
): Promise<Result> {
  const candidateId = candidateOf(id);
  const reason = textOf('--reason', options.reason, MAX_REASON);
  return withCli(async (cli) => {
    const [records, audit] = [cli.get(RetentionRepository), cli.get(AuditRepository)];
    await cli.commit('retention.hold', async (tx) => {
      const isKnown = await records.hold(tx, { candidateId, reason, placedBy: COMMAND_LINE });
      if (!isKnown) throw new NotFoundError('Nothing is stored about this candidate.');
      const action = 'candidate.hold';
      await audit.note(tx, { actor: COMMAND_LINE, action, subjectId: candidateId });
    });
    return {
      document: { candidateId, isHeld: true },
      lines: ['On legal hold: retention deletes nothing of this candidate.'],
    };
  });
}

export async function releaseCandidate(id: string): Promise<Result> {
  const candidateId = candidateOf(id);
  return withCli(async (cli) => {
    const [records, audit] = [cli.get(RetentionRepository), cli.get(AuditRepository)];
    await cli.commit('retention.release', async (tx) => {
      if (!(await records.release(tx, candidateId))) {
        throw new NotFoundError('This candidate is not on legal hold.');
      }
      const action = 'candidate.release';
      await audit.note(tx, { actor: COMMAND_LINE, action, subjectId: candidateId });
    });
    return {
      document: { candidateId, isHeld: false },
      lines: ['Released: retention applies to this candidate again.'],
    };
  });
}
