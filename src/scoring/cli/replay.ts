import { COMMAND_LINE } from '../../cli/cli-context';
import { UsageError } from '../../cli/failures';
import { type Result, printableLine } from '../../cli/output';
import { isUuid } from '../../common/ids';
import type { Tx } from '../../common/uow';
import { AuditRepository } from '../../privacy';
import { ScoreReplay } from '../score-replay';
import { withScoring } from './with-scoring';

declare module '../../privacy/audit.repository' {
  interface AuditActions {
    'score.replay': true;
  }
}

/** Repeats the model requests of a scoring. Scores are hidden, so only differences are printed. */
export function replayScore(id: string): Promise<Result> {
  if (!isUuid(id)) throw new UsageError(`--score ${id}: expected the id that "score show" prints`);
  return withScoring(async (cli) => {
    const audit = cli.get(AuditRepository);
    const note = (tx: Tx, subjectId: string): Promise<void> =>
      audit.note(tx, { actor: COMMAND_LINE, action: 'score.replay', subjectId });
    const samples = await cli
      .get(ScoreReplay)
      .replay(
        (label, work) => cli.commit(label, work),
        { runId: id, note },
        new AbortController().signal,
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
  });
}
