import { readFile } from 'node:fs/promises';
import { AttentionService } from '../../attention';
import { CandidateRepository } from '../../candidates';
import { COMMAND_LINE, withCli } from '../../cli/cli-context';
import { NotFoundError, RefusedInputError, UsageError } from '../../cli/failures';
import { bytesOfFile } from '../../cli/files';
import { candidateOf, textOf } from '../../cli/option-values';
import { type Result, printableLine, timeText } from '../../cli/output';
import { Settings } from '../../common/config';
import type { Label, Tx } from '../../common/uow';
import { AuditRepository } from '../../privacy';
import type { Language } from '../../vacancies';
import {
  DecisionFileError,
  type NamedLink,
  assertChain,
  publicKeyFile,
  signingKey,
  verifiedFile,
} from '../decision-file';
import { HiringDecisionRepository, subjectOfLetter } from '../hiring-decision.repository';
import { HiringDecisions } from '../hiring-decisions';

declare module '../../privacy/audit.repository' {
  interface AuditActions {
    'decision.notice': true;
  }
}

const MAX_NAME = 120;
const MAX_REASON = 2000;
const MOST_LISTED = 200;

/** Records who decided what about a candidate, and why. */
export function recordDecision(options: {
  readonly candidate: string;
  readonly by: string;
  readonly reason: string;
  readonly notAdverse?: true;
}): Promise<Result> {
  const candidateId = candidateOf(options.candidate);
  const by = textOf('--by', options.by, MAX_NAME);
  const reason = textOf('--reason', options.reason, MAX_REASON);
  const isAdverse = options.notAdverse !== true;
  return withCli(async (cli) => {
    const decisions = cli.get(HiringDecisions);
    const id = await cli.commit('decision.record', (tx) =>
      decisions.record(tx, { candidateId, by, reason, isAdverse }),
    );
    if (id === null) throw new NotFoundError('There is no interview of this candidate.');
    return { document: { candidateId, by, isAdverse }, lines: ['The decision is recorded.'] };
  });
}

/** The newest decisions first, of one candidate or of all. */
export function listDecisions(options: { readonly candidate?: string }): Promise<Result> {
  const candidateId = options.candidate === undefined ? null : candidateOf(options.candidate);
  return withCli(async (cli) => {
    const records = cli.get(HiringDecisionRepository);
    const decisions = await cli.commit('decision.list', async (tx) => {
      const listed = [];
      for (const decision of await records.newest(tx, candidateId, MOST_LISTED)) {
        const candidate = await cli.get(CandidateRepository).find(tx, decision.candidateId);
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
    const { settings } = cli;
    const key = await signingKey(settings.database.dataDir);
    const decisions = cli.get(HiringDecisions);
    const audit = cli.get(AuditRepository);
    const note = (tx: Tx, subjectId: string): Promise<void> =>
      audit.note(tx, { actor: COMMAND_LINE, action: 'decision.export', subjectId });
    const commit = <T>(label: Label, work: (tx: Tx) => Promise<T>) => cli.commit(label, work);
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

/**
 * Prints the letter to the candidate about the decisions against them, and records who wrote it: the
 * attention items about a missing letter are closed. It sends nothing.
 */
export function writeLetter(options: {
  readonly candidate: string;
  readonly by?: string;
  readonly language?: string;
}): Promise<Result> {
  const candidateId = candidateOf(options.candidate);
  const by = textOf('--by', options.by ?? COMMAND_LINE, MAX_NAME);
  const language = languageOf(options.language);
  return withCli(async (cli) => {
    const decisions = cli.get(HiringDecisions);
    const audit = cli.get(AuditRepository);
    const letter = await cli.commit('decision.notice', async (tx) => {
      const written = await decisions.writeLetter(tx, { candidateId, by, language });
      for (const id of written.decisionIds) {
        await cli.get(AttentionService).settle(tx, subjectOfLetter(id), 'the letter is written');
      }
      const action = 'decision.notice';
      await audit.note(tx, { actor: COMMAND_LINE, action, subjectId: candidateId });
      return written;
    });
    return {
      document: { candidateId, by, language: letter.language, text: letter.text },
      lines: letter.text.trimEnd().split('\n').map(printableLine),
    };
  });
}

/** Null: none was given. */
function languageOf(given: string | undefined): Language | null {
  if (given === undefined || given === 'ru' || given === 'en') return given ?? null;
  throw new UsageError('--language: expected en or ru.');
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
