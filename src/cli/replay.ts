import type { Tx } from '../common/uow';
import { ReplyReplay } from '../interview';
import { AuditRepository } from '../privacy';
import { COMMAND_LINE, withCli } from './cli-context';
import { RefusedInputError, UsageError } from './failures';
import { type Result, printable, printableLine } from './output';

/** Repeats the model request of a reply and compares. */
export function replayReply(id: string): Promise<Result> {
  if (!/^[1-9]\d{0,17}$/.test(id)) {
    throw new UsageError(`--reply ${id}: expected the number that "transcript" prints`);
  }
  return withCli(async (cli) => {
    if (cli.settings.llm.apiKey === '') {
      throw new RefusedInputError('OPENAI_API_KEY is not set, so there is no model to ask.');
    }
    const audit = cli.get(AuditRepository);
    // Committed before the model is asked.
    const note = (tx: Tx, subjectId: string): Promise<void> =>
      audit.note(tx, { actor: COMMAND_LINE, action: 'reply.replay', subjectId });
    const replayed = await cli
      .get(ReplyReplay)
      .replay(
        (label, work) => cli.commit(label, work),
        { replyId: id, note },
        new AbortController().signal,
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
  });
}
