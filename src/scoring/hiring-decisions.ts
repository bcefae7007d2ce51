import type { KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { COMMAND } from '../common/command-name';
import { Clock } from '../common/clock';
import { ColloquyError } from '../common/errors';
import {
  DomainEventHandler,
  DomainEvents,
  type ListedDecision,
  type PayloadOf,
} from '../common/events';
import type { Label, Tx } from '../common/uow';
import { ConversationRepository, textIn } from '../interview';
import { type Language, VacancyRepository } from '../vacancies';
import { type LetterSource, letterOf } from './decision-letter';
import { hashOfFile, signedFile } from './decision-file';
import { CalibrationRepository } from './calibration.repository';
import { HiringDecisionRepository, type NewHiringDecision } from './hiring-decision.repository';
import { judgementOf } from './person-ratings';
import { ScoringRepository } from './scoring.repository';
import { shownQuestions } from './shown-scores';
import { link, open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';

/** Decisions of people, and the signed file of what they were based on. Code decides nothing. */
@Injectable()
export class HiringDecisions {
  constructor(
    private readonly records: HiringDecisionRepository,
    private readonly scores: ScoringRepository,
    private readonly calibration: CalibrationRepository,
    private readonly conversations: ConversationRepository,
    private readonly vacancies: VacancyRepository,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /**
   * Records what a person decided about a candidate, and why. Null: there is no interview of theirs. With
   * `lastSeenId`, the newest decision that the person knew of (null: none), it throws DecidedMeanwhileError if there
   * is another one now. Under the locks of the candidate's interviews, as an erasure, so of two who decide at once
   * the second one learns of the first.
   */
  async record(
    tx: Tx,
    {
      lastSeenId,
      ...decision
    }: NewHiringDecision & { readonly lastSeenId?: string | null | undefined },
  ): Promise<string | null> {
    const { candidateId } = decision;
    const interviewIds = await this.conversations.listOfCandidate(tx, candidateId);
    for (const id of interviewIds) await this.conversations.lock(tx, id);
    const [newest] = await this.records.page(tx, { vacancyIds: null, candidateId }, 1);
    if (lastSeenId !== undefined && lastSeenId !== (newest?.id ?? null)) {
      throw new DecidedMeanwhileError(meanwhile(newest));
    }
    for (const id of interviewIds) {
      await this.events.publish(tx, 'team.changed', judgementOf(id, null));
    }
    return this.records.add(tx, decision);
  }

  /**
   * Writes the next file of the chain, which must not exist; the comment above DecisionOutputError says
   * how a crash is survived. If an interrupted export left its file there, that one is finished instead. Throws
   * DecisionUnknownError and DecisionOutputError.
   */
  async exportTo(
    commit: <T>(label: Label, work: (tx: Tx) => Promise<T>) => Promise<T>,
    file: string,
    of: {
      readonly candidateId: string;
      readonly key: KeyObject;
      /** Called in the commit of the export, with the candidate whose file it is. */
      readonly note: (tx: Tx, candidateId: string) => Promise<void>;
    },
  ): Promise<ExportedDecision> {
    await assertFree(file);
    const exported = await commit('decision.export', async (tx) => {
      // Under this lock no other export is between its file and its commit.
      await this.records.lockChain(tx);
      const left = await readPartial(file);
      const known = left === null ? null : await this.records.findLink(tx, hashOfFile(left));
      if (left !== null && known !== null) {
        const candidateId = candidateOf(left);
        await of.note(tx, candidateId);
        return { ...known, candidateId, isRecovered: true };
      }
      const { n, hash, bytes } = await this.makeFile(tx, of.candidateId, of.key);
      await of.note(tx, of.candidateId);
      await writePartial(file, bytes);
      return { n, hash, candidateId: of.candidateId, isRecovered: false };
    });
    await publish(file, exported.hash);
    return exported;
  }

  /** Makes the next file of the chain. Until the commit no other file gets a place. Throws DecisionUnknownError. */
  async nextFile(tx: Tx, candidateId: string, key: KeyObject): Promise<DecisionFile> {
    await this.records.lockChain(tx);
    return this.makeFile(tx, candidateId, key);
  }

  /**
   * Makes the next file of the chain: the decisions with their reasons, each interview's scores with
   * rubrics, samples and prompts, people's ratings, and the answers in which the quotes stand. Only after a decision,
   * because scores that are hidden must not become known before it.
   */
  private async makeFile(tx: Tx, candidateId: string, key: KeyObject): Promise<DecisionFile> {
    const content = await this.content(tx, candidateId);
    const link = await this.records.nextLink(tx);
    const madeAt = this.clock.now();
    const bytes = signedFile({ ...link, madeAt, candidateId, ...content }, key);
    const hash = hashOfFile(bytes);
    await this.records.addLink(tx, link, hash);
    return { n: link.n, hash, bytes };
  }

  /**
   * Writes the letter to the candidate about the decisions against them, from what a decision file would
   * hold now, and notes who wrote it. `language` null: that of their last interview. `decisionIds`: whose
   * letter it is. Throws DecisionUnknownError and LetterNotDueError.
   */
  async writeLetter(
    tx: Tx,
    of: { readonly candidateId: string; readonly by: string; readonly language: Language | null },
  ): Promise<{ text: string; language: Language; decisionIds: readonly string[] }> {
    const content = await this.content(tx, of.candidateId);
    if (!content.decisions.some(({ isAdverse }) => isAdverse)) {
      throw new LetterNotDueError(
        'No decision about this candidate is against them, so there is no letter to write.',
      );
    }
    const language = of.language ?? content.interviews.at(-1)?.language ?? 'en';
    const text = letterOf(JSON.parse(JSON.stringify(content)) as LetterSource, language);
    const decisionIds = await this.records.noteLetter(tx, of.candidateId, of.by);
    return { text, language, decisionIds };
  }

  private async content(tx: Tx, candidateId: string) {
    const decisions = await this.records.list(tx, candidateId);
    if (decisions.length === 0) {
      throw new DecisionUnknownError(
        `There is no decision about this candidate. Record it first: ${COMMAND} decision record.`,
      );
    }
    const interviews = [];
    for (const id of await this.records.conversations(tx, candidateId)) {
      interviews.push(await this.interview(tx, id));
    }
    return { decisions, interviews };
  }

  @DomainEventHandler('candidate.exported')
  async onExported(
    tx: Tx,
    { candidateId }: PayloadOf<'candidate.exported'>,
  ): Promise<{ name: string; data: unknown }> {
    const decisions = await this.records.list(tx, candidateId);
    return { name: 'decisions', data: decisions.length === 0 ? undefined : decisions };
  }

  /** After an objection to automated processing without any score; `objectedAt` says why. */
  private async interview(tx: Tx, conversationId: string) {
    const { vacancyId, language, plan, consent } = await this.conversations.get(tx, conversationId);
    const vacancy = await this.vacancies.find(tx, vacancyId);
    const objectedAt = await this.conversations.objectedAt(tx, conversationId);
    const runs = objectedAt === null ? await this.runs(tx, conversationId) : [];
    const answers = await this.scores.answers(tx, conversationId);
    const ratings = await this.calibration.ratingsOf(tx, [conversationId]);
    return {
      conversationId,
      vacancy: { title: vacancy?.title ?? '', company: vacancy?.company ?? '' },
      language,
      consent,
      questions: plan.questions.map((question) => ({
        id: question.id,
        text: textIn(question, language),
      })),
      objectedAt,
      answers: Object.fromEntries(answers),
      ratings,
      runs,
    };
  }

  private async runs(tx: Tx, conversationId: string): Promise<object[]> {
    const runs = [];
    for (const run of await this.scores.runsOf(tx, [conversationId])) {
      const samples = await this.scores.samples(tx, run.id);
      const hashes = [...new Set(samples.map(({ rubricHash }) => rubricHash))];
      const rubrics = await this.scores.rubrics(tx, hashes);
      const prompts = await this.scores.prompts(tx, [
        ...new Set(samples.map(({ promptHash }) => promptHash)),
      ]);
      const certified = await this.calibration.certified(tx, hashes);
      const { shown, hidden } = shownQuestions(run, samples, certified);
      runs.push({
        ...run,
        // Of these questions nobody could see a score before the decision.
        inShadow: hidden,
        isShadow: shown.length === 0,
        rubrics,
        prompts,
        samples,
      });
    }
    return runs;
  }
}

/** A file of the chain that has its name now. */
export interface ExportedDecision {
  readonly n: number;
  readonly hash: string;
  /** Whose decision it is. */
  readonly candidateId: string;
  /** It was made by an export that a crash interrupted. */
  readonly isRecovered: boolean;
}

export interface DecisionFile {
  readonly n: number;
  readonly hash: string;
  readonly bytes: Buffer;
}

/** All decisions about this candidate are in their favour, so no letter is due. */
export class LetterNotDueError extends ColloquyError {
  readonly code = 'letter_not_due';
  readonly retryable = false;
}

/** Somebody else has decided since. The message says who, when and which way. */
export class DecidedMeanwhileError extends ColloquyError {
  readonly code = 'decided_meanwhile';
  readonly retryable = false;
}

/** `decision` undefined: the one that was known is deleted by its age. */
function meanwhile(decision: ListedDecision | undefined): string {
  if (decision === undefined) return 'The decision that you know of is no longer stored.';
  const { decidedBy, decidedAt, isAdverse } = decision;
  const at = decidedAt.toISOString().replace('T', ' ').slice(0, 16);
  const way = isAdverse ? 'against the candidate' : "in the candidate's favour";
  return `${decidedBy} has decided ${way} on ${at} UTC. Read it before you decide.`;
}

/** There is no decision about this candidate. */
export class DecisionUnknownError extends ColloquyError {
  readonly code = 'decision_unknown';
  readonly retryable = false;
}

function candidateOf(file: Buffer): string {
  const { payload } = JSON.parse(file.toString()) as { payload: { candidateId: string } };
  return payload.candidateId;
}

/*
 * Where a decision file is written so that a crash never leaves the chain without the file:
 *
 *   1. under the chain's lock, the bytes go to FILE.partial and are flushed to the disk
 *   2. the chain's row is committed
 *   3. FILE.partial gets the name FILE
 *
 * After a crash before 2, the chain does not know FILE.partial, and the next export overwrites it. After
 * a crash between 2 and 3, FILE.partial is the whole signed file, and the next export to FILE finishes it.
 */

/** The file cannot be written or read; the message says which and why. */
export class DecisionOutputError extends ColloquyError {
  readonly code = 'decision_output';
  readonly retryable = false;
}

/** Throws DecisionOutputError if the file exists. What a crash in step 3 left beside it is removed. */
export async function assertFree(file: string): Promise<void> {
  const existing = await bytesIn(file);
  if (existing === null) return;
  const partial = await bytesIn(partialOf(file));
  if (partial?.equals(existing) === true) await rm(partialOf(file));
  throw new DecisionOutputError(`${file}: the file exists already; choose another name`);
}

/** What an interrupted export left; null: nothing. */
export function readPartial(file: string): Promise<Buffer | null> {
  return bytesIn(partialOf(file));
}

/** Step 1. The file is readable by its owner only. */
export async function writePartial(file: string, bytes: Buffer): Promise<void> {
  await reported(file, 'written', async () => {
    const handle = await open(partialOf(file), 'w', 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await syncFolder(file);
  });
}

/** Step 3. An existing file is never replaced, because a link fails where the name is taken. */
export async function publish(file: string, hash: string): Promise<void> {
  await reported(file, 'written', async () => {
    try {
      await link(partialOf(file), file);
    } catch (error) {
      // Another process may have finished the same export.
      const there = await bytesIn(file);
      if (there === null || hashOfFile(there) !== hash) throw error;
    }
    await rm(partialOf(file), { force: true });
    await syncFolder(file);
  });
}

function partialOf(file: string): string {
  return `${file}.partial`;
}

/** A new name in a folder is on the disk only after the folder is flushed. */
async function syncFolder(file: string): Promise<void> {
  const folder = await open(path.dirname(path.resolve(file)), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function bytesIn(file: string): Promise<Buffer | null> {
  return reported(file, 'read', async () => {
    try {
      return await readFile(file);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    }
  });
}

async function reported<T>(
  file: string,
  verb: 'read' | 'written',
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = codeOf(error);
    if (typeof code !== 'string' || error instanceof ColloquyError) throw error;
    throw new DecisionOutputError(`${file}: cannot be ${verb} (${code})`, { cause: error });
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
