import { COMMAND_LINE } from './attention';
import {
  openAudit,
  withReplyReplay,
  withScoreReplay,
  withCli,
  type CliContext,
} from './cli-context';
import { RefusedInputError, UsageError } from './failures';
import { isUuid } from '../common/ids';
import type { Tx } from '../common/uow';
import { printable, printableLine, type Result } from './output';

/** Repeats the model requests of a scoring or a reply and compares the results. */
export function replay(options: {
  readonly score?: string;
  readonly reply?: string;
}): Promise<Result> {
  const { score, reply } = options;
  if (score !== undefined && reply === undefined) return replayScore(score);
  if (reply !== undefined && score === undefined) return replayReply(reply);
  throw new UsageError('Add either --score ID or --reply ID.');
}

/** Scores are hidden, so only differences are printed. */
function replayScore(id: string): Promise<Result> {
  if (!isUuid(id)) throw new UsageError(`--score ${id}: expected the id that "score show" prints`);
  return withModel((cli) =>
    withScoreReplay(cli, async (replays) => {
      const never = new AbortController().signal;
      const samples = await replays.replay(
        (label, work) => cli.commit(label, work),
        { runId: id, note: await noteOf(cli, 'score.replay') },
        never,
      );
      const same = samples.filter(
        ({ before, after, markDifference }) => before === after && (markDifference ?? 0) === 0,
      );
      const lines = samples
        .filter((sample) => !same.includes(sample))
        .map(({ questionId, item, n, before, after, markDifference, changed }) => {
          const what =
            markDifference === null
              ? `${before} became ${after}`
              : `the mark differs by ${String(markDifference)}`;
          const other = changed.length === 0 ? '' : ` (changed since: ${changed.join(', ')})`;
          return `${questionId}, ${printableLine(item)}, sample ${String(n)}: ${what}${other}`;
        });
      return {
        document: { scoreId: id, same: same.length, samples },
        lines: [...lines, `The same: ${String(same.length)} of ${String(samples.length)} samples.`],
      };
    }),
  );
}

function replayReply(id: string): Promise<Result> {
  if (!/^[1-9]\d{0,17}$/.test(id)) {
    throw new UsageError(`--reply ${id}: expected the number that "transcript" prints`);
  }
  return withModel((cli) =>
    withReplyReplay(cli, async (replays) => {
      const never = new AbortController().signal;
      const replayed = await replays.replay(
        (label, work) => cli.commit(label, work),
        { replyId: id, note: await noteOf(cli, 'reply.replay') },
        never,
      );
      const { changed, differences, failure } = replayed;
      const since =
        changed.length === 0
          ? 'The request is the same as then.'
          : `Changed since: ${changed.join(', ')}.`;
      if (differences === null) {
        throw new RefusedInputError(`${since} The model sent no reply (${failure ?? 'unknown'}).`);
      }
      const lines = differences.flatMap(({ field, before, after }) => [
        `${printableLine(field)}:`,
        `  before: ${printable(before ?? '(nothing)')}`,
        `  after:  ${printable(after ?? '(nothing)')}`,
      ]);
      const end = differences.length === 0 ? 'The model wrote the same again.' : '';
      return { document: replayed, lines: [since, ...lines, ...(end === '' ? [] : [end])] };
    }),
  );
}

/** The audit's row, which is committed before a model is asked. */
async function noteOf(
  cli: CliContext,
  action: 'score.replay' | 'reply.replay',
): Promise<(tx: Tx, conversationId: string) => Promise<void>> {
  const audit = await openAudit(cli);
  return (tx, subjectId) => audit.note(tx, { actor: COMMAND_LINE, action, subjectId });
}

function withModel<T>(work: (cli: CliContext) => Promise<T>): Promise<T> {
  return withCli((cli) => {
    if (cli.settings.llm.apiKey === '') {
      throw new RefusedInputError('OPENAI_API_KEY is not set, so there is no model to ask.');
    }
    return work(cli);
  });
}
