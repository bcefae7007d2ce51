import type { KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { ColloquyError } from '../common/errors';
import { OnEvent, type PayloadOf } from '../common/events';
import type { Tx } from '../common/uow';
import { hashOfFile, signedFile } from './decision-file';
import { assertFree, publish, readPartial, writePartial } from './decision-output';
import { CalibrationRepository } from './calibration.repository';
import { DecisionRepository } from './decision.repository';
import { ScoringRepository } from './scoring.repository';
import { shownQuestions } from './shown-scores';

/** There is no decision about this candidate. */
export class DecisionUnknownError extends ColloquyError {
  readonly code = 'decision_unknown';
  readonly retryable = false;
}

export interface DecisionFile {
  readonly n: number;
  readonly hash: string;
  readonly bytes: Buffer;
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

/** Decisions of people, and the signed file of what they were based on. Code decides nothing. */
@Injectable()
export class Decisions {
  constructor(
    private readonly records: DecisionRepository,
    private readonly scores: ScoringRepository,
    private readonly calibration: CalibrationRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Writes the next file of the chain, which must not exist; decision-output.ts says how a crash is
   * survived. If an interrupted export left its file there, that one is finished instead. Throws
   * DecisionUnknownError and DecisionOutputError.
   */
  async exportTo(
    commit: <T>(label: string, work: (tx: Tx) => Promise<T>) => Promise<T>,
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

  /**
   * Makes the next file of the chain: the decisions with their reasons, each interview's scores with
   * rubrics, samples and prompts, people's ratings, and the answers in which the quotes stand. Only after a decision,
   * because scores that are hidden must not become known before it.
   */
  private async makeFile(tx: Tx, candidateId: string, key: KeyObject): Promise<DecisionFile> {
    const decisions = await this.records.list(tx, candidateId);
    if (decisions.length === 0) {
      throw new DecisionUnknownError(
        'There is no decision about this candidate. Record it first: colloquy decision record.',
      );
    }
    const interviews = [];
    for (const id of await this.records.conversations(tx, candidateId)) {
      interviews.push(await this.interview(tx, id));
    }
    const link = await this.records.nextLink(tx);
    const madeAt = this.clock.now();
    const bytes = signedFile({ ...link, madeAt, candidateId, decisions, interviews }, key);
    const hash = hashOfFile(bytes);
    await this.records.addLink(tx, link, hash);
    return { n: link.n, hash, bytes };
  }

  @OnEvent('candidate.exported')
  async onExported(
    tx: Tx,
    { candidateId }: PayloadOf<'candidate.exported'>,
  ): Promise<{ name: string; data: unknown }> {
    const decisions = await this.records.list(tx, candidateId);
    return { name: 'decisions', data: decisions.length === 0 ? undefined : decisions };
  }

  private async interview(tx: Tx, conversationId: string): Promise<object> {
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
    const answers = await this.scores.answers(tx, conversationId);
    const ratings = await this.calibration.ratingsOf(tx, [conversationId]);
    return { conversationId, answers: Object.fromEntries(answers), ratings, runs };
  }
}

function candidateOf(file: Buffer): string {
  const { payload } = JSON.parse(file.toString()) as { payload: { candidateId: string } };
  return payload.candidateId;
}
