import { readFile } from 'node:fs/promises';
import {
  CalibrationRepository,
  DecisionFileError,
  DecisionRepository,
  Decisions,
  type NamedLink,
  ScoringRepository,
  assertChain,
  publicKeyFile,
  signingKey,
  verifiedFile,
} from '../scoring';
import { Settings } from '../common/config';
import { ConversationRepository } from '../interview';
import type { Tx } from '../common/uow';
import { COMMAND_LINE } from './attention';
import { openAudit, withCli } from './cli-context';
import { NotFoundError, RefusedInputError, UsageError } from './failures';
import { bytesOfFile } from './files';
import { candidateOf, textOf } from './option-values';
import { type Result, printableLine, timeText } from './output';

const MAX_NAME = 120;
const MAX_REASON = 2000;
const MOST_LISTED = 200;

/** Records who decided what about a candidate, and why. */
export function recordDecision(options: {
  readonly candidate: string;
  readonly by: string;
  readonly reason: string;
}): Promise<Result> {
  const candidateId = candidateOf(options.candidate);
  const by = textOf('--by', options.by, MAX_NAME);
  const reason = textOf('--reason', options.reason, MAX_REASON);
  return withCli(async (cli) => {
    const records = new DecisionRepository(cli.clock);
    const isKnown = await cli.commit('decision.record', (tx) =>
      records.add(tx, { candidateId, by, reason }),
    );
    if (!isKnown) throw new NotFoundError('There is no interview of this candidate.');
    return { document: { candidateId, by }, lines: ['The decision is recorded.'] };
  });
}

/** The newest decisions first, of one candidate or of all. */
export function listDecisions(options: { readonly candidate?: string }): Promise<Result> {
  const candidateId = options.candidate === undefined ? null : candidateOf(options.candidate);
  return withCli(async (cli) => {
    const records = new DecisionRepository(cli.clock);
    const decisions = await cli.commit('decision.list', async (tx) => {
      const listed = [];
      for (const decision of await records.newest(tx, candidateId, MOST_LISTED)) {
        const candidate = await cli.candidates.find(tx, decision.candidateId);
        listed.push({ ...decision, name: candidate?.name ?? null });
      }
      return listed;
    });
    const lines = decisions.map(({ name, candidateId: id, decidedBy, reason, decidedAt }) => {
      const said = [name ?? id, `by ${decidedBy}`, reason].map(printableLine);
      return `${timeText(decidedAt)}  ${said.join('  ')}`;
    });
    return {
      document: { decisions },
      lines: lines.length === 0 ? ['No decisions are recorded.'] : lines,
    };
  });
}

/**
 * Writes the next file of the chain. The file is new: an existing one is never replaced. The export that
 * a crash interrupted is finished by calling it again with the same file.
 */
export function exportDecision(options: {
  readonly candidate: string;
  readonly out: string;
}): Promise<Result> {
  const candidateId = candidateOf(options.candidate);
  const { out } = options;
  return withCli(async (cli) => {
    const { clock, settings } = cli;
    const key = await signingKey(settings.database.dataDir);
    const decisions = new Decisions(
      new DecisionRepository(clock),
      new ScoringRepository(clock),
      new CalibrationRepository(clock),
      new ConversationRepository(clock),
      clock,
    );
    const audit = await openAudit(cli);
    const note = (tx: Tx, subjectId: string): Promise<void> =>
      audit.note(tx, { actor: COMMAND_LINE, action: 'decision.export', subjectId });
    const commit = <T>(label: string, work: (tx: Tx) => Promise<T>) => cli.commit(label, work);
    const exported = await decisions.exportTo(commit, out, { candidateId, key, note });
    const { n, hash, isRecovered } = exported;
    if (exported.candidateId !== candidateId) {
      throw new RefusedInputError(
        `${out} is now number ${String(n)} of the chain: the file of another candidate, whose export was interrupted. Choose another name for this one.`,
      );
    }
    const publicKey = publicKeyFile(settings.database.dataDir);
    const done = isRecovered ? 'Finished an interrupted export' : 'Written';
    return {
      document: { file: out, n, hash, isRecovered, publicKey },
      lines: [
        `${done}: ${out}, number ${String(n)} of the chain, SHA-256 ${hash}.`,
        `The public key: ${publicKey}.`,
      ],
    };
  });
}

/** Needs no database and no settings: only the files and the public key. */
export async function verifyDecisions(
  files: readonly string[],
  options: { readonly key?: string },
): Promise<Result> {
  const key = (await keyBytes(options.key)).toString();
  const verified: NamedLink[] = [];
  for (const file of files) {
    try {
      verified.push({ file, ...verifiedFile(await bytesOfFile(file), key) });
    } catch (error) {
      if (!(error instanceof DecisionFileError)) throw error;
      throw new RefusedInputError(`${file}: ${error.message}`);
    }
  }
  assertChain(verified);
  verified.sort((a, b) => a.n - b.n);
  return {
    document: { files: verified },
    lines: verified.map(({ file, n }) => `${file}: unchanged, number ${String(n)} of the chain`),
  };
}

/** The public key that was given, or the one of the data folder. */
async function keyBytes(given: string | undefined): Promise<Buffer> {
  if (given !== undefined) return bytesOfFile(given);
  // The person who verifies may have other settings or none, so only COLLOQUY_DATA_DIR is read.
  const { COLLOQUY_DATA_DIR } = process.env;
  const file = publicKeyFile(Settings.fromEnvironment({ COLLOQUY_DATA_DIR }).database.dataDir);
  try {
    return await readFile(file);
  } catch {
    throw new UsageError(
      `There is no public key in ${file}. Name the key that came with the files: --key FILE.`,
    );
  }
}
