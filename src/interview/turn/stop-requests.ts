import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { UnitOfWorkFactory } from '../../common/uow';
import { LiveReplies } from '../../streams';
import { TurnRepository } from './turn.repository';

const LOOK_MS = 1000;

/**
 * Stops the replies that this process writes when their candidate asks for it. The request is a
 * column of the turn, which is read when the conversation has changed, here or on another replica,
 * and once a second.
 */
@Injectable()
export class StopRequests {
  private readonly logger = new Logger('Turns');
  private readonly running = new Map<string, { turnId: string; controller: AbortController }>();

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly turns: TurnRepository,
    private readonly live: LiveReplies,
  ) {}

  /** Registers a reply; its signal aborts when the candidate stops it. */
  start(turn: { conversationId: string; id: string }): {
    readonly stopped: AbortSignal;
    end(): void;
  } {
    const { conversationId, id: turnId } = turn;
    const entry = { turnId, controller: new AbortController() };
    this.running.set(conversationId, entry);
    const unwatch = this.live.watch(conversationId, (signal) => {
      if (signal === 'rows') void this.checkOnSchedule();
    });
    return {
      stopped: entry.controller.signal,
      end: () => {
        unwatch();
        if (this.running.get(conversationId) === entry) this.running.delete(conversationId);
      },
    };
  }

  @Interval(LOOK_MS)
  async checkOnSchedule(): Promise<void> {
    await this.check().catch(() => {
      this.logger.debug('stop requests could not be read; they are read again');
    });
  }

  /** Stops the replies whose turns were asked to stop, or were erased. */
  async check(): Promise<void> {
    const entries = [...this.running.values()];
    if (entries.length === 0) return;
    const turnIds = entries.map(({ turnId }) => turnId);
    const toStop = await this.units.run('turn.watch', (uow) =>
      uow.commitOne('turn.watch', (tx) => this.turns.listToStop(tx, turnIds)),
    );
    for (const { turnId, controller } of entries) if (toStop.has(turnId)) controller.abort();
  }
}
