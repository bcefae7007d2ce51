import { readFile, rm, writeFile } from 'node:fs/promises';
import {
  CalibrationRepository,
  DecisionFileError,
  DecisionRepository,
  Decisions,
  ScoringRepository,
  assertChain,
  publicKeyFile,
  signingKey,
  verifiedFile,
} from '../scoring';
import { Settings } from '../common/config';
import { withCli } from './cli-context';
import { NotFoundError, RefusedInputError } from './failures';
import { candidateOf, textOf } from './option-values';
import type { Result } from './output';

const MAX_NAME = 120;
const MAX_REASON = 2000;

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

/** Writes the next file of the chain. The file is new: an existing one is never replaced. */
export function exportDecision(options: {
  readonly candidate: string;
  readonly out: string;
}): Promise<Result> {
  const candidateId = candidateOf(options.candidate);
  const { out } = options;
  return withCli(async (cli) => {
    const { clock, settings } = cli;
    await writeFile(out, '', { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
      throw new RefusedInputError(`${out}: cannot be written (${reasonOf(error)})`);
    });
    const key = await signingKey(settings.database.dataDir);
    const decisions = new Decisions(
      new DecisionRepository(clock),
      new ScoringRepository(clock),
      new CalibrationRepository(clock),
      clock,
    );
    const { n, hash, bytes } = await cli
      .commit('decision.export', (tx) => decisions.makeFile(tx, candidateId, key))
      .catch(async (error: unknown) => {
        await rm(out);
        throw error;
      });
    await writeFile(out, bytes);
    const publicKey = publicKeyFile(settings.database.dataDir);
    return {
      document: { file: out, n, hash, publicKey },
      lines: [
        `Written: ${out}, number ${String(n)} of the chain, SHA-256 ${hash}.`,
        `The public key: ${publicKey}.`,
      ],
    };
  });
}

/** Needs no database: only the files and the public key. */
export async function verifyDecisions(
  files: readonly string[],
  options: { readonly key?: string },
): Promise<Result> {
  const keyFile =
    options.key ?? publicKeyFile(Settings.fromEnvironment(process.env).database.dataDir);
  const key = (await bytesOf(keyFile)).toString();
  const verified = [];
  for (const file of files) {
    try {
      verified.push({ file, ...verifiedFile(await bytesOf(file), key) });
    } catch (error) {
      if (!(error instanceof DecisionFileError)) throw error;
      throw new RefusedInputError(`${file}: ${error.message}`);
    }
  }
  assertChain(verified);
  return {
    document: { files: verified },
    lines: verified.map(({ file, n }) => `${file}: unchanged, number ${String(n)} of the chain`),
  };
}

async function bytesOf(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new RefusedInputError(`${file}: cannot be read (${reasonOf(error)})`);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
}
