import { type ClaimedPassage, KnowledgeRepository, vectorBytes } from './knowledge.repository';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { ColloquyError } from '../common/errors';
import { newId } from '../common/ids';
import { Drain } from '../common/lifecycle';
import { type UnitOfWork, UnitOfWorkFactory } from '../common/uow';
import { Embedder } from './models';

/**
 * Requests the embeddings that are missing: after an import, after a change of the model, after an
 * outage of the server. An import itself calls no server, so an outage cannot make it fail.
 */
@Injectable()
export class EmbeddingSweep implements OnModuleInit {
  private readonly logger = new Logger('Knowledge');
  private readonly stopping = new AbortController();
  private running: Promise<void> | null = null;

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly documents: KnowledgeRepository,
    private readonly embedder: Embedder,
    private readonly drain: Drain,
  ) {}

  /** A request under way is ended; its passages are claimed again later. */
  onModuleInit(): void {
    this.drain.register('intake', 'knowledge', async () => {
      this.stopping.abort();
      await this.running;
    });
  }

  /** One pass at a time, also when the server is slow. */
  @Cron(CronExpression.EVERY_10_SECONDS)
  async runOnSchedule(): Promise<void> {
    if (this.stopping.signal.aborted) return;
    this.running ??= this.runOnce().finally(() => {
      this.running = null;
    });
    await this.running;
  }

  /** One pass. Returns how many passages got their embedding. */
  async run(): Promise<number> {
    const { model } = this.embedder;
    if (model === null) return 0;
    return this.units.run('knowledge.embed', async (uow) => {
      let stored = 0;
      for (let batch = 0; batch < MAX_BATCHES && !this.stopping.signal.aborted; batch += 1) {
        const claimed = await uow.commit('knowledge.claim', (tx) =>
          this.documents.claimUnembedded(tx, model, BATCH.passages),
        );
        // After a failure the rest waits for the next pass.
        if (claimed.length === 0 || !(await this.embed(uow, model, claimed))) break;
        stored += claimed.length;
      }
      return stored;
    });
  }

  private async runOnce(): Promise<void> {
    try {
      await this.run();
    } catch (error) {
      // An unreachable database is reported elsewhere.
      const isTransient = error instanceof ColloquyError && error.retryable;
      if (isTransient) return;
      this.logger.error('the sweep of missing embeddings failed; it runs again in 10 s', error);
    }
  }

  private async embed(
    uow: UnitOfWork,
    model: string,
    claimed: readonly ClaimedPassage[],
  ): Promise<boolean> {
    const texts = claimed.map(({ headings, text }) =>
      headings === '' ? text : `${headings}\n\n${text}`,
    );
    const request = { subject: `knowledge:${newId()}`, texts };
    const result = await this.embedder.embed(request, this.stopping.signal);
    if (!result.ok) {
      this.logger.warn(
        `passages were not embedded (${result.reason}); they are tried again after a minute or more`,
      );
      return false;
    }
    const { vectors } = result.value;
    const embedded = claimed.flatMap(({ id }, place) => {
      const vector = vectors[place];
      return vector === undefined ? [] : [{ passageId: id, vector: vectorBytes(vector) }];
    });
    await uow.commit('knowledge.embedded', (tx) =>
      this.documents.storeEmbeddings(tx, model, embedded),
    );
    return true;
  }
}

/** A pass ends after this many requests; the next pass continues. */
const MAX_BATCHES = 20;
/** Passages of one request: some 10,000 tokens, which every embeddings endpoint takes. */
export const BATCH = { passages: 32 };
