import { once } from 'node:events';
import { COMMAND_LINE } from './attention';
import { openAudit, withCli, withPersonalData } from './cli-context';
import { NotFoundError, UsageError } from './failures';
import { candidateOf } from './option-values';
import { type Result, printableJson } from './output';

/** The id as an argument, or as the value of `--candidate`. */
export interface CandidateOptions {
  readonly candidate?: string;
}

/**
 * Prints all that is stored about a candidate as one JSON document, piece by piece: recordings make
 * it large. Returns nothing that is still to be printed.
 */
export async function exportCandidate(
  id: string | undefined,
  options: CandidateOptions,
): Promise<void> {
  const subjectId = candidateOf(id ?? options.candidate);
  await withCli(async (cli) => {
    const audit = await openAudit(cli);
    await withPersonalData(cli, async (personal) => {
      const { pieces } = await personal.exportOf(
        (label, work) => cli.commit(label, work),
        subjectId,
      );
      await cli.commit('personal.audit', (tx) =>
        audit.note(tx, { actor: COMMAND_LINE, action: 'candidate.export', subjectId }),
      );
      for await (const piece of pieces) {
        if (!process.stdout.write(printableJson(piece))) await once(process.stdout, 'drain');
      }
    });
  });
}

/**
 * Erases all that is stored about a candidate. A process that is writing a reply to them stops: its
 * turn is gone.
 */
export async function eraseCandidate(
  id: string | undefined,
  options: CandidateOptions & { readonly yes?: boolean },
): Promise<Result> {
  const candidateId = candidateOf(id ?? options.candidate);
  if (options.yes !== true) throw new UsageError('This cannot be undone: add --yes to confirm it.');
  return withCli((cli) =>
    withPersonalData(cli, async (personal) => {
      const { isFound, conversations, messages } = await cli.commit('personal.erase', (tx) =>
        personal.erase(tx, candidateId, COMMAND_LINE),
      );
      if (!isFound) throw new NotFoundError('Nothing is stored about this candidate.');
      return {
        document: { candidateId, conversations, messages },
        lines: [
          `Erased: the candidate, conversations: ${String(conversations)}, messages: ${String(messages)}.`,
        ],
      };
    }),
  );
}
