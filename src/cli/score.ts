import { ConversationRepository } from '../interview';
import { ScoringRepository } from '../scoring';
import { withCli, withScoreReplay } from './cli-context';
import { NotFoundError, RefusedInputError, UsageError } from './failures';
import { isUuid } from './option-values';
import { type Result, printableLine, timeText } from './output';

/** How far the scorings of an interview came. No mark, no quote and no figure: they are in shadow. */
export function showScore({
  conversation: id,
}: {
  readonly conversation: string;
}): Promise<Result> {
  if (!isUuid(id)) throw new UsageError(`--conversation ${id}: expected the id of a conversation`);
  return withCli(async (cli) => {
    const scores = new ScoringRepository(cli.clock);
    const runs = await cli.commit('score.show', async (tx) => {
      if ((await new ConversationRepository(cli.clock).find(tx, id)) === undefined) {
        throw new NotFoundError(`There is no conversation ${id}.`);
      }
      const shown = [];
      for (const { id: runId, state, startedAt, endedAt } of await scores.runsOf(tx, [id])) {
        const samples = await scores.samples(tx, runId);
        const dropped = samples.filter(({ reading }) => reading.kind === 'dropped').length;
        shown.push({ id: runId, state, startedAt, endedAt, samples: samples.length, dropped });
      }
      return shown;
    });
    const lines = runs.map(
      ({ id: runId, state, startedAt, samples, dropped }) =>
        `${runId}  ${timeText(startedAt)}  ${state}  samples: ${String(samples)}, dropped: ${String(dropped)}`,
    );
    const hidden = 'The scores are in shadow: they stay hidden until their rubrics are certified.';
    return {
      document: { conversationId: id, isShadow: true, runs },
      lines: runs.length === 0 ? ['This interview was not scored.'] : [...lines, hidden],
    };
  });
}

/** Asks the model again. Scores are hidden, so only differences are printed. */
export function replayScore({ score: id }: { readonly score: string }): Promise<Result> {
  if (!isUuid(id)) throw new UsageError(`--score ${id}: expected the id that "score show" prints`);
  return withCli((cli) => {
    if (cli.settings.llm.apiKey === '') {
      throw new RefusedInputError('OPENAI_API_KEY is not set, so there is no model to ask.');
    }
    return withScoreReplay(cli, async (replay) => {
      const never = new AbortController().signal;
      const samples = await replay.replay((label, work) => cli.commit(label, work), id, never);
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
  });
}
