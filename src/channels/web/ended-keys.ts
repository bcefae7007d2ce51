import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { describeError } from '../../common/errors';
import { UnitOfWorkFactory } from '../../common/uow';
import { ApiKeys, type EndedKey, revokedKeyIn } from '../../access';
import { SignalConnection, type SignalListener } from '../../persistence';
import { endedFrame } from './events/event-frames';
import type { SseResponse } from './events/sse-response';

const CHECK_MS = 2000;

/**
 * Ends the open streams of keys that have ended, with a last event that says why. A signal ends those of a
 * revoked key at once. Each replica also checks every 2 s, because nothing is committed when a key expires,
 * and a signal may be missed.
 */
@Injectable()
export class EndedKeys implements SignalListener, OnModuleInit {
  private readonly logger = new Logger('Keys');
  private readonly keyIds = new Map<SseResponse, string>();
  private isChecking = false;

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly keys: ApiKeys,
    private readonly signals: SignalConnection,
  ) {}

  onModuleInit(): void {
    this.signals.listen(this);
  }

  /** From now on the stream ends with its key. */
  endWithKey(response: SseResponse, keyId: string): void {
    this.keyIds.set(response, keyId);
  }

  onSignal(payload: string): void {
    const id = revokedKeyIn(payload);
    if (id !== null) this.endStreams([{ id, state: 'revoked' }]);
  }

  /** The next check finds what was missed. */
  onConnected(): void {
    return undefined;
  }

  /** While the database cannot be reached no stream ends; the next check asks again. */
  @Interval(CHECK_MS)
  async checkOnSchedule(): Promise<void> {
    if (this.isChecking) return;
    this.isChecking = true;
    try {
      await this.closeStreams();
    } catch (error) {
      this.logger.debug(
        `could not check the keys of open streams, retrying: ${describeError(error)}`,
      );
    } finally {
      this.isChecking = false;
    }
  }

  /** Ends the streams of keys that have ended. */
  async closeStreams(): Promise<void> {
    for (const response of this.keyIds.keys()) {
      if (response.isClosed) this.keyIds.delete(response);
    }
    const ids = [...new Set(this.keyIds.values())];
    if (ids.length === 0) return;
    const ended = await this.units.run('key', (uow) =>
      uow.commitOne('key.list_ended', (tx) => this.keys.listEnded(tx, ids)),
    );
    this.endStreams(ended);
  }

  private endStreams(ended: readonly EndedKey[]): void {
    const states = new Map(ended.map(({ id, state }) => [id, state]));
    for (const [response, keyId] of this.keyIds) {
      const state = states.get(keyId);
      if (state === undefined) continue;
      this.keyIds.delete(response);
      response.write(endedFrame(`key_${state}`));
      response.end();
    }
  }
}
