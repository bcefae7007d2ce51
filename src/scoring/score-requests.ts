import { Injectable } from '@nestjs/common';
import { Settings } from '../common/config';
import { OnEvent, type PayloadOf } from '../common/events';
import type { Tx } from '../common/uow';
import { Jobs } from '../jobs';
import { SCORE_QUEUE } from './score.worker';
import { ScoringRepository } from './scoring.repository';

/** Enqueues the scoring of finished interviews, and adds the scores to a person's export. */
@Injectable()
export class ScoreRequests {
  private readonly isOn: boolean;

  constructor(
    settings: Settings,
    private readonly jobs: Jobs,
    private readonly scores: ScoringRepository,
  ) {
    this.isOn = settings.scoring.isOn;
  }

  @OnEvent('interview.finished')
  async onFinished(tx: Tx, { conversationId }: PayloadOf<'interview.finished'>): Promise<void> {
    if (!this.isOn) return;
    await this.jobs.enqueue(tx, { queue: SCORE_QUEUE, key: conversationId, dueInMs: 0 });
  }

  /** Runs with their samples: what a model was asked about the person, and what came out. */
  @OnEvent('candidate.exported')
  async onExported(
    tx: Tx,
    { conversationIds }: PayloadOf<'candidate.exported'>,
  ): Promise<{ name: string; data: unknown }> {
    const runs = await this.scores.runsOf(tx, conversationIds);
    if (runs.length === 0) return { name: 'scores', data: undefined };
    const data = [];
    for (const run of runs) data.push({ ...run, samples: await this.scores.samples(tx, run.id) });
    return { name: 'scores', data };
  }
}
